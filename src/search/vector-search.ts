import { SkillSearchError } from '../core/index.js';
import { embedCatalogue } from '../indexing/index.js';
import type { Question } from '../keyword/index.js';
import type { Embedder, ModelOptions } from '../semantic/index.js';
import {
  type ChosenModel,
  checkDimensions,
  chooseModel,
  embedChecked,
  type LocalEmbedOptions,
  type LocalModel,
  readableShareChecked,
  readsLanguageChecked,
  sentencesOf,
} from '../semantic/index.js';
import type { CatalogueReader, VectorReader } from '../store/index.js';
import type { EmbeddingSink } from '../store/writing.js';
import type { NearestDocuments } from './nearest-documents.js';
import { modelOfVectors } from './nearest-documents.js';

/** What {@link VectorSearch.open} needs. */
interface VectorSearchOptions extends ModelOptions {
  /** Path of the catalogue's file; undefined for skills in memory. */
  readonly database: string | undefined;
  /** Where the vectors of skills in memory are stored; undefined for a file. They are embedded here. */
  readonly sink: EmbeddingSink | undefined;
  /** Whether the model is shared with other processes of this user. */
  readonly sharedModel: boolean;
  /** Opens the index of the stored vectors. */
  readonly openNearest: (reader: CatalogueReader) => Promise<NearestDocuments>;
  /** Stops the opening. */
  readonly signal: AbortSignal;
}

/** A question as it is embedded. */
interface EmbedQuestionOptions {
  /** What it is in English; undefined if it is English, or in a language without a table. */
  readonly gloss?: Pick<Question, 'text'> | undefined;
  /** Whether the vectors of its sentences are wanted. */
  readonly sentences?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The vectors of a question, as they come. */
export interface EmbeddedQuestion {
  readonly whole: Promise<WholeQuestion>;
  /** Empty for a question of one sentence. */
  readonly sentences: Promise<readonly Float32Array[]>;
  /** Share of the question that the model can read, 0 to 1. */
  readonly readable: number;
  /** Whether the model reads the language of the question, or what it is in English. */
  readonly readsLanguage: boolean;
}

interface WholeQuestion {
  /** As it stands. */
  readonly own: Float32Array;
  /** The same; if it is also read in English by another model, the direction between both. */
  readonly vector: Float32Array;
}

/** Finds the documents of a catalogue by meaning: a model that embeds questions, and an index of the stored vectors. */
export class VectorSearch {
  /** Id of the model. */
  readonly model: string;
  readonly #chosen: ChosenModel;
  readonly #embedder: Embedder;
  /** The same, if it is a model of this machine. */
  readonly #local: LocalModel | undefined;
  readonly #options: VectorSearchOptions;
  /** The documents of the catalogue by their vectors. */
  documents: NearestDocuments;
  #vectors: VectorReader;

  private constructor(
    chosen: ChosenModel,
    embedder: Embedder,
    options: VectorSearchOptions,
    documents: NearestDocuments,
    vectors: VectorReader,
  ) {
    this.model = chosen.id;
    this.#chosen = chosen;
    this.#embedder = embedder;
    this.#local = chosen.path === undefined ? undefined : (embedder as LocalModel);
    this.#options = options;
    this.documents = documents;
    this.#vectors = vectors;
  }

  /**
   * Loads the model and opens the index. Embeds skills in memory first.
   *
   * @throws {SkillSearchError} `NO_VECTORS`, `MODEL_MISMATCH`, `MODEL_NOT_FOUND`, `MODEL_NOT_READABLE`,
   *   `MODEL_RUNTIME_MISSING`, `EMBEDDER_FAILED`
   * @throws the signal's reason when aborted
   */
  static async open(reader: CatalogueReader, options: VectorSearchOptions): Promise<VectorSearch> {
    const { database, sink, sharedModel, openNearest, signal } = options;
    const { vectors } = reader;
    // An empty catalogue has no vectors; any model may search it.
    const needsVectors = reader.countSkills() > 0;
    // Asked before all files of the model are read for its id.
    if (needsVectors && sink === undefined) modelOfVectors(vectors, database, options.embedder !== undefined);
    const chosen = await chooseModel(options, { early: sink === undefined, shared: sharedModel });
    if (sink !== undefined) await embedCatalogue(sink, chosen, { signal, onProgress: () => {} });
    const starting = chosen.start(1);
    // Awaited below. This catch only prevents an unhandled rejection.
    starting.catch(() => {});
    try {
      if (needsVectors) checkModel(vectors, chosen, database);
      const documents = await openNearest(reader);
      return new VectorSearch(chosen, await starting, options, documents, vectors);
    } catch (error) {
      await starting.then((embedder) => chosen.stop(embedder)).catch(() => {});
      throw error;
    }
  }

