import type { TermNumber } from '../../core/index.js';
import type { AnswerReader } from '../answers.js';
import type { DocumentSets } from '../document-sets.js';
import { bitsOf, countDocuments } from '../document-sets.js';
import { COMPLETED_FIELDS, INNER } from '../index-fields.js';
import { planSteps } from '../plan-steps.js';
import type { PostingList } from '../posting-list.js';
import type { QuestionWord } from '../question.js';
import { Work } from '../work.js';
import type { ListReader } from './list-reader.js';

/** Most work of the words before the one that is completed; see `Work`. */
const WORDS_WORK = 300_000;

/** Most postings of the terms that are counted. One takes a nanosecond. */
const MOST_POSTINGS = 1_000_000;

/** Counts the documents that have some words and a term. */
export class TogetherCounter {
  readonly #answers: AnswerReader;
  readonly #lists: ListReader;
  readonly #sets: DocumentSets;
  /** The documents of the words asked for last, one bit each: who types a word asks several times. */
  #last: { readonly key: string; readonly bits: Uint32Array | undefined } | undefined;
  readonly #size: number;

  constructor(size: number, answers: AnswerReader, lists: ListReader, sets: DocumentSets) {
    this.#size = size;
    this.#answers = answers;
    this.#lists = lists;
    this.#sets = sets;
  }

  /**
   * How many documents have all words, as in the first step, and each of some terms, as it stands, in name, labels or
   * description.
   *
   * @param terms the numbers of each term: one in each segment that has it
   * @returns undefined if that is too much work
   */
  count(words: readonly QuestionWord[], terms: readonly (readonly TermNumber[])[]): number[] | undefined {
    const key = words.map((word) => word.terms.join(' ')).join('\n');
    if (this.#last?.key !== key) this.#last = { key, bits: this.#documentsOf(words) };
    const { bits } = this.#last;
    if (bits === undefined) return undefined;
    let left = MOST_POSTINGS;
    const counts: number[] = [];
    for (const numbers of terms) {
      const lists = numbers.flatMap((term) => this.#listsOf(term));
      left -= lists.reduce((sum, { size }) => sum + size, 0);
      if (left < 0) return undefined;
      counts.push(countDocuments(lists, bits));
    }
    return counts;
  }

  #listsOf(term: TermNumber): PostingList[] {
    return this.#lists.listsOf(term, INNER - 1).filter(({ field }) => COMPLETED_FIELDS.includes(field));
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
