/** Texts as numbers of words, each once, with the vectors that their words should come to. */
export interface TextsToFit {
  readonly words: readonly (readonly number[])[];
  /** One behind another. */
  readonly targets: Float32Array;
  /** Number of values of a vector. */
  readonly length: number;
}

/** How much a word stays what it is by itself. */
const RIDGE = 0.3;
const STEPS = 60;

/**
 * Changes vectors of words so that the sum of those of a text, divided by the root of their number, comes near the
 * text's own: least squares by conjugate gradients, all values of the vectors at once.
 *
 * @param alone vectors of the words by themselves, one behind another
 */
export function fitWordVectors(alone: Float32Array, texts: TextsToFit): Float32Array {
  const { targets, length } = texts;
  const first = sums(alone, texts);
  const scale = product(first, targets) / product(first, first);
  const fitted = alone.map((value) => value * scale);
  const missing = targets.map((value, i) => value - scale * first[i]!);
  const change = new Float32Array(alone.length);
  const rest = spread(missing, texts, alone.length);
  const direction = rest.slice();
  let squares = squaresOf(rest, rest, length);
  for (let step = 0; step < STEPS; step++) {
    const moved = spread(sums(direction, texts), texts, alone.length).map((value, i) => value + RIDGE * direction[i]!);
    const bends = squaresOf(direction, moved, length);
    for (let i = 0; i < change.length; i++) {
      const far = squares[i % length]! / (bends[i % length]! + 1e-12);
      change[i] = change[i]! + far * direction[i]!;
      rest[i] = rest[i]! - far * moved[i]!;
    }
    const next = squaresOf(rest, rest, length);
    for (let i = 0; i < change.length; i++) {
      direction[i] = rest[i]! + (next[i % length]! / (squares[i % length]! + 1e-12)) * direction[i]!;
    }
    squares = next;
  }
  return fitted.map((value, i) => value + change[i]!);
}

/** What the words of each text come to. */
function sums(vectors: Float32Array, { words, targets, length }: TextsToFit): Float32Array {
  const result = new Float32Array(targets.length);
  for (const [text, its] of words.entries()) {
    const share = 1 / Math.sqrt(Math.max(1, its.length));
    for (const word of its) {
      for (let i = 0; i < length; i++) {
        result[text * length + i] = result[text * length + i]! + share * vectors[word * length + i]!;
      }
    }
  }
  return result;
}

/** What vectors of texts ask of the words: the transpose of {@link sums}. */
function spread(vectors: Float32Array, { words, length }: TextsToFit, size: number): Float32Array {
  const result = new Float32Array(size);
  for (const [text, its] of words.entries()) {
    const share = 1 / Math.sqrt(Math.max(1, its.length));
    for (const word of its) {
      for (let i = 0; i < length; i++) {
        result[word * length + i] = result[word * length + i]! + share * vectors[text * length + i]!;
      }
    }
  }
  return result;
}

/** Products of two lists of vectors, for each of their values. */
function squaresOf(a: Float32Array, b: Float32Array, length: number): Float64Array {
  const result = new Float64Array(length);
  for (let i = 0; i < a.length; i++) result[i % length] = result[i % length]! + a[i]! * b[i]!;
  return result;
}

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
