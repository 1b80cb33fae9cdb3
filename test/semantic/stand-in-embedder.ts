import type { Embedder, EmbeddingPurpose, EmbedOptions } from '../../src/semantic/index.js';

/**
 * An embedder without a model: a text's vector is the sum of vectors drawn for its words, so texts that share words are
 * near each other. The same text always gives the same vector.
 */
export class StandInEmbedder implements Embedder {
  readonly model: string;
  /** All texts asked for so far. */
  readonly asked: string[] = [];
  /** What they were asked for, in the same order. */
  readonly purposes: EmbeddingPurpose[] = [];
  readonly #dimensions: number;

  constructor(model = 'stand-in', dimensions = 48) {
    this.model = model;
    this.#dimensions = dimensions;
  }

  async embed(texts: readonly string[], { signal, purpose = 'document' }: EmbedOptions = {}): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    await new Promise(setImmediate);
    signal?.throwIfAborted();
    this.asked.push(...texts);
    this.purposes.push(...texts.map(() => purpose));
    return texts.map((text) => this.#vectorOf(text));
  }

  #vectorOf(text: string): Float32Array {
    const sum = new Float32Array(this.#dimensions);
    const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['nothing'];
    for (const word of words) {
      let state = hash(word);
      for (let i = 0; i < sum.length; i++) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        sum[i] = (sum[i] as number) + state / 2 ** 31 - 1;
      }
    }
    const norm = Math.hypot(...sum);
    return sum.map((value) => value / norm);
  }
}

/** FNV-1a. */
function hash(word: string): number {
  let value = 2_166_136_261;
  for (const character of word) value = Math.imul(value ^ (character.codePointAt(0) as number), 16_777_619) >>> 0;
  return value;
}
