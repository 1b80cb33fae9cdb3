import type { TermNumber } from '../../core/index.js';
import { lastFieldOf } from '../index-fields.js';
import type { QuestionWord } from '../question.js';
import { RecentlyUsed } from '../recently-used.js';
import type { StepPlan } from '../steps/plan-steps.js';
import type { Work } from '../work.js';
import type { ListReader } from './list-reader.js';
import type { PostingList } from './posting-list.js';
import type { TermSource } from './term-source.js';

/** Number of words whose posting lists are kept, and of these lists all together, some hundred bytes each. */
const WORDS_KEPT = 10_000;
const LISTS_KEPT = 50_000;

/** With more terms than this, making the key of a word takes longer than remembering the word saves. */
const MANY_TERMS = 64;

/** Making a posting list costs as much as reading this many postings. */
const LIST_COST = 20;

/** By term of the question, the terms of the catalogue that answer it, each once. */
export type AnsweringTerms = ReadonlyMap<string, readonly TermNumber[]>;

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
  readonly #terms: TermSource;
  readonly #lists: ListReader;
  readonly #recentWords = new RecentlyUsed<WordLists>(WORDS_KEPT, LISTS_KEPT, ({ lists }) => lists.length);

  constructor(terms: TermSource, lists: ListReader) {
    this.#terms = terms;
    this.#lists = lists;
  }

  /**
   * The terms that answer the words and phrases of a step.
   *
   * @returns undefined if no skill can match, because a required word has no terms, or if the work is not afforded
   */
  termsOf(plan: StepPlan, work: Work): AnsweringTerms | undefined {
    const answers = new Map<string, readonly TermNumber[]>();
    const answer = (term: string): readonly TermNumber[] | undefined => {
      let found = answers.get(term);
      if (found === undefined) {
        found = this.#terms.find(plan.lookup(term), work);
        if (found !== undefined) answers.set(term, found);
      }
      return found;
    };
    for (const word of plan.words) {
      let count = 0;
      for (const term of word.terms) count += answer(term)?.length ?? 0;
      if (work.truncated || (count === 0 && plan.required === 'all')) return undefined;
    }
    for (const phrase of plan.phrases) for (const token of phrase.tokens) answer(token.term);
    return work.truncated ? undefined : answers;
  }

  /**
   * The words of a step with their posting lists.
   *
   * @returns undefined if the work is not afforded
   */
  wordsOf(plan: StepPlan, answers: AnsweringTerms, work: Work): AnsweredWord[] | undefined {
    const lastField = lastFieldOf(plan.everywhere);
    const words: AnsweredWord[] = [];
    for (const asked of plan.words) {
      // Prefixes and edits are looked up in one step of a question, stems in every step of many questions.
      const isKept = asked.terms.every((term) => plan.lookup(term).kind === 'stem');
      const terms = asked.terms.reduce((sum, term) => sum + (answers.get(term)?.length ?? 0), 0);
      if (!work.affords(terms * LIST_COST)) return undefined;
      const read = (): WordLists => this.#readLists(asked, answers, lastField);
      const lists = isKept ? this.#recentWords.get(`${lastField}:${asked.terms.join(' ')}`, read) : read();
      words.push({ asked, ...lists });
    }
    return words;
  }

  #readLists({ terms: asked }: QuestionWord, answers: AnsweringTerms, lastField: number): WordLists {
    const terms = distinctTerms(asked, answers);
    const lists: PostingList[] = [];
    const termOf: TermNumber[] = [];
    this.#lists.addLists(terms, lastField, lists, termOf);
    let size = 0;
    for (let l = 0; l < lists.length; l++) size += lists[l]!.size;
    const key = terms.length > MANY_TERMS ? undefined : `${lastField}:${terms.join()}`;
    return { termOf, lists, size, key };
  }
}

/** The terms that answer any of some terms of a question. */
function distinctTerms(asked: readonly string[], answers: AnsweringTerms): readonly TermNumber[] {
  const [only] = asked;
  if (asked.length === 1) return answers.get(only!) ?? [];
  const terms = new Set<TermNumber>();
  for (const one of asked) for (const term of answers.get(one) ?? []) terms.add(term);
  return [...terms];
}
