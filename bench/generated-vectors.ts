import { randomNumbers } from '../src/evaluation/compare.js';
import type { Embedder } from '../src/index.js';
import type { Random } from './random.js';

const DIMENSIONS = 384;
/** Embeddings of text fill far fewer directions than they have numbers. */
const LATENT = 48;
const CLUSTERS = 2000;
/** Spread of a vector about its cluster's centre, and of a question about its vector, as shares of the centre's own. */
const SPREAD = 0.7;
const QUESTION_SPREAD = 0.35;

/** Asks for the neighbourhood of a text: its vector, moved. */
const NEAR = 'near ';

/**
 * Stands for a model where only the search for neighbours is measured: unit vectors in clusters, made up from the text.
 * The same text gives the same vector; {@link questionNear} gives a text whose vector is near another's.
 */
export class GeneratedVectors implements Embedder {
  readonly model: string;
  /** From latent to real directions. */
  readonly #directions: Float32Array;
  readonly #centres: Float32Array;

  /** @param model whose name the vectors get */
  constructor(seed: number, model = 'generated-vectors') {
    this.model = model;
    const random = randomNumbers(seed);
    this.#directions = normals(random, DIMENSIONS * LATENT);
    this.#centres = normals(random, CLUSTERS * LATENT);
  }

  async embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    return texts.map((text) => this.vectorOf(text));
  }

  vectorOf(text: string): Float32Array {
    const base = text.startsWith(NEAR) ? text.slice(NEAR.length) : text;
    const random = randomNumbers(hashOf(base));
    const cluster = Math.floor(random() * CLUSTERS) * LATENT;
    const latent = normals(random, LATENT);
    for (let i = 0; i < LATENT; i++) {
      latent[i] = (this.#centres[cluster + i] as number) + SPREAD * (latent[i] as number);
    }
    if (base !== text) {
      const moves = normals(randomNumbers(hashOf(text)), LATENT);
      for (let i = 0; i < LATENT; i++) latent[i] = (latent[i] as number) + QUESTION_SPREAD * (moves[i] as number);
    }
    return this.#unitVector(latent);
  }

  #unitVector(latent: Float32Array): Float32Array {
    const vector = new Float32Array(DIMENSIONS);
    let squares = 0;
    for (let d = 0; d < DIMENSIONS; d++) {
      let sum = 0;
      for (let i = 0; i < LATENT; i++) sum += (this.#directions[d * LATENT + i] as number) * (latent[i] as number);
      vector[d] = sum;
      squares += sum * sum;
    }
    const norm = Math.sqrt(squares);
    for (let d = 0; d < DIMENSIONS; d++) vector[d] = (vector[d] as number) / norm;
    return vector;
  }
}

/** @param text what was embedded */
export function questionNear(text: string): string {
  return NEAR + text;
}

/** Normally distributed numbers: Box and Muller's transform. */
function normals(random: Random, count: number): Float32Array {
  const values = new Float32Array(count);
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    values[i] = radius * Math.cos(angle);
    values[i + 1] = radius * Math.sin(angle);
  }
  return values;
}

/** FNV-1a over UTF-16 units (Fowler, Noll, Vo). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
