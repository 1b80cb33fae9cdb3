import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { inNativeCode, type ReadTokenizer, readTokenizer, type Tokenizer } from '../core/index.js';
import type { ModelSettings, Pooling } from './settings.js';

/** Outputs that are known of models, each for texts: vectors of their tokens, or one vector for each. */
const OUTPUTS = ['last_hidden_state', 'token_embeddings', 'sentence_embedding'] as const;
export type OutputName = (typeof OUTPUTS)[number];

/** Numbers that a model gives. */
interface ModelOutput {
  readonly data: Float32Array;
  /** How many there are along each axis. The first axis are the texts, the last the values of a vector. */
  readonly dims: readonly number[];
}

export type ModelOutputs = Readonly<Partial<Record<OutputName, ModelOutput>>>;

/** A model that is loaded. */
export interface TextModel {
  readonly inputNames: readonly string[];
  readonly outputs: readonly OutputName[];
  /** Whether it says itself that it takes one text at a time only. */
  readonly alone: boolean;
  /** Most tokens of a text. The model may have no position behind them. */
  readonly most: number;
  /** The tokens of a text, cut at {@link most}. */
  tokensOf(text: string): readonly number[];
  /**
   * Runs the model.
   *
   * @param texts the tokens of texts
   * @param length tokens that each text is filled up to; the model is told not to read these
   * @throws {Error} if the model needs something else, or gives something else than single-precision numbers
   */
  run(texts: readonly (readonly number[])[], length: number): Promise<ModelOutputs>;
}

/** The package, loaded. */
export type Runtime = typeof import('onnxruntime-node');

/** @throws {Error} if the package is not installed, or its compiled part does not fit this system */
export function importRuntime(): Promise<Runtime> {
  return inNativeCode(() => import('onnxruntime-node'));
}

/** Where a model is, and how much it reads. */
export interface ModelPlace {
  /** Absolute path. */
  readonly folder: string;
  /** The file with the model, in the folder. */
  readonly weights: string;
  /** Tokens of a text that are read; undefined if it is what the tokenizer says. */
  readonly maxTokens: number | undefined;
}

/** Models that count the positions of tokens from 1. */
const FROM_ONE: readonly unknown[] = ['gemma3_text', 'gemma3', 'paligemma'];

/** Where such a model keeps what it has read before. */
const MEMORY = /^past_/;

/** A model of a folder in the layout of Transformers.js, which ONNX Runtime runs. */
export class OnnxModel implements TextModel {
  readonly inputNames: readonly string[];
  readonly outputs: readonly OutputName[];
  readonly alone: boolean;
  readonly most: number;
  /** Entries of the vocabulary. */
  readonly vocabulary: () => readonly string[];
  readonly #runtime: Runtime;
  readonly #session: InferenceSession;
  readonly #tokenizer: Tokenizer;
  readonly #firstPosition: bigint;

  private constructor(
    runtime: Runtime,
    session: InferenceSession,
    { tokenizer, most, vocabulary }: ReadTokenizer,
    { folder, maxTokens }: ModelPlace,
  ) {
    const { model_type: type } = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as {
      readonly model_type?: unknown;
    };
    this.inputNames = session.inputNames;
    this.outputs = OUTPUTS.filter((name) => session.outputNames.includes(name));
    this.alone = session.inputMetadata.some(({ shape }) => shape?.[0] === 1);
    this.most = maxTokens ?? most;
    this.vocabulary = vocabulary;
    this.#runtime = runtime;
    this.#session = session;
    this.#tokenizer = tokenizer;
    this.#firstPosition = FROM_ONE.includes(type) ? 1n : 0n;
  }

  /**
   * Loads a model.
   *
   * @throws {Error} if a file cannot be read or is none of a model
   */
  static async load(runtime: Runtime, place: ModelPlace): Promise<OnnxModel> {
    runtime.env.logLevel = 'error';
    const session = await inNativeCode(() =>
      runtime.InferenceSession.create(join(place.folder, place.weights), {
        executionProviders: ['cpu'],
        // Parallel work is spread over several threads that have a session each.
        intraOpNumThreads: 1,
        interOpNumThreads: 1,
        logSeverityLevel: 3,
      }),
    );
    return new OnnxModel(runtime, session, await readTokenizer(place.folder), place);
  }

  tokensOf(text: string): readonly number[] {
    const { ids } = this.#tokenizer.encode(text);
    return ids.length > this.most ? ids.slice(0, this.most) : ids;
  }

