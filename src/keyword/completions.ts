import {
  type Comparator,
  compareCodePoints,
  foldAccents,
  lowerBoundBy,
  stemOf,
  type TermNumber,
  typedNameKey,
  typedWord,
} from '../core/index.js';
import type { AnswerReader } from './answers.js';
import { bitsOf, countDocuments, type DocumentSets } from './document-sets.js';
import {
  COMPLETED_FIELDS,
  type CompletedWord,
  type CompletionOptions,
  type CountedText,
  INNER,
  type KeywordIndex,
} from './keyword-index.js';
import { GONE } from './packed-keywords.js';
import { planSteps } from './plan-steps.js';
import { AloneReader, type PostingList } from './posting-list.js';
import { type QuestionWord, readQuestion, type StopWords, stopWordsOf } from './question.js';
import type { IndexTerms, OpenSegment } from './segments.js';
import { StringTable } from './term-dictionary.js';
import { Work } from './work.js';

/** The most frequent words that begin with the letters; the words before say which of them fit. */
const CANDIDATES = 32;

/**
 * Texts that complete the last word of a text, best first; each with the number of documents that have the word. None
 * if its last word is done.
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
 * together with those before is of no use, unless that is so for all.
 */
function fittingFirst(found: readonly CompletedWord[]): readonly CompletedWord[] {
  const fitOf = ({ together = 0, count }: CompletedWord): number => together / Math.sqrt(count);
  const fitting = found.filter((word) => fitOf(word) > 0);
  // The sort is stable: of equal words the one that more documents have stays first.
  return fitting.length === 0 ? found : fitting.sort((a, b) => fitOf(b) - fitOf(a));
}

/** Forms of one word find the same documents, so one of them is enough. */
function firstOfStems(words: readonly CompletedWord[]): CompletedWord[] {
  const seen = new Set<string>();
  return words.filter(({ text }) => {
    const stem = stemOf(text);
    return !seen.has(stem) && seen.add(stem);
  });
}

/** Completes what is typed. */
export type Completions = Pick<KeywordIndex, 'wordsBeginning' | 'namesBeginning'>;

/**
 * Completes by the words and names of some segments.
 *
 * @returns undefined if there is no segment
 */
export function completionsOf(segments: readonly OpenSegment[], together: TogetherCounter): Completions | undefined {
  // Most words and names are in the largest segment only, so that one is looked through, and the others are added.
  const [largest, ...others] = [...segments].sort((a, b) => b.keywords.size - a.keywords.size);
  if (largest === undefined) return undefined;
  const words = new SegmentWords(largest, others, together);
  const names = new SegmentNames(largest, others);
  return {
    wordsBeginning: (letters, options) => words.beginning(letters, options),
    namesBeginning: (text, limit) => names.beginning(text, limit),
  };
}

/** Most work of the words before the one that is completed; see `Work`. */
const WORDS_WORK = 300_000;

/** Most postings of the terms that are counted. One takes a nanosecond. */
const MOST_POSTINGS = 1_000_000;

/** Counts the documents that have some words and a term. */
export class TogetherCounter {
  readonly #answers: AnswerReader;
  readonly #terms: IndexTerms;
  readonly #sets: DocumentSets;
  /** The documents of the words asked for last, one bit each: while a word is typed, it is asked for several times. */
  #last: { readonly key: string; readonly bits: Uint32Array | undefined } | undefined;
  readonly #size: number;

  constructor(size: number, answers: AnswerReader, terms: IndexTerms, sets: DocumentSets) {
    this.#size = size;
    this.#answers = answers;
    this.#terms = terms;
    this.#sets = sets;
  }

