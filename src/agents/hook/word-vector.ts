import { fnv1a } from '../../core/index.js';
import { WORD_DIMENSIONS, wordTable } from './word-table.js';

/** Places that words are spread over: some share one. */
const PLACES = 1024;

/** How much the two halves count; together about of unit length. Chosen by hand. */
const [BY_WORDS, BY_MEANING] = [0.55, 0.83];

/** Words, numbers, and signs by themselves. */
const PARTS = /\p{L}[\p{L}\p{N}_']*|\p{N}+|[^\p{L}\p{N}\s]/gu;

/**
 * What a text is made of, as a vector: which words and signs it has, about how many, and roughly what they mean. At
 * most of unit length.
 */
export function wordVector(text: string): Float32Array {
  const parts = text.toLowerCase().match(PARTS) ?? [];
  const kinds = new Set(parts.map((part) => (/\p{N}/u.test(part[0]!) ? '0' : part)));
  kinds.add(`length ${Math.min(6, Math.floor(Math.log2(parts.length + 1)))}`);
  const places = new Set([...kinds].map((kind) => fnv1a(kind) % PLACES));
  const vector = new Float32Array(PLACES + WORD_DIMENSIONS);
  for (const place of places) vector[place] = BY_WORDS / Math.sqrt(places.size);
  for (const [i, value] of wordTable().vectorOf(text).entries()) vector[PLACES + i] = BY_MEANING * value;
  return vector;
}
