import { countCodePoints, type DocumentNumber, isUnspacedTerm, type Pieces, typedWord } from '../core/index.js';
import { type CorrectedWord, type FieldScores, type KeywordStep, SCORED_FIELDS, type ScoredField } from '../result.js';
import type { FieldWeights } from './bm25.js';
import type { Question, QuestionWord } from './question.js';
import type { Work } from './work.js';

/** The searchable text of one skill. */
export interface KeywordDocument {
  readonly name: string;
  readonly author: string;
  /** Category and occupation slugs. */
  readonly labels: readonly string[];
  readonly description: string;
  readonly files: readonly { readonly filename: string; readonly text: string }[];
}

/** Documents, numbered from 0. */
export interface DocumentSource {
  readonly size: number;
  /** All documents in the order of their numbers. */
  all(): Iterable<KeywordDocument>;
  read(document: DocumentNumber): KeywordDocument;
  /** The name of a document; empty if it is damaged. Faster than reading all of it. */
  nameOf(document: DocumentNumber): string;
}

export interface MatchOptions {
  /** One byte per document, 0 if the document must not match. */
  readonly filter?: Uint8Array | undefined;
  /** Whether `best` is wanted: some of the work is then kept for scores. @default false */
  readonly scored?: boolean;
  /** Counts and bounds the work. Without it nothing is left out. */
  readonly work?: Work | undefined;
  /** Whether words that occur nowhere may be read as others. @default true */
  readonly corrections?: boolean;
  /** What a question in another language is in English, for the step `translated`. Called if that is reached. */
  readonly inEnglish?: (() => Question | undefined) | undefined;
}

export interface BestOptions {
  /** How many are wanted, at least 1. */
  readonly count: number;
  /** Whether a matching document is one of those that are wanted. Asked about few, and about some of them twice. */
  readonly isShown: (document: DocumentNumber) => boolean;
}

/** Some of the documents that match. */
export interface ScoredDocuments {
  /** Ascending. */
  readonly documents: Uint32Array;
  /** The relevance beside each document, above 0 and at most 1. */
  readonly scores: Float64Array;
}

export interface KeywordMatches {
  /** The step that answered; undefined if nothing matches. */
  readonly step: KeywordStep | undefined;
  /** All matching documents, ascending. */
  readonly documents: Uint32Array;
  /** The words that the step looked for; of `translated` English ones. */
  readonly words: readonly QuestionWord[];
  /**
   * Finds the documents of the highest relevance among those that are wanted; undefined if not requested. All that are
   * as relevant as the last of them are included, and perhaps a few more; only wanted ones. Valid until the next call
   * of `match` or `rank`.
   *
   * Documents of the exact name come first, then those whose name begins with the question, then the others. In each of
   * these groups those come first that have each word with the accents of the question. Within all that, BM25F decides,
   * see `bm25.ts`: it counts the fields and the forms of words that answer in the step.
   */
  readonly best: ((options: BestOptions) => ScoredDocuments) | undefined;
  /**
   * Asks the index which terms of texts (lower case, with accents) answered a word of the question in this step. The
   * returned function does not refer to the index, so it may be kept.
   */
  readonly accepting: () => (term: string) => boolean;
  /**
   * Asks the index how it read the words that occur nowhere: by terms (lower case, with accents) that documents of the
   * answer have, the one that most of them have first. Empty unless the step is `typo`.
   */
  readonly corrected: () => readonly CorrectedWord[];
}

/** Tells which terms match a question at the step that answered. */
export interface TermMatcher extends Pick<KeywordMatches, 'step'> {
  /** Whether a term of a text (lower case, with accents) answers a word of the question. */
  readonly accepts: (term: string) => boolean;
}

export interface RankOptions {
  /** How much each field counts. A field of weight 0 costs no time. */
  readonly weights: FieldWeights;
  /** Number of best documents to return; at least 1. */
  readonly limit: number;
  /** One byte per document, 0 if the document must not be found. */
  readonly filter?: Uint8Array | undefined;
  /** Counts and bounds the work. Without it nothing is left out. */
  readonly work?: Work | undefined;
}

/** The scores of one document for the words of a question. */
export interface DocumentScores {
  /** BM25F over all fields by their weights: from 0, below `highest` of {@link RankedDocuments}. */
  readonly score: number;
  /** BM25 of each field by itself; 0 for a field without any of the words. */
  readonly fields: FieldScores;
  /** The share of the question's words that the document has in any field, each weighted by its idf: 0 to 1. */
  readonly coverage: number;
  /** Number of distinct terms in the file text; a file that only repeats the description is left out. */
  readonly fileTerms: number;
}

export interface RankedDocuments {
  /** The best `limit` documents of those with a score above 0: highest score first, ties by ascending number. */
  readonly documents: Uint32Array;
  /** The score beside each document. */
  readonly scores: Float64Array;
  /** The scores of any documents, found or not, given ascending. One call for many is faster than many calls. */
  readonly scoresOf: (documents: Uint32Array) => readonly DocumentScores[];
  /**
   * Upper bound of all scores, of a field or over all of them, whatever the weights. A document full of every word
   * comes close to it. Words that occur nowhere are included as the rarest of all: if the main word of a question is
   * unknown, no score gets near this bound.
   */
  readonly highest: number;
}

/** A word or a name of the catalogue. */
export interface CountedText {
  readonly text: string;
  /** Number of documents that have it. */
  readonly count: number;
}

/** A word that goes on as somebody began it. */
export interface CompletedWord extends CountedText {
  /**
   * How many of these documents have all of {@link CompletionOptions.words}, as in the first step. Undefined without
   * such words, and if finding out is too much work.
   */
  readonly together: number | undefined;
}

