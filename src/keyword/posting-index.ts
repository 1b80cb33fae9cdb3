import { beginningsOf, type DocumentNumber, nameKey, type Pieces, typedWord } from '../core/index.js';
import { type CorrectedWord, SCORED_FIELDS } from '../result.js';
import {
  type AnsweredWord,
  type AnsweringTerms,
  AnswerReader,
  acceptedTerms,
  documentsWithOtherAccents,
} from './answers.js';
import {
  AnyWordRanking,
  type FieldReading,
  keyOf,
  type RankedWord,
  RankingSpace,
  readingOf,
  readRankedWord,
  recentWords,
} from './any-word-ranking.js';
import { inverseDocumentFrequency, type LengthNorms } from './bm25.js';
import { completedLists } from './completions.js';
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
import { lastFieldOf, SCORED_OF } from './keyword-index.js';
import { type CountedTerm, type KeywordSource, listsOf } from './keyword-source.js';
import { documentsWithPhrases, type PhraseStep } from './phrase-finder.js';
import { asItStands, correctedWords, type Lookup, type PlannedStep, planSteps, type StepPlan } from './plan-steps.js';
import { type PostingList, sizeOf } from './posting-list.js';
import type { Question, QuestionWord } from './question.js';
import type { RecentlyUsed } from './recently-used.js';
import { bestMatches, ScoreTiers } from './score-matches.js';
import { Work } from './work.js';

/** Share of the work that is kept for scores while documents are looked for. */
const HELD_FOR_SCORES = 0.2;

/** Adding a list to the scores costs as much as reading this many postings, and that for each posting read. */
const LIST_COST = 30;

/** Before ranking by a word, reading it costs for each of its postings as much as reading so many. */
const READING_COST = 4;

/** {@link KeywordIndex} over posting lists with frequencies. */
export class PostingIndex implements KeywordIndex {
  readonly size: number;
  readonly #source: KeywordSource;
  readonly #documents: DocumentSource;
  readonly #answers: AnswerReader;
  readonly #sets: DocumentSets;
  /** By scored field; made for the first scores. */
  #norms: readonly LengthNorms[] | undefined;
  readonly #recentWords: RecentlyUsed<RankedWord>;
  /** One that no ranking has now. More are made only while several rankings are on their way. */
  #spare: RankingSpace | undefined;
  /** The documents of the words beside a completed one, one bit each: while it is typed, they are asked for each time. */
  #beside: { readonly key: string; readonly bits: Uint32Array | undefined } | undefined;

  constructor(source: KeywordSource, documents: DocumentSource) {
    const { size } = documents;
    this.size = size;
    this.#source = source;
    this.#documents = documents;
    this.#answers = new AnswerReader(source);
    this.#sets = new DocumentSets(size);
    this.#recentWords = recentWords(size);
  }

