import { beginningsOf, type DocumentNumber, nameKey, type Pieces } from '../core/index.js';
import { type CorrectedWord, SCORED_FIELDS } from '../result.js';
import {
  type AnsweredWord,
  type AnsweringTerms,
  AnswerReader,
  acceptedTerms,
  documentsWithOtherAccents,
} from './answers.js';
import {
  type FieldReading,
  keyOf,
  type RankedWord,
  type RankingSpace,
  RankingSpaces,
  rankAnyWord,
  readingOf,
  readRankedWord,
  recentWords,
} from './any-word-ranking.js';
import { inverseDocumentFrequency, LengthNorms } from './bm25.js';
import { type Completions, completionsOf, TogetherCounter } from './completions.js';
import { bitsOf, countDocuments, DocumentSets } from './document-sets.js';
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
import { FILES, lastFieldOf, SCORED_OF } from './keyword-index.js';
import { documentsOfKey, GONE } from './packed-keywords.js';
import { PhraseFinder } from './phrase-finder.js';
import { asItStands, correctedWords, type Lookup, planSteps, type StepPlan } from './plan-steps.js';
import type { PostingList } from './posting-list.js';
import type { Question, QuestionWord } from './question.js';
import type { RecentlyUsed } from './recently-used.js';
import { bestMatches, ScoreTiers, ScoringSpace } from './score-matches.js';
import { type IndexTerms, type OpenSegment, openSegments, type Segment, SegmentTerms } from './segments.js';
import { Work } from './work.js';

/** Share of the work that is kept for scores while documents are looked for. */
const HELD_FOR_SCORES = 0.2;

/** Adding a list to the scores costs as much as reading this many postings, and that for each posting read. */
const LIST_COST = 30;

/** Before ranking by a word, reading it costs for each of its postings as much as reading so many. */
const READING_COST = 4;

/** What an index answers from: segments, or words in memory. */
export interface IndexParts {
  /** Number of documents. */
  readonly size: number;
  readonly documents: DocumentSource;
  readonly terms: IndexTerms;
  /** By scored field. */
  readonly readNorms: () => readonly LengthNorms[];
  /** Documents by the key of their names (`nameKey`), ascending; some may have another key. */
  readonly documentsOfName: (key: string) => readonly DocumentNumber[];
  /** The same by the keys of the beginnings of their names (`beginningsOf`). */
  readonly documentsOfBeginning: (key: string) => readonly DocumentNumber[];
  /** @returns undefined if there is nothing to complete */
  readonly completionsWith: (together: TogetherCounter) => Completions | undefined;
  /** Those of some documents that have the phrases of a step; left out for lists with positions. */
  readonly withPhrases?: (documents: Uint32Array, plan: StepPlan, answers: AnsweringTerms, work: Work) => Uint32Array;
}

/** {@link KeywordIndex} over posting lists with frequencies. */
export class PostingIndex implements KeywordIndex {
  readonly size: number;
  readonly #parts: IndexParts;
  readonly #documents: DocumentSource;
  readonly #terms: IndexTerms;
  readonly #answers: AnswerReader;
  readonly #sets: DocumentSets;
  readonly #phrases: PhraseFinder;
  readonly #completions: Completions | undefined;
  /** By scored field; made for the first scores. */
  #norms: readonly LengthNorms[] | undefined;
  readonly #recentWords: RecentlyUsed<RankedWord>;
  readonly #rankingSpaces: RankingSpaces;
  readonly #space: ScoringSpace;

  constructor(parts: IndexParts) {
    const { size, documents, terms } = parts;
    this.size = size;
    this.#parts = parts;
    this.#documents = documents;
    this.#terms = terms;
    this.#answers = new AnswerReader(terms);
    this.#sets = new DocumentSets(size);
    this.#phrases = new PhraseFinder(this.#sets);
    this.#completions = parts.completionsWith(new TogetherCounter(size, this.#answers, terms, this.#sets));
    this.#recentWords = recentWords(size);
    this.#rankingSpaces = new RankingSpaces(size);
    this.#space = new ScoringSpace(size);
  }

