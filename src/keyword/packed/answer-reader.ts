import type { Pager } from '../../arrays/pager.js';
import type { TermNumber } from '../../numbers.js';
import { FILES, lastFieldOf } from '../index-fields.js';
import type { QuestionWord } from '../question.js';
import { RecentlyUsed } from '../recently-used.js';
import type { StepPlan } from '../steps/plan-steps.js';
import type { Work } from '../work.js';
import type { PackedPostings } from './packed-postings.js';
import { needFrequencies, needPositions, PostingList } from './posting-list.js';
import type { TermDictionary } from './term-dictionary.js';

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
  readonly #postings: PackedPostings;
  readonly #terms: TermDictionary;
  readonly #pager: Pager;
  readonly #recentWords = new RecentlyUsed<WordLists>(WORDS_KEPT, LISTS_KEPT, ({ lists }) => lists.length);

  constructor(postings: PackedPostings, terms: TermDictionary, pager: Pager) {
    this.#postings = postings;
    this.#terms = terms;
    this.#pager = pager;
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

  /**
   * The posting lists of a term.
   *
   * @param lastField the last field that counts
   */
  listsOf(term: TermNumber, lastField: number): PostingList[] {
    const lists: PostingList[] = [];
    this.#need(term, term + 1, lastField);
    this.#addLists(term, lastField, lists);
    return lists;
  }

  /** Reads the frequencies of some lists if they are still in the file. */
  needFrequencies(lists: readonly PostingList[]): void {
    for (const [from, to] of rangesOf(lists)) needFrequencies(this.#postings, from, to, this.#pager);
  }

  /** Reads the positions, and the frequencies, of some lists if they are still in the file. */
  needPositions(lists: readonly PostingList[]): void {
    for (const [from, to] of rangesOf(lists)) needPositions(this.#postings, from, to, this.#pager);
  }

  #readLists({ terms: asked }: QuestionWord, answers: AnsweringTerms, lastField: number): WordLists {
    const terms = distinctTerms(asked, answers);
    const lists: PostingList[] = [];
    const termOf: TermNumber[] = [];
    let size = 0;
    this.#needAll(terms, lastField);
    for (let t = 0; t < terms.length; t++) {
      const first = lists.length;
      this.#addLists(terms[t]!, lastField, lists);
      for (let l = first; l < lists.length; l++) {
        termOf.push(terms[t]!);
        size += lists[l]!.size;
      }
    }
    const key = terms.length > MANY_TERMS ? undefined : `${lastField}:${terms.join()}`;
    return { termOf, lists, size, key };
  }

  #addLists(term: TermNumber, lastField: number, lists: PostingList[]): void {
    const { listStarts, listFields, entryStarts, documents } = this.#postings;
    const from = listStarts[term]!;
    const to = listStarts[term + 1]!;
    let list = from;
    for (; list < to && listFields[list]! <= lastField; list++) {
      lists.push(new PostingList(this.#postings, list));
    }
    if (lastField !== FILES) this.#pager.need(documents, entryStarts[from]!, entryStarts[list]!);
  }

  /** Reads what the lists of some terms need, for runs of neighbouring terms at once. */
  #needAll(terms: readonly TermNumber[], lastField: number): void {
    for (let t = 0; t < terms.length; ) {
      const from = terms[t]!;
      let to = from + 1;
      for (t += 1; t < terms.length && terms[t] === to; t++) to += 1;
      this.#need(from, to, lastField);
    }
  }

  /** Reads bounds and fields of the lists of the terms between two numbers, and their documents if all fields count. */
  #need(from: TermNumber, to: TermNumber, lastField: number): void {
    const { listStarts, listFields, entryStarts, documents } = this.#postings;
    this.#pager.need(listStarts, from, to + 1);
    const [first, behind] = [listStarts[from]!, listStarts[to]!];
    this.#pager.need(listFields, first, behind);
    this.#pager.need(entryStarts, first, behind + 1);
    if (lastField === FILES) this.#pager.need(documents, entryStarts[first]!, entryStarts[behind]!);
  }
}

/** The entries of some lists, as ranges. The lists of a beginning are neighbours, so they are one range. */
function rangesOf(lists: readonly PostingList[]): (readonly [from: number, to: number])[] {
  const ranges: (readonly [from: number, to: number])[] = [];
  for (let i = 0; i < lists.length; ) {
    const { from } = lists[i]!;
    let { to } = lists[i]!;
    for (i += 1; i < lists.length && lists[i]!.from === to; i++) to = lists[i]!.to;
    ranges.push([from, to]);
  }
  return ranges;
}

/** The terms that answer any of some terms of a question. */
function distinctTerms(asked: readonly string[], answers: AnsweringTerms): readonly TermNumber[] {
  const [only] = asked;
  if (asked.length === 1) return answers.get(only!) ?? [];
  const terms = new Set<TermNumber>();
  for (const one of asked) for (const term of answers.get(one) ?? []) terms.add(term);
  return [...terms];
}
