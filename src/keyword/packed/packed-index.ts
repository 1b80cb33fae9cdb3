import { ALL_IN_MEMORY, type Pager } from '../../arrays/pager.js';
import type { DocumentNumber } from '../../numbers.js';
import { type CorrectedWord, SCORED_FIELDS } from '../../result.js';
import { beginningsOf } from '../../text/name-beginnings.js';
import { nameKey } from '../../text/name-key.js';
import { rankAnyWord } from '../any-word-ranking.js';
import { inverseDocumentFrequency } from '../bm25.js';
import { FILES, lastFieldOf, SCORED_OF } from '../index-fields.js';
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
} from '../keyword-index.js';
import { LengthNorms } from '../length-norms.js';
import type { Question, QuestionWord } from '../question.js';
import { scoreMatches } from '../score-matches.js';
import { applyTiers } from '../score-tiers.js';
import { ScoringSpace } from '../scoring-space.js';
import { correctedWords } from '../steps/corrected-words.js';
import { asItStands, type Lookup } from '../steps/lookup.js';
import { planSteps, type StepPlan } from '../steps/plan-steps.js';
import { OccurrenceReader, recentWords, type WordOccurrences } from '../word-occurrences.js';
import { Work } from '../work.js';
import { acceptedTerms } from './accepted-terms.js';
import { type AnsweredWord, type AnsweringTerms, AnswerReader } from './answer-reader.js';
import { CompletionReader } from './completion-reader.js';
import { bitsOf, countDocuments } from './count-documents.js';
import { DocumentSets } from './document-sets.js';
import { documentsOfKey, type NameTable } from './name-table.js';
import { documentsWithOtherAccents } from './other-accents.js';
import type { PackedKeywords } from './packed-keywords.js';
import { PhraseFinder } from './phrase-finder.js';
import type { PostingList } from './posting-list.js';
import { TermDictionary } from './term-dictionary.js';
import { TogetherCounter } from './together.js';

/** Share of the work that is kept for scores while documents are looked for. */
const HELD_FOR_SCORES = 0.2;

/** Adding a list to the scores costs as much as reading this many postings, and that for each posting read. */
const LIST_COST = 30;

/** Before ranking by a word, finding its frequency costs for each of its postings as much as reading so many. */
const COUNTING_COST = 2;

/** {@link KeywordIndex} over typed arrays: sorted terms, posting lists with frequencies and positions. */
export class PackedIndex implements KeywordIndex {
  readonly size: number;
  readonly #packed: PackedKeywords;
  readonly #documents: DocumentSource;
  readonly #pager: Pager;
  readonly #terms: TermDictionary;
  readonly #answers: AnswerReader;
  readonly #sets: DocumentSets;
  readonly #phrases: PhraseFinder;
  /** Undefined for a file of an earlier version. */
  readonly #completions: CompletionReader | undefined;
  /** By scored field; made for the first scores. */
  #norms: readonly LengthNorms[] | undefined;
  readonly #recentWords = recentWords();
  readonly #reader: OccurrenceReader;
  readonly #space: ScoringSpace;

