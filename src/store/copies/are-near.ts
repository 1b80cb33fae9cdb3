import type { DocumentNumber } from '../../core/index.js';
import { differingValues } from './text-signature.js';

/**
 * Two sketches of nearly the same text differ in at most this many of 128 values: an estimated Jaccard similarity of
 * 0.85.
 */
export const MOST_DIFFERING = 19;

/** Words from which texts are compared by their sketches: in shorter ones a single word may change the meaning. */
const LONG_TEXT = 64;

/**
 * Words from which texts are compared at all: a few equal words under the same name may differ in punctuation that
 * matters.
 */
export const SHORT_TEXT = 16;

/**
 * Words from which equal texts are copies under any name. A shorter text may be the description of a whole
 * collection.
 */
export const TEXT_WITHOUT_NAME = 100;

/** The signatures of all documents, by document number. */
export interface SignedDocuments {
  /** Hash of the name. */
  readonly names: Uint32Array;
  /** Hash of the text. */
  readonly texts: Float64Array;
  /** Number of words in the text; negative for a document without a signature. */
  readonly words: Float64Array;
  /** The sketches, one after the other, see `TextSignature`. */
  readonly sketches: Uint8Array;
}

/** Whether two documents have nearly the same text. */
export function areNear(documents: SignedDocuments, a: DocumentNumber, b: DocumentNumber): boolean {
  const { names, texts, words, sketches } = documents;
  const fewer = Math.min(words[a]!, words[b]!);
  const sameName = names[a] === names[b];
  if (fewer < SHORT_TEXT) return false;
  if (texts[a] === texts[b]) return sameName || fewer >= TEXT_WITHOUT_NAME;
  // Under different names the small difference may be what matters: texts about different products from one template.
  if (!sameName || fewer < LONG_TEXT) return false;
  return differingValues(sketches, a, b, MOST_DIFFERING) <= MOST_DIFFERING;
}