export interface CompletionOptions {
  /** Number of words at most, at least 1. */
  readonly limit: number;
  /** Which of these words are not wanted. No others are returned for them. */
  readonly isLeftOut: (term: string) => boolean;
  /** The words beside the one that is completed. */
  readonly words: readonly QuestionWord[];
}

/**
 * Finds documents by words. Every implementation must pass `test/keyword/keyword-index-contract.ts`: sets, totals and,
 * up to rounding, scores are exact.
 */
export interface KeywordIndex {
  /** Number of documents. */
  readonly size: number;
  /** All documents that match, by the first step that finds any. */
  match(question: Question, options?: MatchOptions): KeywordMatches;
  /**
   * The best documents by BM25F (`bm25.ts`) among those that have any word of the question (`looseWords`; phrases are
   * read as words).
   *
   * A document has a word in a field if a term there answers the word as it stands or by its stem. The frequency of
   * the word is the sum over all such terms. The parts of words in PascalCase (`inner` tokens) of all fields but the
   * files count with the description; a file that only repeats the description is left out. The length of a field is
   * the number of its distinct terms, that of the description with those parts. The idf of a word counts the
   * documents that have it in any field.
   *
   * @returns the documents, after some pieces of the work: whoever has other work gives way to it between two of them.
   *   Each reads one list or the documents of one word, or looks up one word.
   */
  rank(question: Question, options: RankOptions): Pieces<RankedDocuments>;
  /** The documents whose name is the question, without case, white space and punctuation; ascending. */
  named(question: Question): readonly DocumentNumber[];
  /**
   * The documents whose name begins with the question and goes on with more words; ascending. Case, white space and
   * punctuation do not count. See `beginningsOf` for where words end; questions of very many words begin no name. Also
   * those that begin with what is typed, if the last word is unfinished: at most some hundreds of names.
   */
  beginning(question: Question): readonly DocumentNumber[];
  /**
   * Words that begin with some letters of lower case; accents are ignored. Such a word stands by itself in the name,
   * the labels or the description of a document, not only as a whole that is split into parts (`reacttesting` of
   * `react-testing`), and `completesWords` says what else counts. The one that most documents have there comes first;
   * ties by the word without accents, then by the word, in code-point order.
   */
  wordsBeginning(letters: string, options: CompletionOptions): readonly CompletedWord[];
  /**
   * The names that begin with a text; case, accents, white space and punctuation do not count. Names that do not differ
   * otherwise are one, in the spelling that most documents have, of several the first. The name that most documents
   * have comes first; of two with as many the one of fewer bytes in UTF-8, then in the code-point order of
   * `typedNameKey`. None for a text without letters.
   */
  namesBeginning(text: string, limit: number): readonly CountedText[];
}

/**
 * The fields of an index in the order of their numbers. `inner` holds the parts of words in PascalCase of the others.
 */
export const FIELDS = ['name', 'author', 'labels', 'description', 'inner', 'files'] as const;

/** Numbers of the last two fields. */
export const INNER = 4;
export const FILES = 5;

/**
 * The number of the last field that counts in a step.
 *
 * @param everywhere whether file text and the parts of words in PascalCase count
 */
export function lastFieldOf(everywhere: boolean): number {
  return everywhere ? FILES : INNER - 1;
}

/**
 * The fields that make up each scored field. A part of a word in PascalCase says less than a whole word, whichever
 * field it is from. So all parts count with the description, which is the longest of these fields: a word weighs
 * least there.
 */
const PARTS_OF_SCORED: Readonly<Record<ScoredField, readonly number[]>> = {
  name: [0],
  author: [1],
  labels: [2],
  description: [3, 4],
  files: [5],
};

/** By number of a field, the position of its scored field among {@link SCORED_FIELDS}. */
export const SCORED_OF: readonly number[] = FIELDS.map((_, field) =>
  SCORED_FIELDS.findIndex((scored) => PARTS_OF_SCORED[scored].includes(field)),
);

interface DescribedFiles {
  readonly description: string;
  readonly files: readonly { readonly text: string }[];
}

/**
 * The texts of a document's files, without those that only repeat the description. The one file of a skill that came
 * without files does: its words would count twice.
 */
export function textsOfFiles({ description, files }: DescribedFiles): readonly string[] {
  return files.flatMap(({ text }) => (text === description ? [] : [withoutCutWord(text)]));
}

/** Shorter texts are rarely excerpts. */
const SHORTEST_EXCERPT = 200;

/**
 * A text without the word at its end, if it is cut there: sources cut at round numbers of characters, and what is left
 * of the last word is none.
 */
export function withoutCutWord(text: string): string {
  if (text.length < SHORTEST_EXCERPT || !LETTER.test(text.slice(-1))) return text;
  const length = countCodePoints(text);
  const isCut = length % 100 === 0 || Number.isInteger(Math.log2(length));
  return isCut ? typedWord(text)?.before || text : text;
}

/** The fields whose words complete what somebody types: what is in the text of files only is rarely meant. */
export const COMPLETED_FIELDS: readonly number[] = ['name', 'labels', 'description'].map((field) =>
  (FIELDS as readonly string[]).indexOf(field),
);

/** Longer terms are no words that somebody types. */
const LONGEST_WORD = 40;

const LETTER = /\p{L}/u;

/** Digests and the like. */
const HEXADECIMAL = /^(?=.*\d)[\da-f]{8,}$/;

/**
 * Whether a term may complete a word: it has a letter, is not very long, not a hexadecimal number, and no pair of
 * characters.
 */
export function completesWords(term: string): boolean {
  return term.length <= LONGEST_WORD && LETTER.test(term) && !HEXADECIMAL.test(term) && !isUnspacedTerm(term);
}
