import { Members } from '../arrays/members.js';
import { SkillSearchError } from '../errors.js';
import { embedCatalogue } from '../indexing/embed-catalogue.js';
import { checkDimensions, embedChecked, readableShareChecked } from '../semantic/check-vectors.js';
import { type ChosenModel, chooseModel } from '../semantic/choose-model.js';
import type { Embedder } from '../semantic/embedder.js';
import type { ModelOptions } from '../semantic/model-options.js';
import type { VectorSet } from '../semantic/nearest/vector-codes.js';
import { VectorIndex } from '../semantic/nearest/vector-index.js';
import { filesBeside } from '../store/file-names.js';
import { type CatalogueReader, NO_VECTOR } from '../store/read/catalogue-reader.js';
import type { VectorReader } from '../store/read/vector-reader.js';
import type { EmbeddingSink } from '../store/write/embedding-sink.js';

/** What {@link VectorSearch.open} needs. */
export interface VectorSearchOptions extends ModelOptions {
  /** The catalogue's file; undefined for one in memory. */
  readonly database: string | undefined;
  /** Of a catalogue in memory, whose skills are embedded when the first question comes. */
  readonly sink: EmbeddingSink | undefined;
  /** Stops the opening. */
  readonly signal: AbortSignal;
}

/** The skills of a catalogue by meaning: a model that reads questions, and an index over the stored vectors. */
export class VectorSearch {
  /** Id of the model. */
  readonly model: string;
  /** For each document the place of its vector, or {@link NO_VECTOR}. Documents of the same text share one. */
  readonly #placeOf: Int32Array;
  readonly #documents: Members;
  readonly #chosen: ChosenModel;
  readonly #embedder: Embedder;
  readonly #index: VectorIndex;
  readonly #vectors: VectorReader;

  private constructor(
    chosen: ChosenModel,
    embedder: Embedder,
    index: VectorIndex,
    vectors: VectorReader,
    placeOf: Int32Array,
  ) {
    this.model = chosen.id;
    this.#placeOf = placeOf;
    this.#documents = new Members(placeOf, index.size);
    this.#chosen = chosen;
    this.#embedder = embedder;
    this.#index = index;
    this.#vectors = vectors;
  }

  /**
   * Loads the model and the index.
   *
   * @throws {SkillSearchError} `NO_VECTORS`, `MODEL_MISMATCH`, `MODEL_NOT_FOUND`, `MODEL_NOT_READABLE`,
   *   `MODEL_RUNTIME_MISSING`, `EMBEDDER_FAILED`
   * @throws the signal's reason when aborted
   */
  static async open(reader: CatalogueReader, options: VectorSearchOptions): Promise<VectorSearch> {
    const { database, sink, signal } = options;
    const chosen = await chooseModel(options);
    if (sink !== undefined) await embedCatalogue(sink, chosen, { signal, onProgress: () => {} });
    const { vectors } = reader;
    // Nothing is found in nothing, by any model.
    if (reader.columns.size > 0) checkModel(vectors, chosen, database);
    const starting = chosen.start(1);
    // Told below; here only, so that a failure in between does not leave it unheard.
    starting.catch(() => {});
    let index: VectorIndex | undefined;
    try {
      index = await openIndex(vectors, reader.stamp, database, signal);
      const placeOf = await reader.vectorPlaces(index.keys, signal);
      return new VectorSearch(chosen, await starting, index, vectors, placeOf);
    } catch (error) {
      await index?.close();
      await starting.then((embedder) => chosen.stop(embedder)).catch(() => {});
      throw error;
    }
  }

  /** The vectors of a question, or of it and its sentences. */
  async embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]> {
    const embedded = await embedChecked(this.#embedder, texts, { signal });
    if (this.#index.size > 0) checkDimensions(this.#embedder, embedded, this.#index.dimensions);
    return embedded;
  }

  /**
   * How much of a question the model can read, 0 to 1.
   *
   * @throws {SkillSearchError} `EMBEDDER_FAILED`
   */
  readableShare(question: string): number {
    return readableShareChecked(this.#embedder, question);
  }

  /**
   * Places of the vectors nearest to a question's.
   *
   * @param filter one byte a document, 0 where it may not be found
   */
  nearest(vector: Float32Array, limit: number, filter?: Uint8Array): Promise<Uint32Array> {
    return this.#index.nearest(vector, limit, filter === undefined ? undefined : this.#placesOf(filter));
  }

  /** The documents that have the vector at a place. */
  documentsAt(place: number): Uint32Array {
    return this.#documents.of(place);
  }

  /**
   * The exact cosines of some vectors and some documents, from the stored vectors: for each document that has one, a cosine a
   * vector.
   */
  cosines(vectors: readonly Float32Array[], documents: readonly number[]): ReadonlyMap<number, readonly number[]> {
    const places = documents.map((document) => this.#placeOf[document]!);
    const distinct = [...new Set(places)].filter((place) => place !== NO_VECTOR);
    const { length } = vectors[0]!;
    const values = this.#vectors.vectors(
      distinct.map((place) => this.#index.keys[place]!),
      length,
    );
    const byPlace = new Map(
      distinct.map((place, i) => [place, vectors.map((vector) => dot(vector, values, i * length))]),
    );
    const cosines = new Map<number, readonly number[]>();
    for (const [i, document] of documents.entries()) {
      const found = byPlace.get(places[i]!);
      if (found !== undefined) cosines.set(document, found);
    }
    return cosines;
  }

  async close(): Promise<void> {
    await Promise.all([this.#index.close(), this.#chosen.stop(this.#embedder)]);
  }

  /** One byte a vector: 1 where a document that passes the filter has it. */
  #placesOf(filter: Uint8Array): Uint8Array {
    const mask = new Uint8Array(this.#index.size);
    for (let document = 0; document < filter.length; document++) {
      const place = this.#placeOf[document]!;
      if (filter[document] === 1 && place !== NO_VECTOR) mask[place] = 1;
    }
    return mask;
  }
}

function checkModel({ model }: VectorReader, chosen: ChosenModel, database = 'the catalogue'): void {
  if (model === undefined) {
    const message = `${database} has no vectors, which semantic search needs: load its sources again without --no-semantic, or search by word`;
    throw new SkillSearchError('NO_VECTORS', message, { path: database });
  }
  if (model !== chosen.id) {
    const message = `${database} has vectors of the model ${model}, but the question would be read by ${chosen.id}: open it with that model (--model), or load its sources again with ${chosen.path === undefined ? 'this embedder' : `--model ${chosen.path}`}`;
    throw new SkillSearchError('MODEL_MISMATCH', message, { path: database });
  }
}

async function openIndex(
  vectors: VectorReader,
  stamp: string,
  catalogue: string | undefined,
  signal: AbortSignal,
): Promise<VectorIndex> {
  const { model = '' } = vectors;
  const stored = (): Promise<VectorSet> => vectors.all(signal);
  const opened =
    catalogue === undefined
      ? undefined
      : await VectorIndex.open({ files: filesBeside(catalogue), stamp, model }, stored);
  return opened ?? VectorIndex.fromVectors(await vectors.all(signal));
}

/** @param at where the second vector begins */
function dot(vector: Float32Array, values: Float32Array, at: number): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * values[at + i]!;
  return sum;
}