  /**
   * How many documents have all words, as in the first step, and each of some terms, as it stands, in name, labels or
   * description.
   *
   * @param terms the numbers of each term: one in each segment that has it
   * @returns undefined without words, and if that is too much work
   */
  count(words: readonly QuestionWord[], terms: readonly (readonly TermNumber[])[]): number[] | undefined {
    if (words.length === 0) return undefined;
    const key = words.map((word) => word.terms.join(' ')).join('\n');
    if (this.#last?.key !== key) this.#last = { key, bits: this.#documentsOf(words) };
    const { bits } = this.#last;
    if (bits === undefined) return undefined;
    let left = MOST_POSTINGS;
    const counts: number[] = [];
    for (const numbers of terms) {
      const lists = numbers.flatMap((term) => completedLists(this.#terms, term));
      left -= lists.reduce((sum, { size }) => sum + size, 0);
      if (left < 0) return undefined;
      counts.push(countDocuments(lists, bits));
    }
    return counts;
  }

  /** @returns undefined if the work is not afforded */
  #documentsOf(words: readonly QuestionWord[]): Uint32Array | undefined {
    const question = { text: '', language: 'en', words, looseWords: words, lastWord: undefined, phrases: [] };
    const work = new Work(WORDS_WORK);
    const [plan] = planSteps(question, () => false);
    const answers = plan === undefined ? undefined : this.#answers.termsOf(plan, work);
    const answered =
      plan === undefined || answers === undefined ? undefined : this.#answers.wordsOf(plan, answers, work);
    const documents = answered === undefined ? [] : this.#sets.withAll(answered, undefined, work);
    return work.truncated ? undefined : bitsOf(documents, this.#size);
  }
}

/** The lists of a term in the fields whose words complete what is typed. */
export function completedLists(terms: Pick<IndexTerms, 'listsOf'>, term: TermNumber): PostingList[] {
  return terms.listsOf(term, INNER - 1).filter(({ field }) => COMPLETED_FIELDS.includes(field));
}

/** A term that may complete a word. */
interface Candidate {
  readonly text: string;
  /** Its number in the largest segment, or that of the first term behind it there. */
  readonly place: TermNumber;
  /** Whether the largest segment has it. */
  readonly isThere: boolean;
  /** Its numbers among the terms of all segments. */
  readonly numbers: TermNumber[];
  /** Number of documents of the other segments that have it. */
  others: number;
  /** Whether it completes a word by what is in the other segments. */
  completes: boolean;
}

/** A candidate with the number of its documents, or at least so many. */
interface Counted {
  readonly candidate: Candidate;
  readonly count: number;
}

/** A small segment, with what is known of its terms. */
interface OtherSegment {
  readonly segment: OpenSegment;
  readonly counts: TermCounts;
  readonly places: Map<TermNumber, Pick<Candidate, 'text' | 'place' | 'isThere'>>;
}

/** Words that begin with some letters, see `KeywordIndex.wordsBeginning`. */
class SegmentWords {
  readonly #largest: OpenSegment;
  readonly #counts: TermCounts;
  readonly #others: readonly OtherSegment[];
  readonly #together: TogetherCounter;

  constructor(largest: OpenSegment, others: readonly OpenSegment[], together: TogetherCounter) {
    this.#largest = largest;
    this.#counts = new TermCounts(largest);
    this.#others = others.map((segment) => ({ segment, counts: new TermCounts(segment), places: new Map() }));
    this.#together = together;
  }

  beginning(letters: string, { limit, isLeftOut, words }: CompletionOptions): CompletedWord[] {
    const found = this.#first(letters, limit).filter(({ candidate }) => !isLeftOut(candidate.text));
    const numbers = found.map(({ candidate }) => candidate.numbers);
    const together = this.#together.count(words, numbers);
    return found.map(({ candidate: { text }, count }, i) => ({ text, count, together: together?.[i] }));
  }

  /**
   * The first terms by their number of documents. What the largest segment has stored counts its gone documents, too.
   * So a few more terms are looked at than are wanted, and counted, until no other can come before those.
   */
  #first(letters: string, limit: number): Counted[] {
    const { dictionary, pager, keywords, hasAll } = this.#largest;
    const { terms, termCounts } = keywords.completions;
    const touched = this.#inOthers(letters);
    const [first, behind] = dictionary.rangeOfPrefix(letters);
    const [from, to] = [this.#counts.firstEntry(first), this.#counts.firstEntry(behind)];
    pager.need(terms, from, to);
    pager.need(termCounts, from, to);
    const atMost = [...touched.values()].map((candidate) => ({ candidate, count: this.#atMost(candidate) }));
    atMost.sort(compareCounted);
    // Terms are numbered in the order that decides between equal counts.
    const compare = (a: number, b: number): number => termCounts[b]! - termCounts[a]! || a - b;
    for (let looked = limit; ; looked *= 2) {
      const stored = firstOf(from, to, compare, looked).map((i) => ({
        candidate: this.#candidateAt(terms[i]!),
        count: termCounts[i]!,
      }));
      if (hasAll && touched.size === 0) return stored;
      const alone = stored.filter(({ candidate }) => !touched.has(candidate.text));
      const counted = [...alone, ...atMost.slice(0, looked)].map(({ candidate }) => this.#count(candidate));
      const best = counted.filter(({ count }) => count > 0).sort(compareCounted);
      // No term that was not looked at comes before the last of those that were.
      const bounds = [stored, atMost].flatMap((list) => (list.length < looked ? [] : [list[looked - 1]!]));
      const last = best[limit - 1];
      const isDone =
        last === undefined ? bounds.length === 0 : bounds.every((bound) => compareCounted(last, bound) <= 0);
      if (isDone) return best.slice(0, limit);
    }
  }

  /** The terms of the other segments that begin with some letters, by text. */
  #inOthers(letters: string): ReadonlyMap<string, Candidate> {
    const found = new Map<string, Candidate>();
    for (const { segment, counts, places } of this.#others) {
      const [from, to] = segment.dictionary.rangeOfPrefix(letters);
      for (let term = from; term < to; term++) {
        const { count, completes } = counts.of(term);
        if (count === 0) continue;
        let known = places.get(term);
        if (known === undefined) {
          known = this.#placeOf(segment.dictionary.termAt(term));
          places.set(term, known);
        }
        let candidate = found.get(known.text);
        if (candidate === undefined) {
          const numbers = known.isThere ? [this.#largest.firstTerm + known.place] : [];
          candidate = { ...known, numbers, others: 0, completes: false };
          found.set(known.text, candidate);
        }
        candidate.numbers.push(segment.firstTerm + term);
        candidate.others += count;
        candidate.completes ||= completes;
      }
    }
    return found;
  }

  #placeOf(text: string): Pick<Candidate, 'text' | 'place' | 'isThere'> {
    const { dictionary } = this.#largest;
    const place = dictionary.placeOf(text);
    return { text, place, isThere: place < dictionary.size && dictionary.termAt(place) === text };
  }

  /** A term that only the largest segment has. */
  #candidateAt(term: TermNumber): Candidate {
    const { dictionary, firstTerm } = this.#largest;
    const numbers = [firstTerm + term];
    return { text: dictionary.termAt(term), place: term, isThere: true, numbers, others: 0, completes: false };
  }

  /** At least the number of documents that have a term. */
  #atMost({ place, isThere, others }: Candidate): number {
    return isThere ? others + (this.#counts.storedCount(place) ?? this.#counts.of(place).count) : others;
  }

  /** Counts the documents that have a term; 0 if it completes no word. */
  #count(candidate: Candidate): Counted {
    const { place, isThere, others, completes } = candidate;
    const inLargest = isThere ? this.#counts.of(place) : { count: 0, completes: false };
    return { candidate, count: completes || inLargest.completes ? others + inLargest.count : 0 };
  }
}

/** The order of words: those that more documents have first, then the order of terms. */
function compareCounted(a: Counted, b: Counted): number {
  return b.count - a.count || compareTerms(a.candidate, b.candidate);
}

function compareTerms(a: Candidate, b: Candidate): number {
  if (a.place !== b.place) return a.place - b.place;
  if (a.isThere !== b.isThere) return a.isThere ? 1 : -1;
  return compareCodePoints(foldAccents(a.text), foldAccents(b.text)) || compareCodePoints(a.text, b.text);
}

/** What a segment knows of a term that may complete a word. */
interface TermCount {
  /** Number of documents that are left and have it in name, labels or description. */
  readonly count: number;
  /** Whether it completes a word: it does, and stands by itself in any of them. */
  readonly completes: boolean;
}

/** Counts the documents of terms in one segment. Remembers what it counted. */
class TermCounts {
  readonly #segment: OpenSegment;
  readonly #known = new Map<TermNumber, TermCount>();
  readonly #reader: AloneReader;

  constructor(segment: OpenSegment) {
    this.#segment = segment;
    this.#reader = new AloneReader(segment.keywords.postings);
  }

  /** @param term by its number in the segment */
  of(term: TermNumber): TermCount {
    let count = this.#known.get(term);
    if (count === undefined) {
      count = this.#read(term);
      this.#known.set(term, count);
    }
    return count;
  }

  /** The first entry of the segment's completions whose term is not less than a given one. */
  firstEntry(term: TermNumber): number {
    const { keywords, pager } = this.#segment;
    const { terms } = keywords.completions;
    return lowerBoundBy(terms.length, (i) => {
      pager.need(terms, i, i + 1);
      return terms[i]! < term;
    });
  }

  /** The number of documents that have a term, gone ones included; undefined for a term that completes no word. */
  storedCount(term: TermNumber): number | undefined {
    const { keywords, pager } = this.#segment;
    const { terms, termCounts } = keywords.completions;
    const entry = this.firstEntry(term);
    pager.need(terms, entry, Math.min(entry + 1, terms.length));
    if (terms[entry] !== term) return undefined;
    pager.need(termCounts, entry, entry + 1);
    return termCounts[entry]!;
  }

  #read(term: TermNumber): TermCount {
    const segment = this.#segment;
    const stored = this.storedCount(term);
    if (stored !== undefined && segment.hasAll) return { count: stored, completes: true };
    const lists = completedLists(segment, term);
    const count = countDocuments(lists);
    if (stored === undefined) return { count, completes: false };
    // It may have stood by itself only where it is gone.
    segment.needPositions(lists);
    return { count, completes: lists.some((list) => this.#reader.standsAlone(list)) };
  }
}

/** A name in one of its spellings, or in that of most documents. */
interface CountedName extends CountedText {
  readonly key: string;
  /** Length of the text in UTF-8. */
  readonly bytes: number;
}

/** Names that begin with a text, see `KeywordIndex.namesBeginning`. */
class SegmentNames {
  readonly #largest: NamesOfSegment;
  readonly #others: readonly NamesOfSegment[];
  /** By name of the largest segment, its `nameCounts` without documents that are gone; made for the first answer. */
  #nameCounts: Uint32Array | undefined;
  /** By key, the names of the largest segment that have it. */
  readonly #groups = new Map<string, readonly [from: number, to: number]>();

  constructor(largest: OpenSegment, others: readonly OpenSegment[]) {
    this.#largest = new NamesOfSegment(largest);
    this.#others = others.map((segment) => new NamesOfSegment(segment));
  }

  beginning(text: string, limit: number): CountedText[] {
    const key = typedNameKey(text);
    if (key === '') return [];
    const largest = this.#largest;
    const { pager, keywords } = largest.segment;
    const [from, to] = largest.rangeOfPrefix(key);
    const { starts } = keywords.completions.names;
    const counts = this.#countsOfLargest(from, to);
    pager.need(starts, from, to + 1);
    const lengthOf = (name: number): number => starts[name + 1]! - starts[name]!;
    const touched = this.#inOthers(key);
    // Of names with the same key, one has a count. One that others have, too, only comes earlier by that.
    const best = firstOf(from, to, (a, b) => counts[b]! - counts[a]! || lengthOf(a) - lengthOf(b) || a - b, limit);
    const first = best.filter((name) => counts[name]! > 0);
    if (touched.size === 0) return first.map((name) => ({ text: largest.textAt(name), count: counts[name]! }));
    const alone = first
      .map((name) => ({
        text: largest.textAt(name),
        key: largest.keyAt(name),
        count: counts[name]!,
        bytes: lengthOf(name),
      }))
      .filter((name) => !touched.has(name.key));
    return [...alone, ...touched.values()]
      .sort((a, b) => b.count - a.count || a.bytes - b.bytes || compareCodePoints(a.key, b.key))
      .slice(0, limit)
      .map((name) => ({ text: name.text, count: name.count }));
  }

  #countsOfLargest(from: number, to: number): Uint32Array {
    const { keywords, pager, hasAll, numbers = [] } = this.#largest.segment;
    const { nameCounts, nameOf } = keywords.completions;
    if (hasAll) {
      pager.need(nameCounts, from, to);
      return nameCounts;
    }
    if (this.#nameCounts === undefined) {
      pager.need(nameCounts);
      pager.need(nameOf);
      const counts = nameCounts.slice();
      for (let i = 0; i < numbers.length; i++) if (numbers[i] === GONE) this.#countGroup(nameOf[i]!, counts);
      this.#nameCounts = counts;
    }
    return this.#nameCounts;
  }

  /** Counts the names of one key again: all at the first of the most frequent spellings. */
  #countGroup(name: number, counts: Uint32Array): void {
    const bySpelling = this.#largest.counts;
    const [from, to] = this.#largest.groupOf(name);
    let [best, total] = [from, 0];
    for (let one = from; one < to; one++) {
      total += bySpelling[one]!;
      if (bySpelling[one]! > bySpelling[best]!) best = one;
    }
    counts.fill(0, from, to);
    counts[best] = total;
  }

  /** The names of the other segments that begin with a key, by key, with the documents of all segments. */
  #inOthers(prefix: string): ReadonlyMap<string, CountedName> {
    const spellings = new Map<string, Map<string, number>>();
    for (const names of this.#others) {
      const { counts } = names;
      const [from, to] = names.rangeOfPrefix(prefix);
      for (let name = from; name < to; name++) {
        if (counts[name] === 0) continue;
        const key = names.keyAt(name);
        let ofKey = spellings.get(key);
        if (ofKey === undefined) {
          ofKey = this.#spellingsInLargest(key);
          spellings.set(key, ofKey);
        }
        const text = names.textAt(name);
        ofKey.set(text, (ofKey.get(text) ?? 0) + counts[name]!);
      }
    }
    return new Map(Array.from(spellings, ([key, ofKey]) => [key, mostFrequent(key, ofKey)]));
  }

  #spellingsInLargest(key: string): Map<string, number> {
    const largest = this.#largest;
    let group = this.#groups.get(key);
    if (group === undefined) {
      const from = largest.firstNotBefore(key);
      const isThere = from < largest.counts.length && largest.keyAt(from) === key;
      group = isThere ? largest.groupOf(from) : [from, from];
      this.#groups.set(key, group);
    }
    const spellings = new Map<string, number>();
    for (let name = group[0]; name < group[1]; name++) spellings.set(largest.textAt(name), largest.counts[name]!);
    return spellings;
  }
}

/** All documents of a key, in the first of the most frequent spellings. */
export function mostFrequent(key: string, spellings: ReadonlyMap<string, number>): CountedName {
  const sorted = [...spellings].sort(([a, x], [b, y]) => y - x || compareCodePoints(a, b));
  const [text] = sorted[0]!;
  const count = sorted.reduce((sum, [, one]) => sum + one, 0);
  return { key, text, count, bytes: Buffer.byteLength(text) };
}

/** The names of a segment. */
class NamesOfSegment {
  readonly segment: OpenSegment;
  readonly #names: StringTable;
  #counts: Uint32Array | undefined;

