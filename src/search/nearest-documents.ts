import { Members } from '../arrays/members.js';
import { SkillSearchError } from '../errors.js';
import type { DocumentNumber, VectorPlace } from '../numbers.js';
import type { VectorSet } from '../semantic/nearest/vector-codes.js';
import { stampOfVectorFile } from '../semantic/nearest/vector-file.js';
import { VectorIndex } from '../semantic/nearest/vector-index.js';
import { filesBeside } from '../store/file-names.js';
import { type CatalogueReader, NO_VECTOR } from '../store/read/catalogue-reader.js';
import type { VectorReader } from '../store/read/vector-reader.js';
import { DocumentVectors } from './document-vectors.js';
import { GrownVectors } from './grown-vectors.js';

/** How {@link NearestDocuments.open} goes about it. */
export interface OpenNearestOptions {
  readonly signal: AbortSignal;
  /** Whether graphs are opened; without, vectors are scanned. */
  readonly graph: boolean;
}

/** Finds the documents of a catalogue that are near a vector. Needs no model. */
export class NearestDocuments {
  /** Length of each vector; 0 if there are none. */
  readonly dimensions: number;
  /** Number of vectors. */
  readonly size: number;
  /**
   * The {@link VectorPlace} of each document's vector, or {@link NO_VECTOR}. Documents with the same text share one.
   */
  readonly #placeOf: Int32Array;
  /** The documents at each place. */
  readonly #documents: Members;
  readonly #index: VectorIndex | GrownVectors;
  readonly #vectors: VectorReader;
  /** Number of places with documents: a small change leaves vectors that nothing has any more. */
  readonly #used: number;

  private constructor(index: VectorIndex | GrownVectors, vectors: VectorReader, placeOf: Int32Array) {
    this.dimensions = index.dimensions;
    this.size = index.size;
    this.#placeOf = placeOf;
    this.#documents = new Members(placeOf, index.size);
    this.#index = index;
    this.#vectors = vectors;
    const isUsed = new Uint8Array(index.size);
    for (const place of placeOf) if (place !== NO_VECTOR) isUsed[place] = 1;
    this.#used = isUsed.reduce((sum, one) => sum + one, 0);
  }

  /**
   * Opens the index of the stored vectors.
   *
   * @param database path of the catalogue's file; undefined for skills in memory
   * @throws {SkillSearchError} `NO_VECTORS`
   * @throws the signal's reason when aborted
   */
  static async open(
    reader: CatalogueReader,
    database: string | undefined,
    { signal, graph }: OpenNearestOptions,
  ): Promise<NearestDocuments> {
    const { vectors } = reader;
    // An empty catalogue has no vectors.
    if (reader.columns.size > 0) modelOfVectors(vectors, database);
    const index = await openIndex(reader, database, { signal, graph });
    try {
      const links = index instanceof VectorIndex ? index.links : undefined;
      return new NearestDocuments(index, vectors, await reader.vectorPlaces(index.keys, signal, links));
    } catch (error) {
      await index.close();
      throw error;
    }
  }

  /**
   * The places of the vectors nearest to a vector, of type {@link VectorPlace}. Approximate: the cosines of
   * {@link read} give the exact order.
   *
   * @param vector of unit length
   * @param filter one byte a document, 0 if it may not be found
   */
  async nearest(vector: Float32Array, limit: number, filter?: Uint8Array): Promise<Uint32Array> {
    if (filter !== undefined) return this.#index.nearest(vector, limit, this.#placesOf(filter));
    const unused = this.size - this.#used;
    if (unused === 0) return this.#index.nearest(vector, limit);
    // A mask would make each step through a graph slower. Few of the nearest are unused.
    const found = await this.#index.nearest(vector, limit + Math.min(unused, limit));
    const used = found.filter((place) => this.documentsAt(place).length > 0);
    if (used.length >= Math.min(limit, this.#used)) return used.subarray(0, limit);
    return this.#index.nearest(vector, limit, this.#placesOf(new Uint8Array(this.#placeOf.length).fill(1)));
  }

  /** The documents whose vector is at a place. */
  documentsAt(place: VectorPlace): Uint32Array {
    return this.#documents.of(place);
  }

  /** Reads the stored vectors of some documents. */
  read(documents: readonly DocumentNumber[]): DocumentVectors {
    const places = documents.map((document): VectorPlace => this.#placeOf[document]!);
    const distinct = [...new Set(places)].filter((place) => place !== NO_VECTOR);
    const { dimensions } = this.#index;
    const { values, damaged } = this.#vectors.vectors(
      distinct.map((place) => this.#index.keys[place]!),
      dimensions,
    );
    const damagedPlaces = new Set(damaged.map((i) => distinct[i]!));
    const indexOfPlace = new Map(distinct.map((place, i) => [place, i]));
    const indexOf = new Map<DocumentNumber, number>();
    for (const [i, document] of documents.entries()) {
      const index = indexOfPlace.get(places[i]!);
      if (index !== undefined && !damagedPlaces.has(places[i]!)) indexOf.set(document, index);
    }
    const ofDamaged = documents.filter((_, i) => damagedPlaces.has(places[i]!));
    return new DocumentVectors({ values, dimensions, indexOf, damaged: ofDamaged });
  }

  close(): Promise<void> {
    return this.#index.close();
  }

  /** Turns a filter of documents into one of places: a place passes if any of its documents does. */
  #placesOf(filter: Uint8Array): Uint8Array {
    const mask = new Uint8Array(this.#index.size);
    for (let document = 0; document < filter.length; document++) {
      const place = this.#placeOf[document]!;
      if (filter[document] === 1 && place !== NO_VECTOR) mask[place] = 1;
    }
    return mask;
  }
}

/** @throws {SkillSearchError} `NO_VECTORS` */
export function modelOfVectors({ model }: VectorReader, database = 'the catalogue'): string {
  if (model !== undefined) return model;
  const message = `${database} has no vectors, which semantic search needs: load its sources again without --no-semantic, or search by word`;
  throw new SkillSearchError('NO_VECTORS', message, { path: database });
}

async function openIndex(
  reader: CatalogueReader,
  catalogue: string | undefined,
  options: OpenNearestOptions,
): Promise<VectorIndex | GrownVectors> {
  const { vectors } = reader;
  return (
    (catalogue === undefined ? undefined : await openFiles(reader, catalogue, options)) ??
    VectorIndex.fromVectors(await vectors.all(options.signal))
  );
}

/**
 * Opens the derived files of the state, or of a former one from which small changes made it.
 *
 * @returns undefined if there are none of use
 */
async function openFiles(
  reader: CatalogueReader,
  catalogue: string,
  { signal, graph }: OpenNearestOptions,
): Promise<VectorIndex | GrownVectors | undefined> {
  const files = filesBeside(catalogue);
  const stamp = stampOfVectorFile(files.vectors);
  if (stamp === undefined) return undefined;
  const isFormer = stamp !== reader.stamp;
  if (isFormer && !reader.hasFormerState(stamp)) return undefined;
  const { vectors } = reader;
  let opened: VectorIndex | undefined;
  const stored = (): Promise<VectorSet> => vectors.all(signal, opened?.keys.at(-1));
  opened = await VectorIndex.open({ files, stamp, model: vectors.model ?? '', graph }, stored);
  if (opened !== undefined && opened.dimensions === vectors.dimensions) {
    if (!isFormer) return opened;
    const came = vectors.cameAfter(opened.keys.at(-1) ?? 0);
    if (opened.size + came.keys.length === vectors.count) return new GrownVectors(opened, came, vectors);
  }
  await opened?.close();
  return undefined;
}
