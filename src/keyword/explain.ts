import { isUnspacedTerm, mapNormalised, normaliseText, plainTerm, stemOf, visitWords } from '../core/index.js';
import type { MatchedTerms, Snippet } from '../result.js';
import type { KeywordDocument, TermMatcher } from './keyword-index.js';
import { isSingleCharacter, type Question } from './question.js';

/** The most characters of a snippet, without the ellipses. */
export const SNIPPET_LENGTH = 180;

/** The most characters of a text that are read, so that a very long file does not make a page slow. */
const MAX_READ = 65_536;

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

/**
 * The terms of a document that answered the question, by field, each once, in the order of the text. Only the beginning
 * of a very long text is read.
 */
export function matchedTerms(document: KeywordDocument, matches: TermMatcher): MatchedTerms {
  const everywhere = matches.step !== 'all-words';
  const termsIn = (texts: readonly string[]): readonly string[] | undefined => {
    const found = new Set<string>();
    for (const text of texts) {
      const read = normaliseText(text.slice(0, MAX_READ));
      visitWords(read, (other, kind, _position, _span, start, end) => {
        if (!everywhere && kind === 'inner') return;
        const term = other ?? plainTerm(read, start, end);
        if (matches.accepts(term)) found.add(term);
      });
    }
    return found.size === 0 ? undefined : [...found];
  };
  const byField = {
    name: termsIn([document.name]),
    author: termsIn([document.author]),
    labels: termsIn(document.labels),
    description: termsIn([document.description]),
    files: everywhere ? termsIn(document.files.map((file) => file.text)) : undefined,
  };
  return Object.fromEntries(Object.entries(byField).filter(([, terms]) => terms !== undefined));
}

/** Tells which word of a question a term of a text answers, without an index. */
export interface AskedWords {
  /** Index of the first word of all `looseWords` that the term answers, as it stands or by its stem; else -1. */
  wordOf(term: string): number;
}

/** @param questions a question, and what it is in English */
export function askedWords(...questions: readonly Question[]): AskedWords {
  const byForm = new Map<string, number>();
  const byCharacter = new Map<string, number>();
  for (const [word, { terms }] of questions.flatMap(({ looseWords }) => looseWords).entries()) {
    for (const term of terms) {
      const words = isSingleCharacter(term) ? byCharacter : byForm;
      const form = stemOf(term);
      if (!words.has(form)) words.set(form, word);
    }
  }
  const look = (term: string): number => {
    const form = stemOf(term);
    const word = byForm.get(form);
    if (word !== undefined || !isUnspacedTerm(term)) return word ?? -1;
    return byCharacter.get(String.fromCodePoint(form.codePointAt(0)!)) ?? -1;
  };
  // Texts repeat their words, and stemming takes a while.
  const known = new Map<string, number>();
  return {
    wordOf(term) {
      let word = known.get(term);
      if (word === undefined) {
        word = look(term);
        known.set(term, word);
      }
      return word;
    },
  };
}

/** The words of a question in the files of a skill. */
export interface FileMatches {
  /**
   * Name of the file whose text matches the words best. If none has any of them, it is `SKILL.md`, or the first file if
   * there is no `SKILL.md`.
   */
  readonly filename: string;
  /** The terms in all files that answer the words, each once, in the order of the text. */
  readonly terms: readonly string[];
}

const MAIN_FILE = 'SKILL.md';

/**
 * The most characters read of all files of a skill together, so that a skill with very much text does not delay the
 * others.
 */
const MAX_READ_TOGETHER = 4 * MAX_READ;

/** Controls how soon further repetitions of a word stop counting, like k1 of BM25. */
const SATURATION = 1.2;

/** Reads every file once; only the beginning of a very long file. */
export function matchFiles(files: KeywordDocument['files'], asked: AskedWords): FileMatches {
  const main = files.find(({ filename }) => filename === MAIN_FILE) ?? files[0];
  const terms = new Set<string>();
  let left = MAX_READ_TOGETHER;
  let best = main?.filename ?? MAIN_FILE;
  let most = 0;
  for (const file of files) {
    const text = file.text.slice(0, Math.min(MAX_READ, left));
    left -= text.length;
    const score = scoreText(text, asked, terms);
    if (score > most || (score === most && score > 0 && file === main)) [best, most] = [file.filename, score];
  }
  return { filename: best, terms: [...terms] };
}

/** Each word counts 1, and a little more if it is repeated. */
function scoreText(text: string, asked: AskedWords, terms: Set<string>): number {
  const counts = new Map<number, number>();
  const read = normaliseText(text);
  visitWords(read, (other, _kind, _position, _span, start, end) => {
    const term = other ?? plainTerm(read, start, end);
    const word = asked.wordOf(term);
    if (word < 0) return;
    counts.set(word, (counts.get(word) ?? 0) + 1);
    terms.add(term);
  });
  let score = 0;
  for (const count of counts.values()) score += 1 + count / (count + SATURATION);
  return score;
}