  async run(texts: readonly (readonly number[])[], length: number): Promise<ModelOutputs> {
    const ids = new BigInt64Array(texts.length * length);
    const mask = new BigInt64Array(ids.length);
    for (const [text, tokens] of texts.entries()) {
      for (let i = 0, at = text * length; i < tokens.length; i++, at++) {
        ids[at] = BigInt(tokens[i]!);
        mask[at] = 1n;
      }
    }
    const shape = [texts.length, length];
    const inputs = Object.fromEntries(
      this.#session.inputMetadata.map((input) => [input.name, this.#input(input, ids, mask, shape)]),
    );
    const outputs = await inNativeCode(() => this.#session.run(inputs, this.outputs));
    return Object.fromEntries(this.outputs.map((name) => [name, floatsOf(name, outputs[name]!)]));
  }

  #input(
    { name, type, shape: known = [] }: InferenceSession['inputMetadata'][number],
    ids: BigInt64Array,
    mask: BigInt64Array,
    shape: readonly number[],
  ): Tensor {
    const of = (data: BigInt64Array): Tensor => new this.#runtime.Tensor('int64', data, shape);
    if (name === 'input_ids') return of(ids);
    if (name === 'attention_mask') return of(mask);
    if (name === 'token_type_ids') return of(new BigInt64Array(ids.length));
    if (name === 'position_ids') {
      return of(ids.map((_, i) => this.#firstPosition + BigInt(i % shape[1]!)));
    }
    if (MEMORY.test(name)) {
      // Nothing was read before.
      const dims = known.map((size, axis) => (axis === 0 ? shape[0]! : typeof size === 'number' ? size : 0));
      return new this.#runtime.Tensor(
        type ?? 'float32',
        type === 'float16' ? new Uint16Array() : new Float32Array(),
        dims,
      );
    }
    throw new Error(`it takes ${name}, which is not known`);
  }
}

function floatsOf(name: string, { data, dims, type }: Tensor): ModelOutput {
  if (!(data instanceof Float32Array)) throw new Error(`its ${name} are of the type ${type}, and float32 is needed`);
  return { data, dims };
}

/** Embeds one text. */
export type SentenceVectors = (text: string) => Promise<Float32Array<ArrayBuffer>>;

/**
 * How a model's output becomes the vector of a text, of unit length.
 *
 * @throws {Error} if the model has no output that the settings ask for
 */
export function sentenceVectors(model: TextModel, { pooling }: Pick<ModelSettings, 'pooling'>): SentenceVectors {
  const { outputs } = model;
  const ofTokens = outputs.find((name) => name !== 'sentence_embedding');
  if (pooling !== 'sentence_embedding' && ofTokens !== undefined) {
    return async (text) => unit(POOLED[pooling]((await run(model, text))[ofTokens]!));
  }
  if (outputs.includes('sentence_embedding')) {
    return async (text) => unit((await run(model, text)).sentence_embedding!.data.slice());
  }
  const needed = pooling === 'sentence_embedding' ? pooling : 'last_hidden_state or sentence_embedding';
  throw new Error(`it has the outputs ${outputs.join(', ')}, and ${needed} is needed`);
}

function run(model: TextModel, text: string): ReturnType<TextModel['run']> {
  const tokens = model.tokensOf(text);
  return model.run([tokens], tokens.length);
}

const POOLED: Readonly<Record<Pooling, (output: ModelOutput) => Float32Array<ArrayBuffer>>> = {
  mean,
  cls: ({ data, dims }) => data.slice(0, dims.at(-1)),
  last_token: ({ data, dims }) => data.slice(-dims.at(-1)!),
};

function mean({ data, dims }: ModelOutput): Float32Array<ArrayBuffer> {
  const dimensions = dims.at(-1)!;
  const count = data.length / dimensions;
  const values = new Float32Array(dimensions);
  for (let d = 0; d < dimensions; d++) {
    let sum = 0;
    for (let at = d; at < data.length; at += dimensions) sum += data[at]!;
    values[d] = sum / count;
  }
  return values;
}

/** Gives a vector unit length, in its place. Sums in single precision, as the vectors that are stored were made. */
function unit(vector: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const norm = new Float32Array(1);
  for (const value of vector) norm[0] = norm[0]! + value ** 2;
  norm[0] = norm[0]! ** 0.5;
  return vector.map((value) => value / norm[0]!);
}

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
