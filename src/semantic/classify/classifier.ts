import { stemOf } from '../../core/index.js';
import type { ClassifierData } from './read-classifier.js';
import { skillTerms } from './skill-terms.js';

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
