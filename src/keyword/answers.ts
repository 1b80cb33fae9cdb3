import { foldAccents, sameAccents, type TermNumber } from '../core/index.js';
import type { DocumentSets, Word } from './document-sets.js';
import { lastFieldOf } from './keyword-index.js';
import type { KeywordSource } from './keyword-source.js';
import type { StepPlan } from './plan-steps.js';
import { type PostingList, sizeOf } from './posting-list.js';
import type { QuestionWord } from './question.js';
import { RecentlyUsed } from './recently-used.js';
import type { Work } from './work.js';

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
  readonly #terms: KeywordSource;
  readonly #recentWords = new RecentlyUsed<WordLists>(WORDS_KEPT, LISTS_KEPT, ({ lists }) => lists.length);

  constructor(terms: KeywordSource) {
    this.#terms = terms;
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
    this.#terms.addLists(terms, lastField, lists, termOf);
    const key = terms.length > MANY_TERMS ? undefined : `${lastField}:${terms.join()}`;
    return { termOf, lists, size: sizeOf(lists), key };
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

/** Returns a function that tells whether a term of a text answers a step. The function does not refer to the index. */
export function acceptedTerms(
  plan: StepPlan,
  answers: AnsweringTerms,
  terms: KeywordSource,
): (term: string) => boolean {
  const accepted = new Set<string>();
  // Thousands of terms may have one beginning, so only the beginning is kept.
  const beginnings: string[] = [];
  // A question has at most one beginning of words, but it may have dozens of these.
  const characters = new Set<string>();
  for (const [asked, answering] of answers) {
    const { kind } = plan.lookup(asked);
    if (kind === 'prefix' || kind === 'character') {
      const form = foldAccents(asked);
      if ([...form].length === 1) characters.add(form);
      else beginnings.push(form);
    } else for (const term of answering) accepted.add(terms.termAt(term));
  }
  if (beginnings.length === 0 && characters.size === 0) return (term) => accepted.has(term);
  return (term) => {
    if (accepted.has(term)) return true;
    const form = foldAccents(term);
    if (characters.has(String.fromCodePoint(form.codePointAt(0) ?? 0))) return true;
    return beginnings.some((beginning) => form.startsWith(beginning));
  };
}

/** Comparing the accents of two terms costs as much as reading this many postings. */
const COMPARISON_COST = 300;

/**
 * Those of some documents that have a word only with other accents than in the question, ascending. Without enough work
 * for the word, none.
 *
 * @param documents ascending; all have the word, or some word beside it
 * @param isBeginning whether all terms that answer the word begin with it
 */
export function documentsWithOtherAccents(
  documents: Uint32Array,
  word: AnsweredWord,
  isBeginning: boolean,
  sets: DocumentSets,
  terms: KeywordSource,
  work: Work,
): Uint32Array {
  const { asked, lists, termOf } = word;
  const plain = plainTermsAreExact(asked.terms, isBeginning);
  const exact: PostingList[] = [];
  const others: PostingList[] = [];
  let last: TermNumber = -1;
  let isExact = false;
  for (let i = 0; i < lists.length; i++) {
    // The lists of a term are neighbours.
    if (termOf[i] !== last) {
      last = termOf[i]!;
      if (plain === undefined || terms.isAccented(last)) {
        if (!work.affords(asked.terms.length * COMPARISON_COST)) return NONE;
        const text = terms.termAt(last);
        isExact = asked.terms.some((one) => sameAccents(one, text));
      } else isExact = plain;
    }
    (isExact ? exact : others).push(lists[i]!);
  }
  if (others.length === 0) return NONE;
  const having = sets.having(documents, wordOf(others), work);
  if (exact.length === 0 || having.length === 0) return having;
  const exactly = sets.having(having, wordOf(exact), work);
  const found = new Uint32Array(having.length);
  let [at, count] = [0, 0];
  for (let i = 0; i < having.length; i++) {
    const document = having[i]!;
    while (at < exactly.length && exactly[at]! < document) at += 1;
    if (exactly[at] !== document) found[count++] = document;
  }
  return found.subarray(0, count);
}

const NONE = new Uint32Array();

/**
 * Whether terms without accents have the accents of a word; most terms are such. Undefined if that depends on the term.
 */
function plainTermsAreExact(asked: readonly string[], isBeginning: boolean): boolean | undefined {
  if (asked.some((one) => foldAccents(one) === one)) return true;
  const [only] = asked;
  return isBeginning && asked.length === 1 ? sameAccents(only!, foldAccents(only!)) : undefined;
}

function wordOf(lists: readonly PostingList[]): Word {
  return { lists, size: sizeOf(lists), key: undefined };
}