  /**
   * Embeds a question. In a language that the model does not read, what it is in English takes its place; in one that
   * the model for other languages reads, that is embedded beside it.
   *
   * @throws {SkillSearchError} `EMBEDDER_FAILED`
   * @throws the signal's reason when aborted
   */
  embed(
    { text, language }: Pick<Question, 'text' | 'language'>,
    { gloss, sentences = false, signal }: EmbedQuestionOptions = {},
  ): EmbeddedQuestion {
    const readsOwn = gloss === undefined || this.#readsLanguage(language);
    const q = readsOwn ? text : gloss.text;
    const isBoth = readsOwn && gloss !== undefined && this.#local?.firstReadsLanguage(language) === false;
    const readable = readableShareChecked(this.#embedder, q);
    const others = sentences && readable > 0 ? sentencesOf(q) : [];
    return {
      whole: this.#embed(isBoth ? [q, gloss.text] : [q], { signal }).then(([own, inEnglish]) => ({
        own: own!,
        vector: inEnglish === undefined ? own! : between(own!, inEnglish),
      })),
      sentences: others.length === 0 ? Promise.resolve([]) : this.#embed(others, { signal, partOf: q }),
      readable,
      readsLanguage: gloss !== undefined || this.#readsLanguage(language),
    };
  }

  async #embed(texts: readonly string[], options: LocalEmbedOptions): Promise<readonly Float32Array[]> {
    const vectors = await embedChecked(this.#embedder, texts, { ...options, purpose: 'question' });
    if (this.documents.size > 0) checkDimensions(this.#embedder, vectors, this.documents.dimensions);
    return vectors;
  }

  /** Goes over to the next revision of skills in memory: embeds those without a vector, and opens the index again. */
  async useRevision(reader: CatalogueReader, signal: AbortSignal): Promise<void> {
    const { sink, openNearest } = this.#options;
    const model = { ...this.#chosen, start: async () => this.#embedder, stop: async () => {} };
    await embedCatalogue(sink!, model, { signal, onProgress: () => {} });
    this.#vectors = reader.vectors;
    this.documents = await openNearest(reader);
  }

  /** Whether a second model, for texts in other languages, was to be loaded. */
  get otherLanguagesWanted(): boolean {
    return this.#local?.otherLanguagesWanted === true;
  }

  /**
   * Loads a second model, for texts in other languages, if there is one.
   *
   * @throws {SkillSearchError} `MODEL_NOT_READABLE`, `EMBEDDER_FAILED`
   */
  async loadOtherLanguages(): Promise<void> {
    await this.#local?.loadOtherLanguages();
  }

  /** Milliseconds until a question that is asked now would be read. */
  expectedWait(question: string): number {
    const wait: unknown = this.#embedder.expectedWait?.(question) ?? 0;
    return typeof wait === 'number' && wait >= 0 ? wait : 0;
  }

  /**
   * Whether the model reads a language. Of two models only the first counts while the vectors are those of a former
   * version, which may have had no second: its vectors of skills in other languages would say nothing.
   *
   * @param language ISO 639-1
   */
  #readsLanguage(language: string): boolean {
    const isFormer = this.#vectors.model !== this.#embedder.model;
    if (isFormer && this.#local !== undefined) return this.#local.firstReadsLanguage(language);
    return readsLanguageChecked(this.#embedder, language);
  }

  /** Stops the model. */
  async close(): Promise<void> {
    await this.#chosen.stop(this.#embedder);
  }
}

function checkModel(vectors: VectorReader, chosen: ChosenModel, database = 'the catalogue'): void {
  const model = modelOfVectors(vectors, database);
  // Vectors of a former version of the model serve until a load has made those of this one.
  if (model !== chosen.id && !chosen.compatible.includes(model)) {
    const message = `${database} has vectors of the model ${model}, but the question would be read by ${chosen.id}: open it with that model, or load its sources again with ${chosen.path === undefined ? 'this embedder' : `the model ${chosen.path}`}`;
    throw new SkillSearchError('MODEL_MISMATCH', message, { path: database });
  }
}

/**
 * The direction in the middle of a question's vector and that of what it is in English, of length 1. Neither is right
 * alone: the one is of a model that puts meaning across languages near, not at, its place, the other of single words.
 */
function between(own: Float32Array, inEnglish: Float32Array): Float32Array {
  const sum = own.map((value, i) => value + inEnglish[i]!);
  const length = Math.hypot(...sum);
  return length === 0 ? own : sum.map((value) => value / length);
}
