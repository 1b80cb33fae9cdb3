import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dataFile, readWords, stemOf, WORD_RULES } from '../core/index.js';

const TABLE = dataFile('classifier.json');
const WEIGHTS = dataFile('classifier.bin');

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

/** Categories that a skill gets at most. */
const MAX_DERIVED_CATEGORIES = 3;

/** Stems that are remembered at most: some megabytes. Stemming takes most of the time otherwise. */
const MAX_STEMS = 50_000;

/**
 * Says which categories a skill has, by its words and its vector. For each category a logistic regression, fitted to
 * labels that people gave (`scripts/classify`): the values of the vector and the terms of name and description, weighed
 * by their rarity and brought to unit length, are its features.
 */
export class Classifier {
  /** Names the weights and how texts are read. Skills that other rules have labelled are labelled again. */
  readonly rules: string;
  /** Id of the model whose vectors it reads. */
  readonly model: string;
  readonly #data: ClassifierData;
  readonly #termNumbers: ReadonlyMap<string, number>;
  readonly #stems = new Map<string, string>();
  /** The sum of each category; used again for each skill. */
  readonly #sums: Float64Array;

  constructor(data: ClassifierData) {
    this.#data = data;
    this.rules = data.rules;
    this.model = data.model;
    this.#termNumbers = new Map(data.terms.map((term, number) => [term, number]));
    this.#sums = new Float64Array(data.categories.length);
  }

  /**
   * The categories of a skill: at most three slugs, the likeliest first. Empty if none is
   * certain enough.
   *
   * @param vector of the skill, by {@link model}
   */
  classify(name: string, description: string, vector: Float32Array): string[] {
    const { categories, biases, thresholds } = this.#data;
    const sums = this.#sums;
    sums.set(biases);
    this.#addVector(vector);
    this.#addTerms(skillTerms(name, description, (term) => this.#stemOf(term)));
    const found: { readonly slug: string; readonly probability: number }[] = [];
    for (const [category, slug] of categories.entries()) {
      const probability = 1 / (1 + Math.exp(-sums[category]!));
      if (probability >= thresholds[category]!) found.push({ slug, probability });
    }
    // Equal ones stay in the order of the taxonomy.
    found.sort((a, b) => b.probability - a.probability);
    return found.slice(0, MAX_DERIVED_CATEGORIES).map(({ slug }) => slug);
  }

  #stemOf(term: string): string {
    const known = this.#stems.get(term);
    if (known !== undefined) return known;
    const stem = stemOf(term);
    if (this.#stems.size < MAX_STEMS) this.#stems.set(term, stem);
    return stem;
  }

  #addVector(vector: Float32Array): void {
    const { dimensions, vectorWeights } = this.#data;
    if (vector.length !== dimensions)
      throw new Error(`expected a vector of ${dimensions} values, got ${vector.length}`);
    const sums = this.#sums;
    for (let category = 0, at = 0; category < sums.length; category++) {
      let sum = 0;
      for (let i = 0; i < dimensions; i++) sum += vector[i]! * vectorWeights[at++]!;
      sums[category]! += sum;
    }
  }

  #addTerms(terms: ReadonlyMap<string, number>): void {
    const { rarities, termWeights, termScales } = this.#data;
    const numbers: number[] = [];
    const values: number[] = [];
    let square = 0;
    for (const [term, weight] of terms) {
      const number = this.#termNumbers.get(term);
      if (number === undefined) continue;
      const value = weight * rarities[number]!;
      numbers.push(number);
      values.push(value);
      square += value * value;
    }
    if (square === 0) return;
    const sums = this.#sums;
    const length = Math.sqrt(square);
    for (const [i, number] of numbers.entries()) {
      const value = values[i]! / length;
      const at = number * sums.length;
      for (let category = 0; category < sums.length; category++) {
        sums[category]! += value * termWeights[at + category]! * termScales[category]!;
      }
    }
  }
}

/** How many times as much a term of the name weighs as one of the description. */
const NAME_WEIGHT = 1.5;

/**
 * The terms by which a skill is classified: the stems of its name and description, each once.
 *
 * @param stem as `stemOf`; somebody who reads many skills may remember stems
 * @returns the weight of each, before that of its rarity: {@link NAME_WEIGHT} or 1
 */
export function skillTerms(
  name: string,
  description: string,
  stem: (term: string) => string = stemOf,
): Map<string, number> {
  const terms = new Map<string, number>();
  addTerms(terms, name, NAME_WEIGHT, stem);
  addTerms(terms, description, 1, stem);
  return terms;
}

function addTerms(terms: Map<string, number>, text: string, weight: number, stem: (term: string) => string): void {
  for (const { term, kind } of readWords(text)) {
    // A single character of a text without spaces says little.
    if (kind === 'character') continue;
    const form = stem(term);
    if (!terms.has(form)) terms.set(form, weight);
  }
}
