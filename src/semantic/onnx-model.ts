import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { inNativeCode, type ReadTokenizer, readTokenizer } from '../core/index.js';
import type { ModelSettings } from './settings.js';

/** Outputs that are known of models, each for texts: vectors of their tokens, or one vector for each. */
const OUTPUTS = ['last_hidden_state', 'token_embeddings', 'sentence_embedding'] as const;
export type OutputName = (typeof OUTPUTS)[number];

/** The inputs of a plain encoder of text. */
const USUAL_INPUTS: readonly string[] = ['input_ids', 'attention_mask', 'token_type_ids'];

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
   * @returns the numbers of an output, text by text
   * @throws {Error} if the model needs something else, or gives something else than single-precision numbers
   */
  run(texts: readonly (readonly number[])[], length: number, output: OutputName): Promise<Float32Array>;
}

/** The package, loaded. */
type Runtime = typeof import('onnxruntime-node');

/** @throws {Error} if the package is not installed, or its compiled part does not fit this system */
export function importRuntime(): Promise<Runtime> {
  return inNativeCode(() => import('onnxruntime-node'));
}

/** Where a model is, and how much it reads. */
interface ModelPlace {
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

/**
 * Loads a model of a folder in the layout of Transformers.js, which ONNX Runtime runs.
 *
 * @throws {Error} if a file cannot be read or is none of a model
 */
export async function loadModel(
  runtime: Runtime,
  { folder, weights, maxTokens }: ModelPlace,
): Promise<TextModel & Pick<ReadTokenizer, 'vocabulary'>> {
  runtime.env.logLevel = 'error';
  const session = await inNativeCode(() =>
    runtime.InferenceSession.create(join(folder, weights), {
      executionProviders: ['cpu'],
      // Parallel work is spread over several threads that have a session each.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    }),
  );
  const { tokenizer, most: mostOfTokenizer, vocabulary } = await readTokenizer(folder);
  const most = maxTokens ?? mostOfTokenizer;
  const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as { readonly model_type?: unknown };
  const firstPosition = FROM_ONE.includes(config.model_type) ? 1n : 0n;
  const { inputNames, outputNames, inputMetadata } = session;
  return {
    inputNames,
    outputs: OUTPUTS.filter((name) => outputNames.includes(name)),
    alone: inputMetadata.some(({ shape }) => shape?.[0] === 1),
    most,
    vocabulary,
    tokensOf: (text) => tokenizer.encode(text).ids.slice(0, most),
    run: async (texts, length, output) => {
      const ids = new BigInt64Array(texts.length * length);
      const mask = new BigInt64Array(ids.length);
      for (const [text, tokens] of texts.entries()) {
        for (let i = 0, at = text * length; i < tokens.length; i++, at++) {
          ids[at] = BigInt(tokens[i]!);
          mask[at] = 1n;
        }
      }
      const inputOf = (input: InferenceSession['inputMetadata'][number]): Tensor => {
        const of = (data: BigInt64Array): Tensor => new runtime.Tensor('int64', data, [texts.length, length]);
        if (input.name === 'input_ids') return of(ids);
        if (input.name === 'attention_mask') return of(mask);
        if (input.name === 'token_type_ids') return of(new BigInt64Array(ids.length));
        if (input.name === 'position_ids') return of(ids.map((_, i) => firstPosition + BigInt(i % length)));
        if (MEMORY.test(input.name)) return emptyMemory(runtime, input, texts.length);
        throw new Error(`it takes ${input.name}, which is not known`);
      };
      const inputs = Object.fromEntries(inputMetadata.map((input) => [input.name, inputOf(input)]));
      const { data, type } = (await inNativeCode(() => session.run(inputs, [output])))[output]!;
      if (data instanceof Float32Array) return data;
      throw new Error(`its ${output} are of the type ${type}, and float32 is needed`);
    },
  };
}

/** Nothing was read before. */
function emptyMemory(
  { Tensor }: Runtime,
  { type = 'float32', shape = [] }: InferenceSession['inputMetadata'][number],
  texts: number,
): Tensor {
  const dims = shape.map((size, axis) => (axis === 0 ? texts : typeof size === 'number' ? size : 0));
  return new Tensor(type, type === 'float16' ? new Uint16Array() : new Float32Array(), dims);
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

/**
 * Embeds texts, with vectors of unit length. A plain encoder gets several texts of as many tokens at once: that takes
 * three quarters of the time.
 *
 * Dynamic int8 quantisation chooses its scales over a whole batch, so in a batch the vector of a text would depend on
 * its neighbours. Whether it does is found out when the model is loaded. With such a model each text goes alone.
 */
export class SentenceEncoder {
  /** Whether the vector of a text is the same, bit by bit, in a batch and alone. */
  readonly together: boolean;
  readonly #model: TextModel;
  readonly #output: OutputName;
  readonly #pooling: ModelSettings['pooling'];

  private constructor(model: TextModel, output: OutputName, pooling: ModelSettings['pooling'], together: boolean) {
    this.#model = model;
    this.#output = output;
    this.#pooling = output === 'sentence_embedding' ? output : pooling;
    this.together = together;
  }

  /** @throws {Error} if the model has no output that the pooling asks for */
  static async of(model: TextModel, pooling: ModelSettings['pooling']): Promise<SentenceEncoder> {
    const { alone, inputNames } = model;
    const output = outputFor(model, pooling);
    const isPlain = output === 'last_hidden_state' && inputNames.every((name) => USUAL_INPUTS.includes(name));
    if (isPlain && pooling === 'mean' && !alone) {
      const batches = new SentenceEncoder(model, output, pooling, true);
      // A model that takes no batches fails.
      if (await batches.#areSameTogether().catch(() => false)) return batches;
    }
    return new SentenceEncoder(model, output, pooling, false);
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

  /** Whether some texts get the same vectors together as alone. */
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
    const data = await this.#model.run(texts, length, this.#output);
    const rows = this.#pooling === 'sentence_embedding' ? 1 : length;
    const dimensions = data.length / (texts.length * rows);
    const values = new Float32Array(texts.length * dimensions);
    for (const [text, { length: count }] of texts.entries()) {
      const into = values.subarray(text * dimensions, (text + 1) * dimensions);
      const [first, some] =
        this.#pooling === 'mean' ? [0, count] : this.#pooling === 'last_token' ? [count - 1, 1] : [0, 1];
      writeMean(data, (text * rows + first) * dimensions, some, into);
    }
    return { values, dimensions };
  }
}

function outputFor({ outputs }: TextModel, pooling: ModelSettings['pooling']): OutputName {
  const ofTokens = outputs.find((name) => name !== 'sentence_embedding');
  if (pooling !== 'sentence_embedding' && ofTokens !== undefined) return ofTokens;
  if (outputs.includes('sentence_embedding')) return 'sentence_embedding';
  const needed = pooling === 'sentence_embedding' ? pooling : 'last_hidden_state or sentence_embedding';
  throw new Error(`it has the outputs ${outputs.join(', ')}, and ${needed} is needed`);
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
