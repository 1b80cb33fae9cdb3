import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Tokenizer } from '../core/index.js';
import { inNativeCode, type ReadTokenizer, readTokenizer } from '../core/index.js';
import { type ModelOutput, type ModelOutputs, OUTPUTS, type OutputName, type TextModel } from './text-model.js';

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
