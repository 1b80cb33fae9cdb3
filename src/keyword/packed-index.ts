import {
  compareCodePoints,
  DamagedArrayFileError,
  type DocumentNumber,
  foldAccents,
  type Pieces,
  type TermNumber,
} from '../core/index.js';
import { SCORED_FIELDS } from '../result.js';
import { LengthNorms } from './bm25.js';
import { collectKeywords } from './build/collect-keywords.js';
import { namesBeginning, wordsBeginning } from './completions.js';
import type {
  CompletedWord,
  CompletionOptions,
  CountedText,
  DocumentSource,
  KeywordIndex,
  KeywordMatches,
  MatchOptions,
  RankedDocuments,
  RankOptions,
} from './keyword-index.js';
import type { CountedTerm, KeywordSource } from './keyword-source.js';
import { documentsOfKey, GONE } from './packed-keywords.js';
import type { Lookup } from './plan-steps.js';
import { PostingIndex } from './posting-index.js';
import type { PostingList } from './posting-list.js';
import type { Question } from './question.js';
import { RecentlyUsed } from './recently-used.js';
import { checkNumbers, OpenSegment, type Segment } from './segments.js';
import { LOOKUP_COST, letterGroupOf, lettersOf, TERM_COST } from './term-dictionary.js';
import { Work } from './work.js';

/**
 * The index over packed segments: the one of a load, and small ones of documents that came later. Documents of any of
 * them may be gone. It answers as one segment of the documents that are left would: each document is in one segment, so a
 * word has the lists of all segments, and everything that is counted is counted over these. Only the work of a question
 * is another, so an answer that a bound cuts may be cut elsewhere.
 */
export class PackedIndex extends PostingIndex {
  /**
   * @param segments each document is in one of them
   * @param documents those that are left
   * @throws {DamagedArrayFileError} if the numbers of the segments are not those of the catalogue
   */
  constructor(segments: readonly Segment[], documents: DocumentSource) {
    super(new Segments(segments, documents.size), documents);
  }
}

/** Number of words whose terms are remembered, and number of their terms in all, four bytes each. */
const WORDS_REMEMBERED = 20_000;
const TERMS_REMEMBERED = 500_000;

/**
 * The terms of all segments. A look-up may find terms that only documents have which are gone: they have no lists. Work
 * is counted for each segment, but for that of looking one word up: all segments but one are small.
 */
