import { type DocumentNumber, kthLargest, type Pieces } from '../core/index.js';
import { SCORED_FIELDS } from '../result.js';
import {
  type FieldWeights,
  HIGHEST_SATURATION,
  inverseDocumentFrequency,
  type LengthNorms,
  saturation,
} from './bm25.js';
import type { DocumentScores, RankedDocuments, RankOptions } from './keyword-index.js';
import type { PostingList } from './posting-list.js';
import { RecentlyUsed } from './recently-used.js';
import { Work } from './work.js';

/** Position of file text among the scored fields. */
const FILE_TEXT = SCORED_FIELDS.indexOf('files');

/** Ranks documents by the words of one question that they have, any of them: `rank` of every index. */
export class AnyWordRanking {
  readonly #words: readonly RankedWord[];
  /** Each multiplied by the weight of its word. */
  readonly #idfs: readonly number[];
  readonly #norms: readonly LengthNorms[];
  /** By scored field. */
  readonly #weights: readonly number[];
  /** Scores that were worked out before. */
  readonly #known = new Map<DocumentNumber, DocumentScores>();
  /** The bound of all scores; words that occur nowhere are included. */
  readonly #highest: number;

  /**
   * @param words of the question
   * @param wordWeights weight of each word among the words of the question
   * @param reading what the words were read by
   * @param size number of documents
   */
  constructor(
    words: readonly RankedWord[],
    wordWeights: readonly number[],
    { norms, weights }: FieldReading,
    size: number,
  ) {
    this.#words = words;
    this.#norms = norms;
    this.#weights = weights;
    this.#idfs = words.map(
      ({ documentFrequency }, w) => wordWeights[w]! * inverseDocumentFrequency(size, documentFrequency),
    );
    this.#highest = this.#idfs.reduce((sum, idf) => sum + idf * HIGHEST_SATURATION, 0);
  }

  /** The scores of some ascending documents. Reads every list once for those whose scores are not known yet. */
  #scoresOf(documents: Uint32Array): DocumentScores[] {
    const unknown = documents.filter((document) => !this.#known.has(document));
    if (unknown.length > 0)
      for (const [i, scores] of this.#describe(unknown).entries()) this.#known.set(unknown[i]!, scores);
    return Array.from(documents, (document) => this.#known.get(document)!);
  }

  #describe(documents: Uint32Array): DocumentScores[] {
    const fieldScores = SCORED_FIELDS.map(() => new Float64Array(documents.length));
    const scores = new Float64Array(documents.length);
    const covered = new Float64Array(documents.length);
    const amounts = new Float64Array(documents.length);
    const inField = new Float64Array(documents.length);
    const found = new Uint8Array(documents.length);
    /** The most that can be covered. */
    let all = 0;
    for (let w = 0; w < this.#words.length; w++) {
      const idf = this.#idfs[w]!;
      amounts.fill(0);
      found.fill(0);
      for (const [field, lists] of this.#words[w]!.lists.entries()) {
        if (lists.length === 0) continue;
        const scoresOfField = fieldScores[field]!;
        const weight = this.#weights[field]!;
        inField.fill(0);
        for (const list of lists) list.addAmounts(documents, this.#norms[field]!, 1, inField);
        for (let i = 0; i < documents.length; i++) {
          const amount = inField[i]!;
          if (amount === 0) continue;
          found[i] = 1;
          scoresOfField[i] = scoresOfField[i]! + idf * saturation(amount);
          amounts[i] = amounts[i]! + weight * amount;
        }
      }
      all += idf;
      for (let i = 0; i < documents.length; i++) {
        if (found[i] === 0) continue;
        covered[i] = covered[i]! + idf;
        scores[i] = scores[i]! + idf * saturation(amounts[i]!);
      }
    }
    return Array.from(documents, (document, i) => {
      const [name = 0, author = 0, labels = 0, description = 0, files = 0] = fieldScores.map((ofField) => ofField[i]!);
      return {
        score: scores[i]!,
        fields: { name, author, labels, description, files },
        coverage: all === 0 ? 0 : covered[i]! / all,
        fileTerms: this.#norms[FILE_TEXT]!.lengths[document]!,
      };
    });
  }

  /**
   * The best documents by their scores, best first. Words that there is not enough work for do not
   * count in the choice of the documents; they do in the scores.
   */
  *best(
    { limit, filter, work = new Work() }: Omit<RankOptions, 'weights'>,
    { sums, seen }: RankingSpace,
  ): Pieces<RankedDocuments> {
    let count = 0;
    for (const [w, { documents, parts }] of this.#words.entries()) {
      if (!work.affords(documents.length)) continue;
      const idf = this.#idfs[w]!;
      for (let i = 0; i < documents.length; i++) {
        const document = documents[i]!;
        if (filter?.[document] === 0) continue;
        const before = sums[document]!;
        const after = before + idf * parts[i]!;
        // A tiny weight may add 0: the document then stays unseen.
        if (before === 0 && after > 0) seen[count++] = document;
        sums[document] = after;
      }
      yield;
    }
    const all = seen.subarray(0, count);
    const chosen = count <= limit ? all.slice() : bestBySum(all, sums, limit);
    for (let i = 0; i < count; i++) sums[seen[i]!] = 0;
    const scored = this.#scoresOf(chosen.sort())
      .map(({ score }, i) => ({ document: chosen[i]!, score }))
      .sort((a, b) => b.score - a.score || a.document - b.document);
    return {
      documents: Uint32Array.from(scored, ({ document }) => document),
      scores: Float64Array.from(scored, ({ score }) => score),
      scoresOf: (asked) => this.#scoresOf(asked),
      highest: this.#highest,
    };
  }
}

/** The documents with the highest sums, in no particular order. Of those with the same, the first by number. */
function bestBySum(documents: Uint32Array, sums: Float64Array, limit: number): Uint32Array {
  const least = kthLargest(sums, documents, documents.length, limit);
  const best = new Uint32Array(limit);
  const alike: DocumentNumber[] = [];
  let better = 0;
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i]!;
    if (sums[document]! > least) best[better++] = document;
    else if (sums[document] === least) alike.push(document);
  }
  best.set(alike.sort((a, b) => a - b).slice(0, limit - better), better);
  return best;
}

