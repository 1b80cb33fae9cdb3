import { mapNormalised, plainTerm, visitWords } from '../../core/index.js';
import type { Snippet } from '../../result.js';
import type { KeywordDocument, TermMatcher } from '../keyword-index.js';

/** The most characters of a snippet, without the ellipses. */
export const SNIPPET_LENGTH = 180;

/** The most characters of a text that are read, so that a very long file does not make a page slow. */
export const MAX_READ = 65_536;

interface Match {
  readonly start: number;
  readonly end: number;
  readonly term: string;
}

interface Source {
  readonly field: Snippet['field'];
  readonly filename?: string;
  readonly text: string;
  readonly matches: readonly Match[];
}

/**
 * The piece of a document that shows best why it was found: from the description if any word is there, else from the
 * file with the most of the words, else the beginning of the description.
 */
export function makeSnippet(document: KeywordDocument, matches: TermMatcher): Snippet {
  const description = readSource({ field: 'description' }, document.description, matches);
  if (description.matches.length > 0 || matches.step === 'all-words') return cutSnippet(description);
  let best = description;
  for (const { filename, text } of document.files) {
    const file = readSource({ field: 'files', filename }, text, matches);
    if (distinctTerms(file.matches) > distinctTerms(best.matches)) best = file;
  }
  return cutSnippet(best);
}

function readSource(origin: Pick<Source, 'field' | 'filename'>, text: string, matches: TermMatcher): Source {
  const everywhere = matches.step !== 'all-words';
  const shown = text
    .slice(0, MAX_READ)
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim();
  const { normalised, toOriginal } = mapNormalised(shown);
  const found: Match[] = [];
  visitWords(normalised, (other, kind, _position, _span, start, end) => {
    if (!everywhere && kind === 'inner') return;
    const term = other ?? plainTerm(normalised, start, end);
    if (matches.accepts(term)) found.push({ start: toOriginal(start), end: toOriginal(end), term });
  });
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  return { ...origin, text: shown, matches: found };
}

function distinctTerms(matches: readonly Match[]): number {
  return new Set(matches.map((match) => match.term)).size;
}

function cutSnippet({ field, filename, text, matches }: Source): Snippet {
  const { start, end } = windowOf(text, bestStart(matches));
  const before = start > 0 ? '…' : '';
  const after = end < text.length ? '…' : '';
  const shift = before.length - start;
  return {
    field,
    ...(filename === undefined ? {} : { filename }),
    text: before + text.slice(start, end) + after,
    highlights: mergeRanges(matches.filter((match) => match.start >= start && match.end <= end)).map(
      ([from, to]) => [from + shift, to + shift] as const,
    ),
  };
}

/** The start of the first match in the window with the most distinct terms. */
function bestStart(matches: readonly Match[]): number {
  let best = matches[0]?.start ?? 0;
  let [most, behind] = [0, 0];
  // How often each term is in the window, which moves from match to match: a text may match at every word.
  const inside = new Map<string, number>();
  for (const [i, { start, term }] of matches.entries()) {
    behind = Math.max(behind, i);
    for (; behind < matches.length && matches[behind]!.end <= start + SNIPPET_LENGTH * 0.75; behind++) {
      const { term: other } = matches[behind]!;
      inside.set(other, (inside.get(other) ?? 0) + 1);
    }
    if (inside.size > most) {
      most = inside.size;
      best = start;
    }
    inside.set(term, (inside.get(term) ?? 1) - 1);
    if (inside.get(term) === 0) inside.delete(term);
  }
  return best;
}

/** A window around a match, with a quarter of the window before it, cut between words where possible. */
function windowOf(text: string, match: number): { start: number; end: number } {
  if (text.length <= SNIPPET_LENGTH) return { start: 0, end: text.length };
  let start = Math.max(0, Math.min(match - Math.floor(SNIPPET_LENGTH / 4), text.length - SNIPPET_LENGTH));
  if (start > 0) {
    const space = text.indexOf(' ', start);
    if (space !== -1 && space < match) start = space + 1;
    else if (isLowSurrogate(text, start)) start += 1;
  }
  let end = Math.min(text.length, start + SNIPPET_LENGTH);
  if (end < text.length) {
    const space = text.lastIndexOf(' ', end);
    if (space > start + SNIPPET_LENGTH / 2) end = space;
    else if (isLowSurrogate(text, end)) end -= 1;
  }
  return { start, end };
}

function isLowSurrogate(text: string, i: number): boolean {
  const unit = text.charCodeAt(i);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Joins ranges that overlap. @param matches sorted by start */
function mergeRanges(matches: readonly Match[]): (readonly [number, number])[] {
  const merged: [number, number][] = [];
  for (const { start, end } of matches) {
    const last = merged.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}
