import { SCORED_FIELDS } from '../../result.js';
import { SCORED_OF } from '../index-fields.js';
import type { FieldPostings, MiniSearchPostings } from './minisearch-postings.js';

/** A term that answers a word of the question, with its postings in one of the fields that count. */
export interface AnswerPostings {
  readonly term: string;
  readonly field: number;
  readonly postings: FieldPostings;
}

/** All postings that answer one word of the question. */
export class WordMatches {
  readonly lists: readonly AnswerPostings[];
  /** Sum of their lengths; at least the number of documents that have the word. */
  readonly size: number;

  constructor(index: MiniSearchPostings, terms: Iterable<string>, fields: readonly number[]) {
    const lists: AnswerPostings[] = [];
    for (const term of new Set(terms)) {
      const byField = index.postingsOf(term);
      for (const field of fields) {
        const postings = byField?.get(field);
        if (postings !== undefined) lists.push({ term, field, postings });
      }
    }
    this.lists = lists;
    this.size = lists.reduce((sum, { postings }) => sum + postings.size, 0);
  }

  /** The posting lists by scored field. */
  byScoredField(): FieldPostings[][] {
    return SCORED_FIELDS.map((_, scored) =>
      this.lists.filter(({ field }) => SCORED_OF[field] === scored).map(({ postings }) => postings),
    );
  }

  /** The documents that have the word, in no particular order. */
  documents(): Set<number> {
    const found = new Set<number>();
    for (const { postings } of this.lists) for (const number of postings.keys()) found.add(number);
    return found;
  }

  /** Those of some documents that have the word: looked up one by one, or all at once where that is less work. */
  among(candidates: readonly number[]): number[] {
    if (candidates.length * this.lists.length > this.size) {
      const all = this.documents();
      return candidates.filter((number) => all.has(number));
    }
    return candidates.filter((number) => this.lists.some(({ postings }) => postings.has(number)));
  }
}

/** The documents that have every word and pass the filter, ascending. */
export function documentsWithAll(words: readonly WordMatches[], filter: Uint8Array | undefined): number[] {
  const [rarest, ...others] = [...words].sort((a, b) => a.size - b.size);
  if (rarest === undefined || rarest.size === 0) return [];
  let candidates = [...rarest.documents()].filter((number) => filter === undefined || filter[number] === 1);
  for (const word of others) {
    if (candidates.length === 0) break;
    candidates = word.among(candidates);
  }
  return candidates.sort((a, b) => a - b);
}

/**
 * The documents whose words make up at least half of the weight of all words, and that pass the filter, ascending.
 *
 * @param weightOf weight of a word that so many documents have
 * @param shares how much of its weight each word counts in that of all
 */
export function documentsWithHalf(
  words: readonly WordMatches[],
  filter: Uint8Array | undefined,
  weightOf: (frequency: number) => number,
  shares: readonly number[],
): number[] {
  const sums = new Map<number, number>();
  let total = 0;
  for (const [i, word] of words.entries()) {
    const documents = word.documents();
    const weight = weightOf(documents.size);
    total += weight * shares[i]!;
    for (const number of documents) {
      if (filter === undefined || filter[number] === 1) sums.set(number, (sums.get(number) ?? 0) + weight);
    }
  }
  const found: number[] = [];
  for (const [number, sum] of sums) if (sum * 2 >= total) found.push(number);
  return found.sort((a, b) => a - b);
}