  match(question: Question, options: MatchOptions = {}): KeywordMatches {
    const { filter, scored = false, work = new Work(), inEnglish, corrections } = options;
    const occurs = (lookup: Lookup): boolean =>
      (this.#source.find(lookup, work) ?? []).some((term) => listsOf(this.#source, [term]).length > 0);
    for (const plan of planSteps(question, occurs, inEnglish, corrections)) {
      // What a later step finds may be more than the present one would have found with enough work.
      if (work.truncated) break;
      if (scored) work.hold(HELD_FOR_SCORES);
      const found = this.#find(plan, filter, work);
      if (found === undefined) continue;
      const { answers, words, documents } = found;
      work.hold(0);
      if (documents.length === 0) continue;
      return {
        step: plan.step,
        documents,
        words: plan.words,
        best: scored ? this.#best(documents, plan, words, work) : undefined,
        accepting: () => acceptedTerms(plan, answers, this.#source),
        corrected: () => (plan.step === 'typo' ? this.#corrected(plan, answers, documents) : []),
      };
    }
    return {
      step: undefined,
      documents: new Uint32Array(),
      words: [],
      best: undefined,
      accepting: () => () => false,
      corrected: () => [],
    };
  }

  #corrected(plan: PlannedStep, answers: AnsweringTerms, documents: Uint32Array): CorrectedWord[] {
    const found = bitsOf(documents, this.size);
    return correctedWords(plan, ({ terms: [asked] }) => {
      // A term that several segments have is counted in each.
      const counts = new Map<string, number>();
      for (const term of answers.get(asked!) ?? []) {
        const text = this.#source.termAt(term);
        counts.set(text, (counts.get(text) ?? 0) + countDocuments(listsOf(this.#source, [term]), found));
      }
      return Array.from(counts, ([text, count]) => ({ text, count }));
    });
  }

  *rank(question: Question, options: RankOptions): Pieces<RankedDocuments> {
    const { work = new Work() } = options;
    const norms = this.#lengthNorms();
    const reading = readingOf(norms, options.weights);
    const asked = yield* this.#affordedWords(question.looseWords, reading, work);
    const space = this.#spare ?? new RankingSpace(this.size);
    this.#spare = undefined;
    const words: RankedWord[] = [];
    for (const word of asked) words.push(yield* this.#readWord(word, reading, space));
    const weights = asked.map(({ weight }) => weight);
    const ranked = yield* new AnyWordRanking(words, weights, reading, this.size).best(options, space);
    // One of a ranking that was broken off is not clean, and does not come back.
    this.#spare = space;
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

  named({ text, typed = text }: Question): readonly DocumentNumber[] {
    const key = nameKey(typed);
    return this.#ofKey(this.#source.documentsOf('names', key), (name) => nameKey(name) === key);
  }

  beginning({ text, typed }: Question): readonly DocumentNumber[] {
    const key = nameKey(typed ?? text);
    const whole = this.#ofKey(this.#source.documentsOf('beginnings', key), (name) => beginningsOf(name).includes(key));
    if (typed === undefined) return whole;
    const names = this.namesBeginning(typed, MOST_NAMES);
    const others = names.flatMap((name) => this.#source.documentsOf('names', nameKey(name.text)));
    return [...new Set([...whole, ...others])].sort((a, b) => a - b);
  }

  wordsBeginning(letters: string, { limit, isLeftOut, words }: CompletionOptions): readonly CompletedWord[] {
    const found = this.#source.wordsBeginning(letters, limit).filter(({ text }) => !isLeftOut(text));
    const together = this.#countTogether(words, found);
    return found.map(({ text, count }, i) => ({ text, count, together: together?.[i] }));
  }

  /**
   * How many documents have all words, as in the first step, and each of some terms, as it stands, in name, labels or
   * description.
   *
   * @returns undefined without words, and if that is too much work
   */
  #countTogether(words: readonly QuestionWord[], terms: readonly CountedTerm[]): number[] | undefined {
    if (words.length === 0) return undefined;
    const key = words.map((word) => word.terms.join(' ')).join('\n');
    if (this.#beside?.key !== key) this.#beside = { key, bits: this.#documentsOf(words) };
    const { bits } = this.#beside;
    if (bits === undefined) return undefined;
    let left = MOST_POSTINGS;
    const counts: number[] = [];
    for (const { terms: numbers } of terms) {
      const lists = completedLists(this.#source, numbers);
      left -= sizeOf(lists);
      if (left < 0) return undefined;
      counts.push(countDocuments(lists, bits));
    }
    return counts;
  }

  /** @returns undefined if the work is not afforded */
  #documentsOf(words: readonly QuestionWord[]): Uint32Array | undefined {
    const work = new Work(WORDS_WORK);
    const plan = { step: 'all-words', words, phrases: [], lookup: asItStands, everywhere: false, required: 'all' };
    const found = this.#find(plan as StepPlan, undefined, work);
    return work.truncated ? undefined : bitsOf(found?.documents ?? [], this.size);
  }

  namesBeginning(text: string, limit: number): readonly CountedText[] {
    return this.#source.namesBeginning(text, limit);
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
    this.#norms ??= this.#source.readNorms();
    return this.#norms;
  }

  /**
   * What answers a step, and the documents that pass the filter, ascending.
   *
   * @returns undefined if no document can match, or the work is not afforded
   */
  #find(plan: StepPlan, filter: Uint8Array | undefined, work: Work): FoundInStep | undefined {
    const answers = this.#answers.termsOf(plan, work);
    const words = answers === undefined ? undefined : this.#answers.wordsOf(plan, answers, work);
    if (answers === undefined || words === undefined) return undefined;
    const { phrases, everywhere, required } = plan;
    const idfOf = (documentFrequency: number): number => inverseDocumentFrequency(this.size, documentFrequency);
    const weights = words.map(({ asked }) => asked.weight);
    const documents =
      required === 'all'
        ? this.#sets.withAll(words, filter, work)
        : this.#sets.withHalf(words, filter, idfOf, weights, work);
    if (phrases.length === 0 || documents.length === 0) return { answers, words, documents };
    const source = this.#source;
    const step: PhraseStep = {
      phrases,
      everywhere,
      listsOf: (asked) => listsOf(source, answers.get(asked) ?? [], lastFieldOf(everywhere)),
      needPositions: (lists) => source.needPositions(lists),
    };
    return { answers, words, documents: documentsWithPhrases(documents, step, work) };
  }

  /**
   * What finds the best of some documents. Without enough work for all words, the most frequent do not count. The work
   * is that of scoring all documents, whatever is passed over then: what an answer lacks does not depend on its page.
   */
  #best(documents: Uint32Array, plan: PlannedStep, words: readonly AnsweredWord[], work: Work): KeywordMatches['best'] {
    const counting = new Set(
      [...words].sort((a, b) => a.size - b.size).filter((word) => work.affords(scoringCost(word, documents.length))),
    );
    const isBeginning = ({ terms }: QuestionWord): boolean =>
      terms.every((term) => ['prefix', 'character'].includes(plan.lookup(term).kind));
    const otherAccents = words.map((word) =>
      documentsWithOtherAccents(documents, word, isBeginning(word.asked), this.#sets, this.#source, work),
    );
    return (options) => {
      const matched = words
        .filter((word) => counting.has(word))
        .map((word) => ({
          weight: word.asked.weight,
          documentFrequency: this.#sets.frequencyOf(word),
          lists: this.#byScoredField(word.lists),
        }));
      const [exactNames, nameBeginnings] = [this.named(plan.question), this.beginning(plan.question)];
      // What has an unfinished word as a whole word comes before what only has it as a beginning.
      const whole = typedWord(plan.question.typed ?? '')?.letters;
      if (whole !== undefined && plan.step === 'prefix') {
        const lists = this.#listsOf([whole], lastFieldOf(plan.everywhere));
        const documentFrequency = this.#sets.frequencyOf({ lists, size: sizeOf(lists), key: undefined });
        matched.push({ weight: 1, documentFrequency, lists: this.#byScoredField(lists) });
      }
      const tiers = new ScoreTiers(documents, { exactNames, nameBeginnings, otherAccents });
      return bestMatches({ tiers, words: matched, norms: this.#lengthNorms(), size: this.size }, options);
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
    return known?.postings ?? sizeOf(this.#listsOf(asked));
  }

  /** The posting lists of the terms that answer some terms as they stand or by their stem. */
  #listsOf(asked: readonly string[], lastField?: number): PostingList[] {
    const terms = new Set(asked.flatMap((term) => this.#source.find(asItStands(term)) ?? []));
    return listsOf(this.#source, [...terms], lastField);
  }

  /** The lists by scored field, with their frequencies read. */
  #byScoredField(lists: readonly PostingList[]): PostingList[][] {
    this.#source.needFrequencies(lists);
    const fields: PostingList[][] = SCORED_FIELDS.map(() => []);
    for (const list of lists) fields[SCORED_OF[list.field]!]!.push(list);
    return fields;
  }
}

/** What one step finds. */
interface FoundInStep {
  readonly answers: AnsweringTerms;
  readonly words: readonly AnsweredWord[];
  readonly documents: Uint32Array;
}

/** Most names that begin with what is typed, the most frequent ones. */
const MOST_NAMES = 200;

/** Most work of the words beside the one that is completed; see `Work`. */
const WORDS_WORK = 300_000;

/** Most postings of the terms that are counted together with them. One takes a nanosecond. */
const MOST_POSTINGS = 1_000_000;

/** Work of scoring documents by a word: finding its frequency, and the documents in its lists. */
function scoringCost({ lists, size }: AnsweredWord, documents: number): number {
  let cost = documents + (lists.length < 2 ? 0 : size);
  for (const list of lists) cost += LIST_COST + 2 * Math.min(list.size, documents);
  return cost;
}