  /** @param pager reads the parts of arrays that are needed, for an index in a file */
  constructor(packed: PackedKeywords, documents: DocumentSource, pager: Pager = ALL_IN_MEMORY) {
    this.size = packed.size;
    this.#packed = packed;
    this.#documents = documents;
    this.#pager = pager;
    this.#terms = new TermDictionary(packed.dictionary, pager);
    this.#answers = new AnswerReader(packed.postings, this.#terms, pager);
    this.#sets = new DocumentSets(packed.size);
    this.#phrases = new PhraseFinder(packed.postings, this.#sets);
    const { completions } = packed;
    if (completions !== undefined) {
      const together = new TogetherCounter(packed.size, this.#answers, this.#sets);
      this.#completions = new CompletionReader(completions, this.#terms, together, pager);
    }
    this.#reader = new OccurrenceReader(packed.size);
    this.#space = new ScoringSpace(packed.size);
  }

  match(question: Question, options: MatchOptions = {}): KeywordMatches {
    const { filter, scored = false, work = new Work() } = options;
    const occurs = (lookup: Lookup): boolean => (this.#terms.find(lookup, work) ?? []).length > 0;
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
        scores: scored ? this.#score(documents, question, plan, words, work) : undefined,
        accepting: () => acceptedTerms(plan, answers, this.#terms),
        corrected: () => (plan.step === 'typo' ? this.#corrected(question, plan, answers, documents) : []),
      };
    }
    return {
      step: undefined,
      documents: new Uint32Array(),
      scores: undefined,
      accepting: () => () => false,
      corrected: () => [],
    };
  }

  #corrected(question: Question, plan: StepPlan, answers: AnsweringTerms, documents: Uint32Array): CorrectedWord[] {
    const found = bitsOf(documents, this.size);
    return correctedWords(question, plan, ({ terms: [asked] }) =>
      (answers.get(asked!) ?? []).map((term) => ({
        text: this.#terms.termAt(term),
        count: countDocuments(this.#answers.listsOf(term, FILES), found),
      })),
    );
  }

  rank(question: Question, options: RankOptions): RankedDocuments {
    const { work = new Work() } = options;
    const words = this.#affordedWords(question.looseWords, work);
    const occurrences = words.map((word) => this.#occurrencesOf(word));
    const weights = words.map(({ weight }) => weight);
    return rankAnyWord(occurrences, weights, this.#lengthNorms(), options, this.#space);
  }

  /** The words of a question that there is enough work for: the most frequent are left out first. */
  #affordedWords(words: readonly QuestionWord[], work: Work): QuestionWord[] {
    const costs = new Map(words.map((word) => [word, COUNTING_COST * this.#postingsOf(word)]));
    const byCost = [...words].sort((a, b) => costs.get(a)! - costs.get(b)!);
    const afforded = new Set(byCost.filter((word) => work.affords(costs.get(word)!)));
    return words.filter((word) => afforded.has(word));
  }

  named({ text }: Question): readonly DocumentNumber[] {
    const key = nameKey(text);
    return this.#ofKey(this.#packed.names, key, (name) => nameKey(name) === key);
  }

  beginning({ text }: Question): readonly DocumentNumber[] {
    const key = nameKey(text);
    return this.#ofKey(this.#packed.beginnings, key, (name) => beginningsOf(name).includes(key));
  }

  wordsBeginning(letters: string, options: CompletionOptions): readonly CompletedWord[] {
    return this.#completions?.words(letters, options) ?? [];
  }

  namesBeginning(text: string, limit: number): readonly CountedText[] {
    return this.#completions?.names(text, limit) ?? [];
  }

  /**
   * Documents with equal hashes have equal keys. Whether that is the key in question, the name of one of them shows. A
   * document that is damaged by now has no name.
   */
  #ofKey(table: NameTable, key: string, fits: (name: string) => boolean): readonly DocumentNumber[] {
    const found = documentsOfKey(table, key, this.#pager);
    for (const document of found) {
      const { name } = this.#documents.read(document);
      if (name !== '') return fits(name) ? found : [];
    }
    return found;
  }

  #lengthNorms(): readonly LengthNorms[] {
    const { lengths, totalLengths, greatestLengths } = this.#packed;
    for (const array of [lengths, totalLengths, greatestLengths]) this.#pager.need(array);
    this.#norms ??= SCORED_FIELDS.map((_, field) => {
      const ofField = lengths.subarray(field * this.size, (field + 1) * this.size);
      return new LengthNorms(ofField, totalLengths[field]!, greatestLengths[field]!);
    });
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
    const lastField = lastFieldOf(everywhere);
    const listsOf = (asked: string): PostingList[] =>
      (answers.get(asked) ?? []).flatMap((term) => this.#answers.listsOf(term, lastField));
    const needPositions = (lists: readonly PostingList[]): void => this.#answers.needPositions(lists);
    return this.#phrases.filter(found, { phrases, everywhere, listsOf, needPositions }, work);
  }

  #withHalf(words: readonly AnsweredWord[], filter: Uint8Array | undefined, work: Work): Uint32Array {
    const idfOf = (documentFrequency: number): number => inverseDocumentFrequency(this.size, documentFrequency);
    const weights = words.map(({ asked }) => asked.weight);
    return this.#sets.withHalf(words, filter, idfOf, weights, work);
  }

  /** Scores documents. Without enough work for all words, the most frequent do not count. */
  #score(
    documents: Uint32Array,
    question: Question,
    plan: StepPlan,
    words: readonly AnsweredWord[],
    work: Work,
  ): Float64Array {
    const counting = new Set(
      [...words].sort((a, b) => a.size - b.size).filter((word) => work.affords(scoringCost(word, documents.length))),
    );
    const matched = words
      .filter((word) => counting.has(word))
      .map((word) => ({
        weight: word.asked.weight,
        documentFrequency: this.#sets.frequencyOf(word),
        lists: this.#byScoredField(word.lists),
      }));
    const scores = scoreMatches(documents, matched, this.#lengthNorms(), this.#space);
    const isBeginning = ({ terms }: QuestionWord): boolean =>
      terms.every((term) => ['prefix', 'character'].includes(plan.lookup(term).kind));
    applyTiers(documents, scores, {
      exactNames: this.named(question),
      nameBeginnings: this.beginning(question),
      otherAccents: words.map((word) =>
        documentsWithOtherAccents(documents, word, isBeginning(word.asked), this.#sets, this.#terms, work),
      ),
    });
    return scores;
  }

  #occurrencesOf({ terms: asked }: QuestionWord): WordOccurrences {
    return this.#recentWords.get(asked.join(' '), () =>
      this.#reader.wordOf(this.#byScoredField(this.#listsOf(asked)), this.#lengthNorms()),
    );
  }

  /** Number of postings of a word, in all fields and forms. */
  #postingsOf({ terms: asked }: QuestionWord): number {
    const known = this.#recentWords.peek(asked.join(' '));
    return known?.postings ?? this.#listsOf(asked).reduce((sum, { size }) => sum + size, 0);
  }

  /** The posting lists of the terms that answer some terms as they stand or by their stem. */
  #listsOf(asked: readonly string[]): PostingList[] {
    const terms = new Set(asked.flatMap((term) => this.#terms.find(asItStands(term)) ?? []));
    return [...terms].flatMap((term) => this.#answers.listsOf(term, FILES));
  }

  /** The lists by scored field, with their frequencies read. */
  #byScoredField(lists: readonly PostingList[]): PostingList[][] {
    this.#answers.needFrequencies(lists);
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
