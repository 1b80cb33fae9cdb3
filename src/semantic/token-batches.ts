import type { TextModel } from './text-model.js';

/** Vectors one after the other. */
export interface Vectors {
  readonly values: Float32Array<ArrayBuffer>;
  readonly dimensions: number;
}

/**
 * Tokens that a text is filled up to a multiple of, where texts share a batch. Only texts of as many tokens do, so
 * filling up makes batches of three texts out of batches of one and a half, for one or two idle tokens a text.
 */
const FILLED_TO = 4;

/** Most tokens of a batch of several texts. What is computed for more no longer fits the cache of a core. */
const MOST_TOKENS = 512;

/** Texts by which a model shows whether the vector of a text depends on others. Their values range differently. */
const PROBES = ['write release notes from the git log', '!!! 99 99 99 ???', 'zürich 会议 纪要 qq xx'];

/** The inputs that are known of a model. */
const INPUTS: readonly string[] = ['input_ids', 'attention_mask', 'token_type_ids'];
const OUTPUT = 'last_hidden_state';

/**
 * Embeds texts by the mean of the vectors of their tokens, of unit length. Several texts of as many tokens go through
 * the model together: that takes three quarters of the time.
 *
 * Dynamic int8 quantisation chooses its scales over a whole batch, so in a batch the vector of a text would depend on
 * its neighbours. Whether it does is found out when the model is loaded. With such a model each text goes alone.
 */
export class TokenBatches {
  /** Whether the vector of a text is the same, bit by bit, in a batch and alone. */
  readonly together: boolean;
  readonly #model: TextModel;

  private constructor(model: TextModel, together: boolean) {
    this.#model = model;
    this.together = together;
  }

  /** @returns undefined if the model has other inputs or outputs than an encoder of text */
  static async of(model: TextModel): Promise<TokenBatches | undefined> {
    if (!model.outputs.includes(OUTPUT)) return undefined;
    if (!model.inputNames.every((name) => INPUTS.includes(name))) return undefined;
    return new TokenBatches(model, await new TokenBatches(model, true).#keepsVectors());
  }

  /** @param stopped whether to leave out the remaining texts */
  async embed(texts: readonly string[], stopped: () => boolean = () => false): Promise<Vectors> {
    const tokens = texts.map((text) => this.#model.tokensOf(text));
    let values = new Float32Array();
    let dimensions = 0;
    for (const batch of this.#batches(tokens)) {
      if (stopped()) break;
      const vectors = await this.#run(batch.map((text) => tokens[text]!));
      if (dimensions === 0) {
        dimensions = vectors.dimensions;
        values = new Float32Array(dimensions * texts.length);
      }
      for (const [i, text] of batch.entries()) {
        values.set(vectors.values.subarray(i * dimensions, (i + 1) * dimensions), text * dimensions);
      }
    }
    return { values, dimensions };
  }

  /** Whether some texts get the same vectors together as alone. Not so with a model that takes no batches. */
  async #keepsVectors(): Promise<boolean> {
    // Told apart from failing, because the runtime prints what fails.
    if (this.#model.alone) return false;
    try {
      return await this.#areSameTogether();
    } catch {
      return false;
    }
  }

  /** @throws {Error} if the model takes one text at a time only */
  async #areSameTogether(): Promise<boolean> {
    const tokens = PROBES.map((text) => this.#model.tokensOf(text));
    const least = Math.min(...tokens.map(({ length }) => length));
    const equal = tokens.map((list) => list.slice(0, least));
    const { values, dimensions } = await this.#run(equal);
    for (const [i, list] of equal.entries()) {
      const alone = (await this.#run([list])).values;
      for (let d = 0; d < dimensions; d++) if (alone[d] !== values[i * dimensions + d]) return false;
    }
    return true;
  }

  /** Texts of as many tokens, as numbers of texts. */
  #batches(tokens: readonly (readonly number[])[]): readonly (readonly number[])[] {
    if (!this.together) return tokens.map((_, text) => [text]);
    const open = new Map<number, number[]>();
    const batches: number[][] = [];
    for (const [text, { length }] of tokens.entries()) {
      const filled = this.#filled(length);
      let batch = open.get(filled);
      if (batch === undefined || (batch.length + 1) * filled > MOST_TOKENS) {
        batch = [];
        batches.push(batch);
        open.set(filled, batch);
      }
      batch.push(text);
    }
    return batches;
  }

  /** Tokens that a text is filled up to. It depends on the text alone, so its vector does, too. */
  #filled(length: number): number {
    if (!this.together) return length;
    return Math.max(length, Math.min(Math.ceil(length / FILLED_TO) * FILLED_TO, this.#model.most));
  }

  /** @param texts the tokens of texts that are filled up to the same length */
  async #run(texts: readonly (readonly number[])[]): Promise<Vectors> {
    const length = this.#filled(texts[0]!.length);
    const { data } = (await this.#model.run(texts, length))[OUTPUT]!;
    const dimensions = data.length / (texts.length * length);
    const values = new Float32Array(texts.length * dimensions);
    for (let text = 0; text < texts.length; text++) {
      const from = text * length * dimensions;
      writeMean(data, from, texts[text]!.length, values.subarray(text * dimensions, (text + 1) * dimensions));
    }
    return { values, dimensions };
  }
}

/** Writes the direction of the mean of some vectors. */
function writeMean(data: Float32Array, from: number, count: number, into: Float32Array): void {
  const dimensions = into.length;
  for (let i = 0, at = from; i < count; i++) {
    for (let d = 0; d < dimensions; d++, at++) into[d] = into[d]! + data[at]!;
  }
  let squares = 0;
  for (let d = 0; d < dimensions; d++) squares += into[d]! * into[d]!;
  const norm = Math.sqrt(squares);
  if (norm > 0) for (let d = 0; d < dimensions; d++) into[d] = into[d]! / norm;
}
