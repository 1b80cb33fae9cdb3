import { cleanLine } from '../../../core/index.js';
import { escapeHtml } from './escape-html.js';

/** Marks on one letter that are shown. Scripts need up to four. A pile of more would cover the lines around it. */
const PILE = /(\p{M}{5})\p{M}+/gu;
/** Control characters but for the end of a line and the tab, and halves of pairs. A browser must not guess at them. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]|\p{Cs}/gu;
/** What changes the order of the letters around it, and the tags, which no reader sees and a model does. */
const REORDERING = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]+/gu;
/** The same in code, where a zero width matters, too. */
const UNSEEN = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]+/gu;
const PLAIN = /^[\n\t -~]*$/;
/** Runs of unseen characters that are marked in one text. The others are left out. */
const MAX_MARKED = 200;

/** A text of a catalogue for one line: a name, an author, a label. */
export function shownLine(text: string): string {
  const line = cleanLine(text);
  return PLAIN.test(line) ? line : line.replace(PILE, '$1');
}

/** A text of a catalogue for people to read, of any number of lines. */
export function shownProse(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(REORDERING, '').replace(CONTROLS, '\ufffd').replace(PILE, '$1');
}

/**
 * The HTML of code. Characters that nobody sees, and that change what is seen or run, are left out, and an element with
 * their names stands where they were.
 */
export function codeHtml(text: string): string {
  if (PLAIN.test(text)) return escapeHtml(text);
  let html = '';
  let from = 0;
  let marked = 0;
  const shown = text.replace(CONTROLS, '\ufffd');
  for (const { 0: run, index } of shown.matchAll(UNSEEN)) {
    html += escapeHtml(shown.slice(from, index));
    from = index + run.length;
    if (marked++ < MAX_MARKED) html += `<span class="unseen" title="${nameOf(run)}"></span>`;
  }
  return html + escapeHtml(shown.slice(from));
}

/** `U+202E`, and how many there are. */
function nameOf(run: string): string {
  const [first = ''] = run;
  const code = first.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  const count = [...run].length;
  return `U+${code}${count > 1 ? ` and ${count - 1} more` : ''}`;
}
