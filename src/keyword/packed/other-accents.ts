import type { TermNumber } from '../../core/index.js';
import { foldAccents, sameAccents } from '../../core/index.js';
import type { Work } from '../work.js';
import type { AnsweredWord } from './answer-reader.js';
import type { DocumentSets, Word } from './document-sets.js';
import type { PostingList } from './posting-list.js';
import type { TermSource } from './term-source.js';

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
  terms: TermSource,
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
  return { lists, size: lists.reduce((sum, { size }) => sum + size, 0), key: undefined };
}
