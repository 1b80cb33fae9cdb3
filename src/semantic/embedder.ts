import nodeModule from 'node:module';
import { resolve } from 'node:path';
import { checkPath, describeValue, orUndefined, SkillSearchError, untilAborted } from '../core/index.js';

/**
 * Turns texts into vectors. The library uses its bundled model by default; a caller may pass an embedder instead.
 *
 * Vectors must be in the order of the texts, all with the same number of values and of unit length. The vector of a
 * text must depend neither on the other texts of a call nor on earlier calls. `test/semantic/embedder-contract.ts`
 * tests this.
 *
 * @example
 * const embedder: Embedder = {
 *   model: 'my-model@1',
 *   embed: async (texts, { purpose } = {}) =>
 *     Promise.all(texts.map((text) => myModel.vectorOf(purpose === 'question' ? `query: ${text}` : text))),
 * };
 * await buildCatalogue({ database: 'skills.db', sources: ['./skills'], embedder });
 * await using search = await openSkillSearch({ database: 'skills.db', embedder });
 */
export interface Embedder {
  /**
   * Name of the model, in one line. Vectors are stored under it and never compared with those of another name, so every
   * change of the vectors needs a new name.
   */
  readonly model: string;
  /**
   * Embeds texts: one vector for each, in the same order.
   *
   * @throws the signal's reason when aborted
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
  /**
   * The share of a question that the model can read, 0 to 1. The vector of a text in a script that the model has not
   * learnt says nothing, so the smaller this is the less `hybrid` counts it. Without this method it is 1.
   */
  readableShare?(question: string): number;
  /**
   * Whether the model was made for texts in a language. This is not {@link readableShare}, because a model may read the
   * letters of a language and not the language. Without this method it is true.
   *
   * @param language ISO 639-1
   */
  readsLanguage?(language: string): boolean;
  /**
   * Milliseconds until a text that is given now would be begun, as far as is known. A search that may not wait so long
   * fails with `BUSY` before any work is done for it. Without this method a text is begun at once.
   *
   * @param text that would be given; where several models embed, it tells which of them
   */
  expectedWait?(text?: string): number;
  /** Releases what the embedder holds. The library never calls it on an embedder that a caller passes. */
  close?(): Promise<void>;
}

export interface EmbedOptions {
  readonly signal?: AbortSignal | undefined;
  /** What all the texts are. @default 'document' */
  readonly purpose?: EmbeddingPurpose | undefined;
}

/**
 * What a text is: a question, or what questions are compared with. Many models put another prefix before each. An
 * embedder whose vectors do not depend on it may ignore it.
 */
export type EmbeddingPurpose = 'question' | 'document';

/** Texts for which another thread is started: starting one takes as long as embedding this many. */
export const TEXTS_PER_THREAD = 100;

/** How the models of this machine embed, beside what any embedder knows. */
export interface LocalEmbedOptions extends EmbedOptions {
  /** The question that the texts are sentences of. They go where it goes if their own language cannot be told. */
  readonly partOf?: string | undefined;
}

/** Which model makes vectors: by default the one that comes with the library. */
export interface ModelOptions {
  /**
   * Folder of another model, in the layout of Transformers.js: `config.json`, `tokenizer.json`, `tokenizer_config.json`
   * and `onnx/`.
   */
  readonly model?: string | undefined;
  /** An embedder of your own, instead of a model folder. It is never closed by the library. */
  readonly embedder?: Embedder | undefined;
}

/**
 * Checks the options, and makes the path of the folder absolute, as the process may change its working directory.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 */
export function resolveModelOptions({ model, embedder }: ModelOptions): ModelOptions {
  if (embedder !== undefined) {
    if (model !== undefined) throw new SkillSearchError('INVALID_OPTION', 'give `model` or `embedder`, not both');
    checkEmbedder(embedder);
    return { embedder };
  }
  if (model === undefined) return {};
  return { model: resolve(checkPath('model', model, 'a folder')) };
}

function checkEmbedder(embedder: unknown): asserts embedder is Embedder {
  const { model, embed } = (embedder ?? {}) as Partial<Embedder>;
  const named = typeof model === 'string' && model !== '' && model.isWellFormed() && !/\p{Cc}/u.test(model);
  if (named && typeof embed === 'function') return;
  const message = 'embedder must be an object with the name of its `model`, in one line, and a function `embed(texts)`';
  throw new SkillSearchError('INVALID_OPTION', message);
}

/** How far the norm of a vector may be from 1. Embedders that compute with 16-bit floats are off by less. */
const NORM_TOLERANCE = 0.01;

/**
 * Embeds texts and checks the vectors, so that a fault of an embedder is reported where it happens.
 *
 * @throws {SkillSearchError} `EMBEDDER_FAILED`
 * @throws the signal's reason when aborted
 */