  match(question: Question, options: MatchOptions = {}): KeywordMatches {
    const { filter, scored = false, work = new Work() } = options;
    const occurs = (lookup: Lookup): boolean => this.#terms.occurs(lookup, work);
    for (const plan of planSteps(question, occurs)) {
      // What a later step finds may be more than the present one would have found with enough work.
      if (work.truncated) break;
      if (scored) work.hold(HELD_FOR_SCORES);
      const answers = this.#answers.termsOf(plan, work);
      const words = answers === undefined ? undefined : this.#answers.wordsOf(plan, answers, work);
      if (answers === undefined || words === undefined) continue;
      const documents = this.#find(plan, words, answers, filter, work);
      work.hold(0);
      if (documents.length === 0) continue;
      return {
        step: plan.step,
        documents,
        best: scored ? this.#best(documents, question, plan, words, work) : undefined,
        accepting: () => acceptedTerms(plan, answers, this.#terms),
        corrected: () => (plan.step === 'typo' ? this.#corrected(question, plan, answers, documents) : []),
      };
    }
    return {
      step: undefined,
      documents: new Uint32Array(),
      best: undefined,
      accepting: () => () => false,
      corrected: () => [],
    };
  }

  #corrected(question: Question, plan: StepPlan, answers: AnsweringTerms, documents: Uint32Array): CorrectedWord[] {
    const found = bitsOf(documents, this.size);
    return correctedWords(question, plan, ({ terms: [asked] }) => {
      // A term that several segments have is counted in each.
      const counts = new Map<string, number>();
      for (const term of answers.get(asked!) ?? []) {
        const text = this.#terms.termAt(term);
        counts.set(text, (counts.get(text) ?? 0) + countDocuments(this.#terms.listsOf(term, FILES), found));
      }
      return Array.from(counts, ([text, count]) => ({ text, count }));
    });
  }

  *rank(question: Question, options: RankOptions): Pieces<RankedDocuments> {
    const { work = new Work() } = options;
    const norms = this.#lengthNorms();
    const reading = readingOf(norms, options.weights);
    const asked = yield* this.#affordedWords(question.looseWords, reading, work);
    const space = this.#rankingSpaces.take();
    const words: RankedWord[] = [];
    for (const word of asked) words.push(yield* this.#readWord(word, reading, space));
    const weights = asked.map(({ weight }) => weight);
    const ranked = yield* rankAnyWord(words, weights, reading, options, space, this.size);
    this.#rankingSpaces.giveBack(space);
    return ranked;
  }

  /** The words of a question that there is enough work for: the most frequent are left out first. */
  *#affordedWords(words: readonly QuestionWord[], reading: FieldReading, work: Work): Pieces<QuestionWord[]> {
    const costs = new Map<QuestionWord, number>();
    for (const word of words) {
      costs.set(word, READING_COST * this.#postingsOf(word, reading));
      yield;
    }
    const byCost = [...words].sort((a, b) => costs.get(a)! - costs.get(b)!);
    const afforded = new Set(byCost.filter((word) => work.affords(costs.get(word)!)));
    return words.filter((word) => afforded.has(word));
  }

  named({ text }: Question): readonly DocumentNumber[] {
    const key = nameKey(text);
    return this.#ofKey(this.#parts.documentsOfName(key), (name) => nameKey(name) === key);
  }

  beginning({ text }: Question): readonly DocumentNumber[] {
    const key = nameKey(text);
    return this.#ofKey(this.#parts.documentsOfBeginning(key), (name) => beginningsOf(name).includes(key));
  }

  wordsBeginning(letters: string, options: CompletionOptions): readonly CompletedWord[] {
    return this.#completions?.wordsBeginning(letters, options) ?? [];
  }

  namesBeginning(text: string, limit: number): readonly CountedText[] {
    return this.#completions?.namesBeginning(text, limit) ?? [];
  }

  /**
   * Documents with equal hashes have equal keys. Whether that is the key in question, the name of one of them shows. A
   * document that is damaged by now has no name.
   */
  #ofKey(found: readonly DocumentNumber[], fits: (name: string) => boolean): readonly DocumentNumber[] {
    for (const document of found) {
      const name = this.#documents.nameOf(document);
      if (name !== '') return fits(name) ? found : [];
    }
    return found;
  }

  #lengthNorms(): readonly LengthNorms[] {
    this.#norms ??= this.#parts.readNorms();
    return this.#norms;
  }

  /** The documents that answer a step and pass the filter, ascending. */
  #find(
    plan: StepPlan,
    words: readonly AnsweredWord[],
    answers: AnsweringTerms,
    filter: Uint8Array | undefined,
    work: Work,
  ): Uint32Array {
    const { phrases, everywhere, required } = plan;
    const found = required === 'all' ? this.#sets.withAll(words, filter, work) : this.#withHalf(words, filter, work);
    if (phrases.length === 0 || found.length === 0) return found;
    if (this.#parts.withPhrases !== undefined) return this.#parts.withPhrases(found, plan, answers, work);
    const lastField = lastFieldOf(everywhere);
    const listsOf = (asked: string): PostingList[] =>
      (answers.get(asked) ?? []).flatMap((term) => this.#terms.listsOf(term, lastField));
    const needPositions = (lists: readonly PostingList[]): void => this.#terms.needPositions(lists);
    return this.#phrases.filter(found, { phrases, everywhere, listsOf, needPositions }, work);
  }

  #withHalf(words: readonly AnsweredWord[], filter: Uint8Array | undefined, work: Work): Uint32Array {
    const idfOf = (documentFrequency: number): number => inverseDocumentFrequency(this.size, documentFrequency);
    const weights = words.map(({ asked }) => asked.weight);
    return this.#sets.withHalf(words, filter, idfOf, weights, work);
  }

  /**
   * What finds the best of some documents. Without enough work for all words, the most frequent do not count. The work
   * is that of scoring all documents, whatever is passed over then: what an answer lacks does not depend on its page.
   */
  #best(
    documents: Uint32Array,
    question: Question,
    plan: StepPlan,
    words: readonly AnsweredWord[],
    work: Work,
  ): KeywordMatches['best'] {
    const counting = new Set(
      [...words].sort((a, b) => a.size - b.size).filter((word) => work.affords(scoringCost(word, documents.length))),
    );
    const isBeginning = ({ terms }: QuestionWord): boolean =>
      terms.every((term) => ['prefix', 'character'].includes(plan.lookup(term).kind));
    const otherAccents = words.map((word) =>
      documentsWithOtherAccents(documents, word, isBeginning(word.asked), this.#sets, this.#terms, work),
    );
    return (options) => {
      const matched = words
        .filter((word) => counting.has(word))
        .map((word) => ({
          weight: word.asked.weight,
          documentFrequency: this.#sets.frequencyOf(word),
          lists: this.#byScoredField(word.lists),
        }));
      const [exactNames, nameBeginnings] = [this.named(question), this.beginning(question)];
      const tiers = new ScoreTiers(documents, { exactNames, nameBeginnings, otherAccents });
      return bestMatches({ tiers, words: matched, norms: this.#lengthNorms(), space: this.#space }, options);
    };
  }

  *#readWord({ terms: asked }: QuestionWord, reading: FieldReading, space: RankingSpace): Pieces<RankedWord> {
    const key = keyOf(asked, reading);
    const word =
      this.#recentWords.peek(key) ?? (yield* readRankedWord(this.#byScoredField(this.#listsOf(asked)), reading, space));
    return this.#recentWords.get(key, () => word);
  }

  /** Number of postings of a word, in all fields and forms. */
  #postingsOf({ terms: asked }: QuestionWord, reading: FieldReading): number {
    const known = this.#recentWords.peek(keyOf(asked, reading));
    return known?.postings ?? this.#listsOf(asked).reduce((sum, { size }) => sum + size, 0);
  }

  /** The posting lists of the terms that answer some terms as they stand or by their stem. */
  #listsOf(asked: readonly string[]): PostingList[] {
    const terms = new Set(asked.flatMap((term) => this.#terms.find(asItStands(term)) ?? []));
    return [...terms].flatMap((term) => this.#terms.listsOf(term, FILES));
  }

  /** The lists by scored field, with their frequencies read. */
  #byScoredField(lists: readonly PostingList[]): PostingList[][] {
    this.#terms.needFrequencies(lists);
    const fields: PostingList[][] = SCORED_FIELDS.map(() => []);
    for (const list of lists) fields[SCORED_OF[list.field]!]!.push(list);
    return fields;
  }
}

/** Work of scoring documents by a word: finding its frequency, and the documents in its lists. */
function scoringCost({ lists, size }: AnsweredWord, documents: number): number {
  let cost = documents + (lists.length < 2 ? 0 : size);
  for (const list of lists) cost += LIST_COST + 2 * Math.min(list.size, documents);
  return cost;
}

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
    const { size } = documents;
    const opened = openSegments(segments, size);
    super({
      size,
      documents,
      terms: new SegmentTerms(opened),
      readNorms: () => readNorms(opened, size),
      documentsOfName: (key) => documentsNamed('names', key, opened),
      documentsOfBeginning: (key) => documentsNamed('beginnings', key, opened),
      completionsWith: (together) => completionsOf(opened, together),
    });
  }
}

/** The documents of a key in any segment, ascending. */
function documentsNamed(
  table: 'names' | 'beginnings',
  key: string,
  segments: readonly OpenSegment[],
): readonly DocumentNumber[] {
  const found: DocumentNumber[] = [];
  for (const segment of segments) {
    for (const document of documentsOfKey(segment.keywords[table], key, segment.pager)) {
      const number = segment.numberOf(document);
      if (number !== GONE) found.push(number);
    }
  }
  return segments.length === 1 ? found : found.sort((a, b) => a - b);
}

/**
 * The length norms of the documents, without those that are gone.
 *
 * @param size number of documents of the catalogue
 * @returns by scored field
 */
function readNorms(segments: readonly OpenSegment[], size: number): LengthNorms[] {
  for (const { keywords, pager } of segments) pager.need(keywords.lengths);
  const [only] = segments;
  if (only !== undefined && only.numbers === undefined) {
    const { lengths, totalLengths, greatestLengths } = only.keywords;
    for (const array of [totalLengths, greatestLengths]) only.pager.need(array);
    return SCORED_FIELDS.map((_, field) => {
      const ofField = lengths.subarray(field * size, (field + 1) * size);
      return new LengthNorms(ofField, totalLengths[field]!, greatestLengths[field]!);
    });
  }
  return SCORED_FIELDS.map((_, field) => {
    const lengths = new Uint32Array(size);
    for (const { keywords, numbers = [] } of segments) {
      const from = field * keywords.size;
      for (let i = 0; i < numbers.length; i++) {
        if (numbers[i] !== GONE) lengths[numbers[i]!] = keywords.lengths[from + i]!;
      }
    }
    return LengthNorms.of(lengths);
  });
}