  constructor(segment: OpenSegment) {
    this.segment = segment;
    this.#names = new StringTable(segment.keywords.completions.names, segment.pager);
  }

  textAt(name: number): string {
    return this.#names.at(name);
  }

  keyAt(name: number): string {
    return typedNameKey(this.#names.at(name));
  }

  /** The first name whose key is not before another in code-point order. */
  firstNotBefore(key: string): number {
    return lowerBoundBy(this.#names.size, (name) => compareCodePoints(this.keyAt(name), key) < 0);
  }

  /** The names whose keys begin with some characters: the first, and the one behind the last. */
  rangeOfPrefix(key: string): readonly [from: number, to: number] {
    const to = lowerBoundBy(this.#names.size, (name) => {
      const other = this.keyAt(name);
      return compareCodePoints(other, key) < 0 || other.startsWith(key);
    });
    return [this.firstNotBefore(key), to];
  }

  /** The names around one that have its key. */
  groupOf(name: number): readonly [from: number, to: number] {
    const key = this.keyAt(name);
    let [from, to] = [name, name + 1];
    while (from > 0 && this.keyAt(from - 1) === key) from -= 1;
    while (to < this.#names.size && this.keyAt(to) === key) to += 1;
    return [from, to];
  }

  /** By name, the number of documents that are left and have it. */
  get counts(): Uint32Array {
    if (this.#counts === undefined) {
      const { keywords, pager } = this.segment;
      const { nameOf } = keywords.completions;
      pager.need(nameOf);
      this.#counts = new Uint32Array(this.#names.size);
      for (let i = 0; i < nameOf.length; i++) {
        const name = nameOf[i]!;
        if (this.segment.numberOf(i) !== GONE) this.#counts[name] = this.#counts[name]! + 1;
      }
    }
    return this.#counts;
  }
}

/** The first few of the numbers from `from` up to `to` in an order. */
function firstOf(from: number, to: number, compare: Comparator, limit: number): number[] {
  const first: number[] = [];
  for (let i = from; i < to; i++) {
    if (first.length === limit && compare(i, first[limit - 1]!) > 0) continue;
    let at = first.length === limit ? limit - 1 : first.length;
    for (; at > 0 && compare(i, first[at - 1]!) < 0; at--) first[at] = first[at - 1]!;
    first[at] = i;
  }
  return first;
}
