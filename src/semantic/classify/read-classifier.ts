import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { WORD_RULES } from '../../core/index.js';
import { Classifier } from './classifier.js';

const TABLE = new URL('../../../data/classifier.json', import.meta.url);
const WEIGHTS = new URL('../../../data/classifier.bin', import.meta.url);

/** The numbers of a classifier. */
export interface ClassifierData {
  /** See `Classifier.rules`. */
  readonly rules: string;
  /** Id of the model of the vectors. */
  readonly model: string;
  /** Values of a vector. */
  readonly dimensions: number;
  /** The slugs. What follows by category is in their order. */
  readonly categories: readonly string[];
  readonly biases: readonly number[];
  /** Least probability that counts, 0 to 1. */
  readonly thresholds: readonly number[];
  /** A weight for each category and value of the vector, category by category. */
  readonly vectorWeights: Float32Array;
  readonly terms: readonly string[];
  /** Logarithm of how rare each term is. */
  readonly rarities: readonly number[];
  /** A weight for each term and category, term by term, in units of the category's scale. */
  readonly termWeights: Int8Array;
  readonly termScales: readonly number[];
}

/** The file `classifier.json`. Weights are bytes in `classifier.bin`: first those of vectors, then those of terms. */
interface Table extends Omit<ClassifierData, 'rules' | 'vectorWeights' | 'termWeights'> {
  readonly vectorScales: readonly number[];
}

/** Reads the classifier that the library brings. */
export function readClassifier(): Classifier {
  return new Classifier(readClassifierData());
}

export function readClassifierData(): ClassifierData {
  const json = readFileSync(TABLE);
  const bytes = readFileSync(WEIGHTS);
  const table = JSON.parse(json.toString()) as Table;
  const { dimensions, categories, terms, vectorScales } = table;
  const vectorBytes = categories.length * dimensions;
  if (bytes.length !== vectorBytes + terms.length * categories.length) {
    throw new Error('data/classifier.bin does not fit data/classifier.json');
  }
  const weights = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  const vectorWeights = Float32Array.from(weights.subarray(0, vectorBytes), (weight, i) => {
    return weight * vectorScales[Math.floor(i / dimensions)]!;
  });
  const digest = createHash('sha256').update(json).update(bytes).digest('hex').slice(0, 12);
  const rules = `${digest} ${WORD_RULES}`;
  return { ...table, rules, vectorWeights, termWeights: weights.subarray(vectorBytes) };
}