export async function embedChecked(
  embedder: Embedder,
  texts: readonly string[],
  options: LocalEmbedOptions = {},
): Promise<readonly Float32Array[]> {
  let vectors: readonly Float32Array[];
  try {
    // An embedder may ignore the signal.
    vectors = await untilAborted(Promise.resolve(embedder.embed(texts, options)), options.signal);
  } catch (error) {
    if (error instanceof SkillSearchError || options.signal?.aborted === true) throw error;
    throw failedBy(embedder, error);
  }
  if (!Array.isArray(vectors) || vectors.length !== texts.length) {
    const got = Array.isArray(vectors) ? `${vectors.length} vectors` : typeof vectors;
    throw failed(embedder, `must return a vector for each of ${texts.length} texts, got ${got}`);
  }
  const expected = vectors[0]?.length ?? 0;
  for (const vector of vectors) {
    if (!(vector instanceof Float32Array) || vector.length !== expected || expected === 0) {
      const got = vector instanceof Float32Array ? `${vector.length} numbers` : typeof vector;
      throw failed(embedder, `must return a Float32Array of ${expected || 'some'} numbers for each text, got ${got}`);
    }
    const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    if (!(Math.abs(norm - 1) <= NORM_TOLERANCE)) {
      throw failed(embedder, `must return vectors of unit length, got one of length ${norm}`);
    }
  }
  return vectors;
}

/**
 * Checks that vectors can be compared with the stored ones.
 *
 * @param expected number of values in a stored vector
 * @throws {SkillSearchError} `EMBEDDER_FAILED` if a vector has another number of values
 */
export function checkDimensions(embedder: Embedder, vectors: readonly Float32Array[], expected: number): void {
  const other = vectors.find((vector) => vector.length !== expected);
  if (other === undefined) return;
  throw failed(embedder, `returned vectors of ${expected} numbers before, and one of ${other.length} now`);
}

/**
 * The share of a question that an embedder can read, 0 to 1.
 *
 * @throws {SkillSearchError} `EMBEDDER_FAILED` if the embedder returns anything else, or throws
 */
export function readableShareChecked(embedder: Embedder, question: string): number {
  const share = askedOf(embedder, () => embedder.readableShare?.(question) ?? 1);
  if (typeof share === 'number' && share >= 0 && share <= 1) return share;
  throw failed(embedder, `must return from readableShare() a number from 0 to 1, got ${describeValue(share)}`);
}

/**
 * Whether the model of an embedder reads a language.
 *
 * @param language ISO 639-1
 * @throws {SkillSearchError} `EMBEDDER_FAILED` if the embedder returns anything but a boolean, or throws
 */
export function readsLanguageChecked(embedder: Embedder, language: string): boolean {
  const reads = askedOf(embedder, () => embedder.readsLanguage?.(language) ?? true);
  if (typeof reads === 'boolean') return reads;
  throw failed(embedder, `must return from readsLanguage() a boolean, got ${describeValue(reads)}`);
}

function askedOf(embedder: Embedder, ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    throw error instanceof SkillSearchError ? error : failedBy(embedder, error);
  }
}

function failedBy(embedder: Embedder, error: unknown): SkillSearchError {
  return failed(embedder, `failed: ${error instanceof Error ? error.message : String(error)}`, error);
}

function failed({ model }: Embedder, message: string, cause?: unknown): SkillSearchError {
  return new SkillSearchError('EMBEDDER_FAILED', `the embedder of ${model} ${message}`, { cause });
}

// Bundles of ES modules get a `createRequire` of their own, see docs/library.md: the name must not be imported twice.

/** The optional package that runs models. */
export const RUNTIME_PACKAGE = 'onnxruntime-node';

/**
 * On Linux the installer of the runtime downloads libraries for CUDA unless this variable is set, and where that fails
 * npm leaves out the whole package without a word.
 */
const SKIP_CUDA = process.platform === 'linux' ? 'ONNXRUNTIME_NODE_INSTALL=skip ' : '';

/** The command that installs it. */
export const INSTALL_RUNTIME: string = `${SKIP_CUDA}npm install ${RUNTIME_PACKAGE}`;

/** Whether the package is there. Whether its compiled part fits this system shows when a model is loaded. */
export function isRuntimeInstalled(): boolean {
  return orUndefined(() => nodeModule.createRequire(import.meta.url).resolve(RUNTIME_PACKAGE)) !== undefined;
}

/** The greatest number of sentences that are embedded, so that a long question does not take many times as long. */
const MAX_SENTENCES = 8;

/** A sentence with fewer words asks for nothing by itself: it is a greeting, or says thanks. */
const WORDS_OF_A_SENTENCE = 3;

/** Made when first needed. What it reads takes 10 to 30 ms to load, once for all threads of a process. */
let segmenter: Intl.Segmenter | undefined;

/** What ends no sentence wherever it stands. */
const WITHIN = String.raw`[\p{L}\p{M}\p{N} ,;:'"()/+#&_-]`;

/** One sentence, with what may end it: most questions. Read at the start, so it knows of few characters. */
const ONE = new RegExp(`^${WITHIN}*[.!? ]*$`, 'u');

/** A text without any of these is one sentence (Unicode Standard Annex 29: `STerm`, `ATerm`, `Sep`, `CR`, `LF`). */
const MAY_END_A_SENTENCE = /[\p{Sentence_Terminal}\u2024\ufe52\uff0e\n\r\u0085\u2028\u2029]/u;

/** Loads what sentences are told apart with. A thread that does so spares the others of its process the wait. */
export function prepareSentences(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  return segmenter;
}

/**
 * The sentences of a question that has several; empty if it has one. A request often describes two or three tasks, each
 * for another skill: the vector of the whole is near to none of these skills.
 */
export function sentencesOf(question: string): string[] {
  if (ONE.test(question) || !MAY_END_A_SENTENCE.test(question)) return [];
  const sentences = [...prepareSentences().segment(question)]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence.split(/\s+/u).length >= WORDS_OF_A_SENTENCE);
  return sentences.length < 2 ? [] : sentences.slice(0, MAX_SENTENCES);
}
