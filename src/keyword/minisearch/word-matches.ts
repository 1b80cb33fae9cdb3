import type { DocumentNumber } from '../../core/index.js';
import { sameAccents } from '../../core/index.js';
import { SCORED_FIELDS } from '../../result.js';
import { SCORED_OF } from '../index-fields.js';
import type { QuestionWord } from '../question.js';
import type { FieldPostings, MiniSearchPostings } from './minisearch-postings.js';

/** The postings, in one of the fields that count, of a term that answers a word. */
interface AnswerPostings {
  readonly term: string;
  readonly field: number;
  readonly postings: FieldPostings;
}

/** A word of a question with all postings that answer it. */
export class WordMatches {
  readonly asked: QuestionWord;
  readonly #lists: readonly AnswerPostings[];
  /** Sum of the sizes of the lists; at least the number of documents that have the word. */
  readonly size: number;

  /**
   * @param terms the terms that answer the word
   * @param fields numbers of the fields that count
   */
  constructor(index: MiniSearchPostings, asked: QuestionWord, terms: Iterable<string>, fields: readonly number[]) {
    this.asked = asked;
    const lists: AnswerPostings[] = [];
    for (const term of new Set(terms)) {
      const byField = index.postingsOf(term);
      for (const field of fields) {
        const postings = byField?.get(field);
        if (postings !== undefined) lists.push({ term, field, postings });
      }
    }
    this.#lists = lists;
    this.size = lists.reduce((sum, { postings }) => sum + postings.size, 0);
  }

  byScoredField(): FieldPostings[][] {
    return SCORED_FIELDS.map((_, scored) =>
      this.#lists.filter(({ field }) => SCORED_OF[field] === scored).map(({ postings }) => postings),
    );
  }

  /** The documents that have the word, in no particular order. */
  documents(): Set<DocumentNumber> {
    const found = new Set<DocumentNumber>();
    for (const { postings } of this.#lists) for (const document of postings.keys()) found.add(document);
    return found;
  }

  /** The candidates that have the word: looked up one by one, or all at once where that is less work. */
  among(candidates: readonly DocumentNumber[]): DocumentNumber[] {
    if (candidates.length * this.#lists.length > this.size) {
      const all = this.documents();
      return candidates.filter((document) => all.has(document));
    }
    return candidates.filter((document) => this.#lists.some(({ postings }) => postings.has(document)));
  }

  /** The documents that have the word only with other accents than in the question. */
  withOtherAccents(): DocumentNumber[] {
    const isExact = ({ term }: AnswerPostings): boolean => this.asked.terms.some((one) => sameAccents(one, term));
    const exact = this.#lists.filter(isExact);
    const others = this.#lists.filter((list) => !isExact(list));
    return others
      .flatMap(({ postings }) => [...postings.keys()])
      .filter((document) => !exact.some(({ postings }) => postings.has(document)));
  }
}

/** The documents that have every word and pass the filter, ascending. */
export function documentsWithAll(words: readonly WordMatches[], filter: Uint8Array | undefined): DocumentNumber[] {
  const [rarest, ...others] = [...words].sort((a, b) => a.size - b.size);
  if (rarest === undefined || rarest.size === 0) return [];
  let candidates = [...rarest.documents()].filter((document) => filter === undefined || filter[document] === 1);
  for (const word of others) {
    if (candidates.length === 0) break;
    candidates = word.among(candidates);
  }
  return candidates.sort((a, b) => a - b);
}

/**
 * The documents whose words make up at least half of the weight of all words, and that pass the filter, ascending.
 *
 * @param idfOf idf of a word by its document frequency. In the weight of all words, it is multiplied by the word's
 *   weight.
 */
export function documentsWithHalf(
  words: readonly WordMatches[],
  filter: Uint8Array | undefined,
  idfOf: (documentFrequency: number) => number,
): DocumentNumber[] {
  const sums = new Map<DocumentNumber, number>();
  let total = 0;
  for (const word of words) {
    const documents = word.documents();
    const idf = idfOf(documents.size);
    total += idf * word.asked.weight;
    for (const document of documents) {
      if (filter === undefined || filter[document] === 1) sums.set(document, (sums.get(document) ?? 0) + idf);
    }
  }
  const found: DocumentNumber[] = [];
  for (const [document, sum] of sums) if (sum * 2 >= total) found.push(document);
  return found.sort((a, b) => a - b);
}
