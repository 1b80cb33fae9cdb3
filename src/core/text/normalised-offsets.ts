import { longestForm, normaliseText } from './characters.js';

/**
 * A character and what may be composed with it: combining marks, Hangul vowels and finals, half-width voicing marks.
 */
const CLUSTER = /[\s\S][\p{M}\u1160-\u11ff\uff9e\uff9f]*/gu;

/**
 * The normalised form of a text, and a function that turns its offsets into offsets of the text itself. Both count
 * UTF-16 units.
 */
export function mapNormalised(text: string): { normalised: string; toOriginal: (offset: number) => number } {
  const whole = normaliseText(text);
  if (whole === text) return { normalised: text, toOriginal: (offset) => offset };
  const offsets: number[] = [];
  let normalised = '';
  let from = 0;
  for (const [cluster] of text.matchAll(CLUSTER)) {
    const form = normaliseText(cluster);
    // An offset inside a cluster that grew must not cut the cluster: all units but the first point behind it.
    for (let i = 0; i < form.length; i++) offsets.push(i === 0 ? from : from + cluster.length);
    normalised += form;
    from += cluster.length;
    if (normalised.length >= longestForm(text)) break;
  }
  offsets.push(from);
  return { normalised, toOriginal: (offset) => offsets[offset]! };
}
