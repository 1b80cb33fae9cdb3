import { ALL_IN_MEMORY, type Pager } from '../../arrays/pager.js';
import type { DocumentNumber } from '../../numbers.js';
import { SCORED_FIELDS } from '../../result.js';
import { beginningsOf } from '../../text/name-beginnings.js';
import { nameKey } from '../../text/name-key.js';
import { rankAnyWord } from '../any-word-ranking.js';
import { inverseDocumentFrequency } from '../bm25.js';
import { FILES, lastFieldOf, SCORED_OF } from '../index-fields.js';
import type {
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
import { asItStands, type Lookup } from '../steps/lookup.js';
import { planSteps, type StepPlan } from '../steps/plan-steps.js';
import { OccurrenceReader, recentWords, type WordOccurrences } from '../word-occurrences.js';
import { acceptedTerms } from './accepted-terms.js';
import { type AnsweredWord, type AnsweringTerms, AnswerReader } from './answer-reader.js';
import { DocumentSets } from './document-sets.js';
import { documentsOfKey, type NameTable } from './name-table.js';
import { documentsWithOtherAccents } from './other-accents.js';
import type { PackedKeywords } from './packed-keywords.js';
import { PhraseFinder } from './phrase-finder.js';
import type { PostingList } from './posting-list.js';
import { TermDictionary } from './term-dictionary.js';

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
    this.#phrases = new PhraseFinder(packed.postings);
    this.#reader = new OccurrenceReader(packed.size);
    this.#space = new ScoringSpace(packed.size);
  }

  match(question: Question, options: MatchOptions = {}): KeywordMatches {
    const occurs = (lookup: Lookup): boolean => this.#terms.find(lookup).length > 0;
    for (const plan of planSteps(question, occurs)) {
      const answers = this.#answers.termsOf(plan);
      const words = this.#answers.wordsOf(plan, answers);
      const documents = this.#find(plan, words, answers, options.filter);
      if (documents.length === 0) continue;
      return {
        step: plan.step,
        documents,
        scores: options.scored === true ? this.#score(documents, question, words) : undefined,
        accepting: () => acceptedTerms(plan, answers, this.#terms),
      };
    }
    return { step: undefined, documents: new Uint32Array(), scores: undefined, accepting: () => () => false };
  }

  rank(question: Question, options: RankOptions): RankedDocuments {
    const words = question.looseWords.map((word) => this.#occurrencesOf(word));
    const weights = question.looseWords.map(({ weight }) => weight);
    return rankAnyWord(words, weights, this.#lengthNorms(), options, this.#space);
  }

  named({ text }: Question): readonly DocumentNumber[] {
    const key = nameKey(text);
    return this.#ofKey(this.#packed.names, key, (name) => nameKey(name) === key);
  }

  beginning({ text }: Question): readonly DocumentNumber[] {
    const key = nameKey(text);
    return this.#ofKey(this.#packed.beginnings, key, (name) => beginningsOf(name).includes(key));
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
  ): Uint32Array {
    const found = plan.required === 'all' ? this.#sets.withAll(words, filter) : this.#withHalf(words, filter);
    if (plan.phrases.length === 0 || found.length === 0) return found;
    const lastField = lastFieldOf(plan.everywhere);
    const listsOf = (asked: string): PostingList[] =>
      [...(answers.get(asked) ?? [])].flatMap((term) => [...this.#answers.listsOf(term, lastField)]);
    return this.#phrases.filter(found, plan.phrases, listsOf, plan.everywhere);
  }

  #withHalf(words: readonly AnsweredWord[], filter: Uint8Array | undefined): Uint32Array {
    const idfOf = (documentFrequency: number): number => inverseDocumentFrequency(this.size, documentFrequency);
    const weights = words.map(({ asked }) => asked.weight);
    return this.#sets.withHalf(words, filter, idfOf, weights);
  }

  #score(documents: Uint32Array, question: Question, words: readonly AnsweredWord[]): Float64Array {
    const matched = words.map((word) => ({
      weight: word.asked.weight,
      documentFrequency: this.#sets.frequencyOf(word),
      lists: byScoredField(word.lists),
    }));
    const scores = scoreMatches(documents, matched, this.#lengthNorms(), this.#space);
    applyTiers(documents, scores, {
      exactNames: this.named(question),
      nameBeginnings: this.beginning(question),
      otherAccents: words.flatMap((word) => documentsWithOtherAccents(word, this.#terms)),
    });
    return scores;
  }

  #occurrencesOf({ terms: asked }: QuestionWord): WordOccurrences {
    return this.#recentWords.get(asked.join(' '), () => {
      const terms = new Set(asked.flatMap((term) => this.#terms.find(asItStands(term))));
      const lists = [...terms].flatMap((term) => [...this.#answers.listsOf(term, FILES)]);
      return this.#reader.wordOf(byScoredField(lists), this.#lengthNorms());
    });
  }
}

/** The lists by scored field, with their frequencies read. */
function byScoredField(lists: readonly PostingList[]): PostingList[][] {
  const fields: PostingList[][] = SCORED_FIELDS.map(() => []);
  for (const list of lists) fields[SCORED_OF[list.field]!]!.push(list.needFrequencies());
  return fields;
}