/** A word of a question, read for ranking: each document that has it, with the saturation of the word there. */
export interface RankedWord {
  /** Number of documents that have the word in any field. */
  readonly documentFrequency: number;
  /** Number of postings that were read. */
  readonly postings: number;
  /** By scored field, the posting lists of the word's forms; empty if no document has the word there. */
  readonly lists: readonly (readonly PostingList[])[];
  /** The documents that have it in a field that counts, in no particular order. */
  readonly documents: Uint32Array;
  /** The saturation beside each of them. */
  readonly parts: Float64Array;
}

/** What a word is read by. */
export interface FieldReading {
  /** By scored field. */
  readonly norms: readonly LengthNorms[];
  /** By scored field. */
  readonly weights: readonly number[];
  /** The weights as a text. */
  readonly key: string;
}

export function readingOf(norms: readonly LengthNorms[], weights: FieldWeights): FieldReading {
  const byField = SCORED_FIELDS.map((field) => weights[field]);
  return { norms, weights: byField, key: byField.join(' ') };
}

/** What a word is remembered by: what it becomes depends on the weights. */
export function keyOf(terms: readonly string[], { key }: FieldReading): string {
  return `${key} ${terms.join(' ')}`;
}

/**
 * Reads a word.
 *
 * @param lists by scored field, the posting lists of all terms that answer the word
 * @returns the word, after a piece of work for each list
 */
export function* readRankedWord(
  lists: readonly (readonly PostingList[])[],
  { norms, weights }: FieldReading,
  { inField, amounts, isHaving, having, havingInField }: RankingSpace,
): Pieces<RankedWord> {
  let [documentFrequency, postings] = [0, 0];
  for (const [field, ofField] of lists.entries()) {
    let count = 0;
    for (const list of ofField) {
      count = list.addAllAmounts(norms[field]!, inField, havingInField, count);
      postings += list.size;
      yield;
    }
    const weight = weights[field]!;
    for (let i = 0; i < count; i++) {
      const document = havingInField[i]!;
      if (isHaving[document] === 0) {
        isHaving[document] = 1;
        having[documentFrequency++] = document;
      }
      amounts[document] = amounts[document]! + weight * inField[document]!;
      inField[document] = 0;
    }
  }
  let size = 0;
  const parts = new Float64Array(documentFrequency);
  for (let i = 0; i < documentFrequency; i++) {
    const document = having[i]!;
    isHaving[document] = 0;
    const part = saturation(amounts[document]!);
    amounts[document] = 0;
    // 0 in fields that do not count, and where the weight is so little that it is lost.
    if (part === 0) continue;
    parts[size] = part;
    having[size++] = document;
  }
  return { documentFrequency, postings, lists, documents: having.slice(0, size), parts: parts.slice(0, size) };
}

/** Number of words to remember, with some kilobytes each beside their documents. */
const WORDS_KEPT = 10_000;

/** Bytes of documents to keep with them: so many, or so many for each skill. */
const BYTES_KEPT = 64_000_000;
const BYTES_KEPT_PER_SKILL = 100;

/**
 * A cache for the words of recent questions. Reading a word passes over all its postings, which takes milliseconds for
 * the words that every other question has.
 *
 * @param size number of documents in the catalogue
 */
export function recentWords(size: number): RecentlyUsed<RankedWord> {
  const most = Math.max(BYTES_KEPT, BYTES_KEPT_PER_SKILL * size);
  return new RecentlyUsed(WORDS_KEPT, most, ({ documents, parts }) => documents.byteLength + parts.byteLength);
}

/**
 * Working space for ranking by any word, made once: arrays by document made for each word would add up to tens of
 * megabytes a second, and every collection of them scans an index of gigabytes. It belongs to one ranking at a time,
 * from its first piece of work to its last.
 */
export class RankingSpace {
  /** Amount of one word in one field; all 0 between two fields. */
  readonly inField: Float64Array;
  /** Amount of one word over all fields; all 0 between two words. */
  readonly amounts: Float64Array;
  /** 1 for the documents that have one word; all 0 between two words. */
  readonly isHaving: Uint8Array;
  /** The documents that have one word, and those that have it in one field, in no particular order. */
  readonly having: Uint32Array;
  readonly havingInField: Uint32Array;
  /** The scores by the words read so far; all 0 between two questions. */
  readonly sums: Float64Array;
  /** The documents whose sum is not 0, in no particular order. */
  readonly seen: Uint32Array;

  /** @param size number of documents */
  constructor(size: number) {
    this.inField = new Float64Array(size);
    this.amounts = new Float64Array(size);
    this.isHaving = new Uint8Array(size);
    this.having = new Uint32Array(size);
    this.havingInField = new Uint32Array(size);
    this.sums = new Float64Array(size);
    this.seen = new Uint32Array(size);
  }
}
