import type { Pager } from '../../arrays/pager.js';
import type { TermNumber } from '../../numbers.js';
import { lastFieldOf } from '../index-fields.js';
import type { QuestionWord } from '../question.js';
import { RecentlyUsed } from '../recently-used.js';
import type { StepPlan } from '../steps/plan-steps.js';
import type { PackedPostings } from './packed-postings.js';
import { PostingList } from './posting-list.js';
import type { TermDictionary } from './term-dictionary.js';

/** Number of words whose posting lists are kept, and of these lists all together, some hundred bytes each. */
const WORDS_KEPT = 10_000;
const LISTS_KEPT = 50_000;

/** With more terms than this, making the key of a word takes longer than remembering the word saves. */
const MANY_TERMS = 64;

/** By term of the question, the terms of the catalogue that answer it. */
export type AnsweringTerms = ReadonlyMap<string, ReadonlySet<TermNumber>>;

/** The posting lists of the terms that answer a word. */
interface WordLists {
  readonly lists: readonly PostingList[];
  /** The term of each list. */
  readonly termOf: readonly TermNumber[];
  /** Sum of the sizes of the lists. */
  readonly size: number;
  /** Equal for words with the same lists; undefined for words of very many lists. */
  readonly key: string | undefined;
}

/** A word of a question with the posting lists that answer it. */
export interface AnsweredWord extends WordLists {
  readonly asked: QuestionWord;
}

/** Finds the terms that answer a question in one step, and their posting lists. */
export class AnswerReader {
  readonly #postings: PackedPostings;
  readonly #terms: TermDictionary;
  readonly #pager: Pager;
  readonly #recentWords = new RecentlyUsed<WordLists>(WORDS_KEPT, LISTS_KEPT, ({ lists }) => lists.length);

  constructor(postings: PackedPostings, terms: TermDictionary, pager: Pager) {
    this.#postings = postings;
    this.#terms = terms;
    this.#pager = pager;
  }

  /** The terms that answer the words and phrases of a step. */
  termsOf(plan: StepPlan): AnsweringTerms {
    const answers = new Map<string, ReadonlySet<TermNumber>>();
    const answer = (term: string): void => {
      if (!answers.has(term)) answers.set(term, new Set(this.#terms.find(plan.lookup(term))));
    };
    for (const word of plan.words) for (const term of word.terms) answer(term);
    for (const phrase of plan.phrases) for (const token of phrase.tokens) answer(token.term);
    return answers;
  }

  /** The words of a step with their posting lists. */
  wordsOf(plan: StepPlan, answers: AnsweringTerms): AnsweredWord[] {
    const lastField = lastFieldOf(plan.everywhere);
    return plan.words.map((asked) => {
      const read = (): WordLists => this.#readLists(asked, answers, lastField);
      // Prefixes and edits are looked up in one step of a question, stems in every step of many questions.
      const isKept = asked.terms.every((term) => plan.lookup(term).kind === 'stem');
      const lists = isKept ? this.#recentWords.get(`${lastField}:${asked.terms.join(' ')}`, read) : read();
      return { asked, ...lists };
    });
  }

  /**
   * The posting lists of a term.
   *
   * @param lastField the last field that counts
   */
  *listsOf(term: TermNumber, lastField: number): Generator<PostingList> {
    const { listStarts, listFields } = this.#postings;
    this.#pager.need(listStarts, term, term + 2);
    const [from, to] = [listStarts[term]!, listStarts[term + 1]!];
    this.#pager.need(listFields, from, to);
    for (let list = from; list < to && listFields[list]! <= lastField; list++) {
      yield new PostingList(this.#postings, list, this.#pager);
    }
  }

  #readLists({ terms: asked }: QuestionWord, answers: AnsweringTerms, lastField: number): WordLists {
    const terms = new Set<TermNumber>();
    for (const one of asked) for (const term of answers.get(one) ?? []) terms.add(term);
    const lists: PostingList[] = [];
    const termOf: TermNumber[] = [];
    let size = 0;
    for (const term of terms) {
      for (const list of this.listsOf(term, lastField)) {
        lists.push(list);
        termOf.push(term);
        size += list.size;
      }
    }
    const key = terms.size > MANY_TERMS ? undefined : `${lastField}:${[...terms].join()}`;
    return { termOf, lists, size, key };
  }
}
