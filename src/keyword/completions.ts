import {
  compareCodePoints,
  foldAccents,
  lowerBoundBy,
  stemOf,
  type TermNumber,
  topOf,
  typedNameKey,
  typedWord,
} from '../core/index.js';
import { countDocuments } from './document-sets.js';
import { COMPLETED_FIELDS, type CompletedWord, type CountedText, INNER, type KeywordIndex } from './keyword-index.js';
import { type CountedTerm, type KeywordSource, listsOf } from './keyword-source.js';
import { firstEntry } from './packed-keywords.js';
import { type PostingList, sizeOf, standsAlone } from './posting-list.js';
import { readQuestion, type StopWords, stopWordsOf } from './question.js';
import type { OpenSegment } from './segments.js';
import { numbersIn, StringTable } from './term-dictionary.js';

/** The most frequent words that begin with the letters; the words before say which of them fit. */
const CANDIDATES = 32;

/**
 * Texts that complete the last word of a text, best first; each with the number of documents that have the word. None
 * if its last word is done, or there are no others that say which words fit.
 *
 * @param stopWords are no completions, and nothing that a completion has to fit; by default those of the text's
 *   language
 */
export function completeWord(index: KeywordIndex, text: string, stopWords?: StopWords): CountedText[] {
  const typed = typedWord(text);
  if (typed === undefined) return [];
  const { before, letters } = typed;
  const question = readQuestion(`${before}${letters}`, stopWords);
  const leftOut = stopWords ?? stopWordsOf(question.language);
  const words = question.words.filter(({ terms: [term] }) => term !== letters && !leftOut.has(foldAccents(term!)));
  if (words.length === 0) return [];
  const said = new Set(words.map(({ terms }) => stemOf(terms[0]!)));
  const found = index.wordsBeginning(letters, {
    limit: CANDIDATES,
    isLeftOut: (term) => term === letters || leftOut.has(foldAccents(term)) || said.has(stemOf(term)),
    words,
  });
  return firstOfStems(fittingFirst(found)).map((word) => ({ text: `${before}${word.text}`, count: word.count }));
}

/**
 * Puts words first that go with those before: by the cosine of the two sets of documents. A word that no document has
 * together with those before is of no use.
 */
function fittingFirst(found: readonly CompletedWord[]): readonly CompletedWord[] {
  const fitOf = ({ together = 0, count }: CompletedWord): number => together / Math.sqrt(count);
  // The sort is stable: of equal words the one that more documents have stays first.
  return found.filter((word) => fitOf(word) > 0).sort((a, b) => fitOf(b) - fitOf(a));
}

/** Forms of one word find the same documents, so one of them is enough. */
function firstOfStems(words: readonly CompletedWord[]): CompletedWord[] {
  const seen = new Set<string>();
  return words.filter(({ text }) => {
    const stem = stemOf(text);
    return !seen.has(stem) && seen.add(stem);
  });
}

/** The lists of terms in the fields whose words complete what is typed. */
export function completedLists(source: Pick<KeywordSource, 'addLists'>, terms: readonly TermNumber[]): PostingList[] {
  return listsOf(source, terms, INNER - 1).filter(({ field }) => COMPLETED_FIELDS.includes(field));
}

/** The order of words: those that more documents have first, then as in a dictionary. */
export function compareWords(a: CountedText, b: CountedText): number {
  return (
    b.count - a.count ||
    compareCodePoints(foldAccents(a.text), foldAccents(b.text)) ||
    compareCodePoints(a.text, b.text)
  );
}

/** A term that may complete a word. */
interface Candidate {
  readonly text: string;
  /** By segment that has it, its number there. */
  readonly terms: ReadonlyMap<OpenSegment, TermNumber>;
  /** At least the number of documents that have it. */
  readonly most: number;
}

/**
 * Words of segments, see `KeywordIndex.wordsBeginning`. Most words are in the largest segment only. What it has stored
 * of them counts its gone documents, too. So a few more of them are looked at than are wanted, and counted, until no
 * other can come before those.
 */
export function wordsBeginning(segments: readonly OpenSegment[], letters: string, limit: number): CountedTerm[] {
  const [largest, ...others] = [...segments].sort((a, b) => b.keywords.size - a.keywords.size);
  if (largest === undefined) return [];
  const { dictionary, pager, keywords } = largest;
  const { terms, termCounts } = keywords.completions;
  const [from, to] = dictionary.rangeOfPrefix(letters).map((term) => firstEntry(terms, term, pager)) as [
    number,
    number,
  ];
  pager.need(terms, from, to);
  pager.need(termCounts, from, to);
  const entries = numbersIn(from, to);
  const touched = candidatesIn(others, largest, letters);
  const known = new Set(touched.map(({ text }) => text));
  for (let looked = limit; ; looked *= 2) {
    // Terms are numbered in the order that decides between equal counts.
    const stored = topOf(entries, (a, b) => termCounts[b]! - termCounts[a]! || a - b, 0, looked).map((entry) => {
      const term = terms[entry]!;
      return { text: dictionary.termAt(term), terms: new Map([[largest, term]]), most: termCounts[entry]! };
    });
    const counted = [...stored.filter(({ text }) => !known.has(text)), ...touched.slice(0, looked)]
      .map(countedTerm)
      .filter(({ count }) => count > 0)
      .sort(compareWords)
      .slice(0, limit);
    if (largest.hasAll && touched.length === 0) return counted;
    const others = Math.max(0, ...[stored, touched].map((list) => list[looked - 1]?.most ?? 0));
    if (others === 0 || (counted.length === limit && counted[limit - 1]!.count > others)) return counted;
  }
}

