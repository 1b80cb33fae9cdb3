import type { SemanticResult } from '../result.js';

const vectors = new WeakMap<SemanticResult, Float32Array>();

/**
 * The vector that a question had, for parts of this library that ask more of it than which skills are near.
 *
 * @returns undefined for an answer by words, and for one that came from elsewhere
 */
export function questionVectorOf(result: SemanticResult): Float32Array | undefined {
  return vectors.get(result);
}

export function noteQuestionVector(result: SemanticResult, vector: Float32Array | undefined): void {
  if (vector !== undefined) vectors.set(result, vector);
}