class Segments implements KeywordSource {
  readonly #segments: readonly OpenSegment[];
  readonly #size: number;
  /** The terms of recent words. A question of many words looks each word up in every step. */
  readonly #termsOfWord = new RecentlyUsed<readonly TermNumber[]>(
    WORDS_REMEMBERED,
    TERMS_REMEMBERED,
    ({ length }) => length,
  );

  /**
   * Reads nothing of the arrays of the segments.
   *
   * @param size number of documents of the catalogue, each of which is in one of the segments
   * @throws {DamagedArrayFileError} if the numbers of the segments are not those of the catalogue
   */
  constructor(segments: readonly Segment[], size: number) {
    checkNumbers(segments, size);
    const opened: OpenSegment[] = [];
    for (const segment of segments) opened.push(new OpenSegment(segment, opened.at(-1)?.behindTerm ?? 0));
    this.#segments = opened;
    this.#size = size;
  }

  find(lookup: Lookup, work: Work = new Work()): readonly TermNumber[] | undefined {
    if (!work.affords(LOOKUP_COST)) return undefined;
    switch (lookup.kind) {
      case 'stem':
        return this.#termsOfWord.get(lookup.term, () => this.#withSameStem(lookup.term));
      case 'character':
      case 'prefix':
        return this.#beginningWith(lookup.term, work);
      case 'edits':
        return this.#withinEdits(foldAccents(lookup.term), lookup.edits, work);
    }
  }

  termAt(term: TermNumber): string {
    const { dictionary, firstTerm } = this.#segmentOf(term);
    return dictionary.termAt(term - firstTerm);
  }

  isAccented(term: TermNumber): boolean {
    const { dictionary, firstTerm } = this.#segmentOf(term);
    return dictionary.isAccented(term - firstTerm);
  }

  addLists(terms: readonly TermNumber[], lastField: number, lists: PostingList[], termOf?: TermNumber[]): void {
    for (const segment of this.#segments) segment.addLists(terms, lastField, lists, termOf);
  }

  needFrequencies(lists: readonly PostingList[]): void {
    for (const segment of this.#segments) segment.needFrequencies(this.#listsIn(segment, lists));
  }

  needPositions(lists: readonly PostingList[]): void {
    for (const segment of this.#segments) segment.needPositions(this.#listsIn(segment, lists));
  }

  documentsOf(table: 'names' | 'beginnings', key: string): readonly DocumentNumber[] {
    const found: DocumentNumber[] = [];
    for (const segment of this.#segments) {
      for (const document of documentsOfKey(segment.keywords[table], key, segment.pager)) {
        const number = segment.numberOf(document);
        if (number !== GONE) found.push(number);
      }
    }
    return this.#segments.length === 1 ? found : found.sort((a, b) => a - b);
  }

  readNorms(): LengthNorms[] {
    for (const { keywords, pager } of this.#segments) pager.need(keywords.lengths);
    const size = this.#size;
    return SCORED_FIELDS.map((_, field) => {
      const lengths = new Uint32Array(size);
      for (const { keywords, numbers } of this.#segments) {
        const ofField = keywords.lengths.subarray(field * keywords.size, (field + 1) * keywords.size);
        if (numbers === undefined) return new LengthNorms(ofField);
        for (let i = 0; i < numbers.length; i++) if (numbers[i] !== GONE) lengths[numbers[i]!] = ofField[i]!;
      }
      return new LengthNorms(lengths);
    });
  }

  wordsBeginning(letters: string, limit: number): readonly CountedTerm[] {
    return wordsBeginning(this.#segments, letters, limit);
  }

  namesBeginning(text: string, limit: number): readonly CountedText[] {
    return namesBeginning(this.#segments, text, limit);
  }

  #segmentOf(term: TermNumber): OpenSegment {
    let i = 0;
    while (term >= this.#segments[i]!.behindTerm) i += 1;
    return this.#segments[i]!;
  }

  #listsIn({ keywords }: OpenSegment, lists: readonly PostingList[]): readonly PostingList[] {
    return this.#segments.length === 1 ? lists : lists.filter(({ stored }) => stored === keywords.postings);
  }

  #withSameStem(text: string): readonly TermNumber[] {
    return this.#segments.flatMap(({ dictionary, firstTerm }) =>
      dictionary.withSameStem(text).map((term) => firstTerm + term),
    );
  }

  #beginningWith(text: string, work: Work): readonly TermNumber[] | undefined {
    const found: TermNumber[] = [];
    for (const { dictionary, firstTerm } of this.#segments) {
      const [from, to] = dictionary.rangeOfPrefix(text);
      if (!work.affords((to - from) * TERM_COST)) return undefined;
      for (let term = from; term < to; term++) found.push(firstTerm + term);
    }
    return found;
  }

  /**
   * A form that is near may be in one segment, and terms of its stem in another. A form that only documents have which
   * are gone leads to none. Forms come in the order that one dictionary of all segments would have them in: scores then
   * do not differ by rounding.
   *
   * @returns undefined if the work is not afforded
   */
  #withinEdits(form: string, edits: number, work: Work): readonly TermNumber[] | undefined {
    const near = new Set<string>();
    for (const segment of this.#segments) {
      const found = segment.dictionary.nearTerms(form, edits, work);
      if (found === undefined) return undefined;
      for (const term of found) if (segment.hasDocument(term)) near.add(segment.dictionary.formAt(term));
    }
    const found = new Set<TermNumber>();
    for (const one of [...near].sort(compareNear)) {
      if (!work.affords(LOOKUP_COST)) return undefined;
      for (const term of this.#withSameStem(one)) found.add(term);
    }
    return [...found];
  }
}

/** The order of `TermDictionary.nearTerms`. */
function compareNear(a: string, b: string): number {
  return a.length - b.length || letterGroupOf(lettersOf(a)) - letterGroupOf(lettersOf(b)) || compareCodePoints(a, b);
}

/**
 * An index over a file that may turn out to be damaged. A block of the file is checked when a question first needs it.
 * If it is damaged, this index reads all documents again, builds another index in memory, and answers the question and
 * all later ones from that. Building it blocks the event loop, once, but no answer is wrong or missing.
 */
export class RecoveringIndex implements KeywordIndex {
  readonly #documents: DocumentSource;
  /** The index over the file; after damage was found, the one in memory. */
  #index: KeywordIndex;

  /** @param index throws `DamagedArrayFileError` if it needs a damaged block */
  constructor(index: KeywordIndex, documents: DocumentSource) {
    this.#index = index;
    this.#documents = documents;
  }

  get size(): number {
    return this.#documents.size;
  }

  match(question: Question, options?: MatchOptions): KeywordMatches {
    const matches = this.#answer((index) => index.match(question, options), options?.work);
    const matchedIndex = this.#index;
    const again = (index: KeywordIndex): KeywordMatches =>
      index.match(question, { ...options, work: new Work(options?.work?.limit) });
    // All of these read from the file, too. If the index was replaced since, the question is matched again.
    const late = <Answer>(ask: (matches: KeywordMatches) => Answer): Answer =>
      this.#answer((index) => ask(index === matchedIndex ? matches : again(index)));
    return {
      ...matches,
      best: matches.best === undefined ? undefined : (wanted) => late((found) => found.best!(wanted)),
      accepting: () => late((found) => found.accepting()),
      corrected: () => late((found) => found.corrected()),
    };
  }

  *rank(question: Question, options: RankOptions): Pieces<RankedDocuments> {
    const { work } = options;
    const [spent, truncated] = [work?.spent ?? 0, work?.truncated ?? false];
    const index = this.#index;
    try {
      return yield* index.rank(question, options);
    } catch (error) {
      // Another question may have found the damage meanwhile.
      if (this.#index === index) this.#recoverFrom(error);
      else if (!(error instanceof DamagedArrayFileError)) throw error;
      work?.goBack(spent, truncated);
      return yield* this.#index.rank(question, options);
    }
  }

  named(question: Question): readonly DocumentNumber[] {
    return this.#answer((index) => index.named(question));
  }

  beginning(question: Question): readonly DocumentNumber[] {
    return this.#answer((index) => index.beginning(question));
  }

  wordsBeginning(letters: string, options: CompletionOptions): readonly CompletedWord[] {
    return this.#answer((index) => index.wordsBeginning(letters, options));
  }

  namesBeginning(text: string, limit: number): readonly CountedText[] {
    return this.#answer((index) => index.namesBeginning(text, limit));
  }

  /** Calls a method of the index. If the file is damaged, replaces the index and calls the method again. */
  #answer<Answer>(call: (index: KeywordIndex) => Answer, work?: Work): Answer {
    const spent = work?.spent ?? 0;
    const truncated = work?.truncated ?? false;
    try {
      return call(this.#index);
    } catch (error) {
      this.#recoverFrom(error);
      work?.goBack(spent, truncated);
      return call(this.#index);
    }
  }

  /** Makes an index in memory, if the file is damaged. */
  #recoverFrom(error: unknown): void {
    if (!(error instanceof DamagedArrayFileError)) throw error;
    this.#index = new PackedIndex([{ keywords: collectKeywords(this.#documents) }], this.#documents);
  }
}