/** The terms of some segments that begin with letters, those first that most documents may have. */
function candidatesIn(segments: readonly OpenSegment[], largest: OpenSegment, letters: string): Candidate[] {
  const found = new Map<string, { text: string; terms: Map<OpenSegment, TermNumber>; most: number }>();
  for (const segment of segments) {
    for (const term of numbersIn(...segment.dictionary.rangeOfPrefix(letters))) {
      const most = sizeOf(completedLists(segment, [segment.firstTerm + term]));
      if (most === 0) continue;
      const text = segment.dictionary.termAt(term);
      const candidate = found.get(text) ?? { text, terms: new Map(), most: 0 };
      found.set(text, candidate);
      candidate.terms.set(segment, term);
      candidate.most += most;
    }
  }
  for (const candidate of found.values()) {
    const term = largest.dictionary.find(candidate.text);
    if (term === undefined) continue;
    candidate.terms.set(largest, term);
    candidate.most += storedCount(largest, term) ?? sizeOf(completedLists(largest, [largest.firstTerm + term]));
  }
  return [...found.values()].sort((a, b) => b.most - a.most);
}

/** Counts the documents that are left and have a term in name, labels or description; 0 if it completes no word. */
function countedTerm({ text, terms }: Candidate): CountedTerm {
  let [count, completes] = [0, false];
  for (const [segment, term] of terms) {
    const stored = storedCount(segment, term);
    if (stored !== undefined && segment.hasAll) {
      count += stored;
      completes = true;
      continue;
    }
    const lists = completedLists(segment, [segment.firstTerm + term]);
    count += countDocuments(lists);
    if (stored === undefined || completes) continue;
    // It may have stood by itself only where it is gone.
    segment.needPositions(lists);
    completes = lists.some((list) => standsAlone(list));
  }
  const numbers = Array.from(terms, ([{ firstTerm }, term]) => firstTerm + term);
  return { text, count: completes ? count : 0, terms: numbers };
}

/** The number of documents that have a term, gone ones included; undefined for a term that completes no word. */
function storedCount({ keywords, pager }: OpenSegment, term: TermNumber): number | undefined {
  const { terms, termCounts } = keywords.completions;
  const entry = firstEntry(terms, term, pager);
  pager.need(terms, entry, Math.min(entry + 1, terms.length));
  if (terms[entry] !== term) return undefined;
  pager.need(termCounts, entry, entry + 1);
  return termCounts[entry]!;
}

/** Names of segments, see `KeywordIndex.namesBeginning`. */
export function namesBeginning(segments: readonly OpenSegment[], text: string, limit: number): CountedText[] {
  const spellings = new NameSpellings(text);
  for (const segment of segments) {
    const { keywords, pager, hasAll } = segment;
    const { names, nameCounts } = keywords.completions;
    const table = new StringTable(names, pager);
    const [from, to] = spellings.rangeIn(table);
    if (hasAll && segments.length === 1) {
      pager.need(nameCounts, from, to);
      pager.need(names.starts, from, to + 1);
      const lengthOf = (name: number): number => names.starts[name + 1]! - names.starts[name]!;
      // Of names with the same key, one has a count.
      return topOf(
        numbersIn(from, to),
        (a, b) => nameCounts[b]! - nameCounts[a]! || lengthOf(a) - lengthOf(b) || a - b,
        0,
        limit,
        (name) => nameCounts[name]! > 0,
      ).map((name) => ({ text: table.at(name), count: nameCounts[name]! }));
    }
    const counts = segment.countNames();
    for (let name = from; name < to; name++) if (counts[name]! > 0) spellings.add(table.at(name), counts[name]!);
  }
  return spellings.mostFrequent(limit);
}

/**
 * Counts the names that begin with a text. Those that do not differ but in case, accents, white space and punctuation
 * count as one.
 */
export class NameSpellings {
  readonly #beginning: string;
  /** By key, the number of documents with each spelling. */
  readonly #byKey = new Map<string, Map<string, number>>();

  constructor(beginning: string) {
    this.#beginning = typedNameKey(beginning);
  }

  /** Passes over names that do not begin with the text. */
  add(name: string, count: number): void {
    const key = typedNameKey(name);
    if (this.#beginning === '' || !key.startsWith(this.#beginning)) return;
    const ofKey = this.#byKey.get(key) ?? new Map<string, number>();
    this.#byKey.set(key, ofKey.set(name, (ofKey.get(name) ?? 0) + count));
  }

  /** The names in the order of their keys that begin with the text: the first, and the one behind the last. */
  rangeIn(names: StringTable): readonly [from: number, to: number] {
    const beginning = this.#beginning;
    if (beginning === '') return [0, 0];
    const keyAt = (name: number): string => typedNameKey(names.at(name));
    const isBefore = (key: string): boolean => compareCodePoints(key, beginning) < 0;
    return [
      lowerBoundBy(names.size, (name) => isBefore(keyAt(name))),
      lowerBoundBy(names.size, (name) => keyAt(name).startsWith(beginning) || isBefore(keyAt(name))),
    ];
  }

  /** The names that most documents have, each in the first of its most frequent spellings. */
  mostFrequent(limit: number): CountedText[] {
    return Array.from(this.#byKey, ([key, spellings]) => {
      const sorted = [...spellings].sort(([a, x], [b, y]) => y - x || compareCodePoints(a, b));
      const [text] = sorted[0]!;
      return { key, text, count: sorted.reduce((sum, [, one]) => sum + one, 0), bytes: Buffer.byteLength(text) };
    })
      .sort((a, b) => b.count - a.count || a.bytes - b.bytes || compareCodePoints(a.key, b.key))
      .slice(0, limit)
      .map(({ text, count }) => ({ text, count }));
  }
}
