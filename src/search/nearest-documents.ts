import type { DocumentNumber, VectorPlace } from '../core/index.js';
import { inTurns, Members } from '../core/index.js';
import type { VectorSet } from '../semantic/index.js';
import { headOfVectorFile, VectorIndex } from '../semantic/index.js';
import type { VectorReader } from '../store/index.js';
import { type CatalogueReader, filesBeside, NO_VECTOR } from '../store/index.js';
import { DocumentVectors } from './document-vectors.js';
import { GrownVectors } from './grown-vectors.js';
import { linkedPlaces } from './linked-places.js';
import { modelOfVectors } from './model-of-vectors.js';
import { vectorPlaces } from './vector-places.js';

/** How {@link NearestDocuments.open} goes about it. */
export interface OpenNearestOptions {
  readonly signal: AbortSignal;
  /** Whether graphs are opened; without, vectors are scanned. */
  readonly graph: boolean;
  /** Whether the caller makes vectors without the model runtime. */
  readonly hasEmbedder: boolean;
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

  private constructor(
    index: VectorIndex | GrownVectors,
    vectors: VectorReader,
    placeOf: Int32Array,
    documents: Members,
  ) {
    this.dimensions = index.dimensions;
    this.size = index.size;
    this.#placeOf = placeOf;
    this.#documents = documents;
    this.#index = index;
    this.#vectors = vectors;
    this.#used = documents.groupsWithItems;
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
    { signal, graph, hasEmbedder }: OpenNearestOptions,
  ): Promise<NearestDocuments> {
    const { vectors } = reader;
    // An empty catalogue has no vectors.
    if (reader.columns.size > 0) modelOfVectors(vectors, database, hasEmbedder);
    // Awaited below. While the files are read, the catalogue is asked which skill has which vector, if they do not say
    // it. This catch only prevents an unhandled rejection.
    const numbering = saysLinks(reader, database) ? undefined : reader.vectorNumbers(signal);
    numbering?.catch(() => {});
    const index = await openIndex(reader, database, { signal, graph });
    try {
      const links = numbering === undefined && index instanceof VectorIndex ? index.links : undefined;
      const places = await inTurns(
        links === undefined
          ? vectorPlaces(await (numbering ?? reader.vectorNumbers(signal)), index.keys)
          : linkedPlaces(reader.columns.skillNumbers, links),
        signal,
      );
      const documents = await inTurns(Members.inPieces(places, index.size), signal);
      return new NearestDocuments(index, vectors, places, documents);
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

  /**
   * Reads the stored vectors of some documents.
   *
   * @param known vectors that were read before for the same question: these are not read again
   */
  read(documents: ArrayLike<DocumentNumber>, known?: DocumentVectors): DocumentVectors {
    const vectorAt = new Map<VectorPlace, Float32Array | undefined>();
    const unread: VectorPlace[] = [];
    for (let i = 0; i < documents.length; i++) {
      const place = this.#placeOf[documents[i]!]!;
      if (place === NO_VECTOR || vectorAt.has(place)) continue;
      const vector = known?.get(documents[i]!);
      vectorAt.set(place, vector);
      if (vector === undefined) unread.push(place);
    }
    const { dimensions } = this.#index;
    const keys = unread.map((place) => this.#index.keys[place]!);
    const { values, damaged } = this.#vectors.vectors(keys, dimensions);
    const damagedPlaces = new Set(damaged.map((i) => unread[i]!));
    for (const [i, place] of unread.entries()) {
      if (!damagedPlaces.has(place)) vectorAt.set(place, values.subarray(i * dimensions, (i + 1) * dimensions));
    }
    const vectorOf = new Map<DocumentNumber, Float32Array>();
    const ofDamaged: DocumentNumber[] = [];
    for (let i = 0; i < documents.length; i++) {
      const place = this.#placeOf[documents[i]!]!;
      const vector = vectorAt.get(place);
      if (vector !== undefined) vectorOf.set(documents[i]!, vector);
      else if (damagedPlaces.has(place)) ofDamaged.push(documents[i]!);
    }
    return new DocumentVectors({ dimensions, vectorOf, damaged: ofDamaged });
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

/** Whether there is a vector file of the present state that says which skill has which vector. */
function saysLinks({ stamp }: CatalogueReader, catalogue: string | undefined): boolean {
  const head = catalogue === undefined ? undefined : headOfVectorFile(filesBeside(catalogue).vectors);
  return head?.hasLinks === true && head.stamp === stamp;
}

async function openIndex(
  reader: CatalogueReader,
  catalogue: string | undefined,
  options: Omit<OpenNearestOptions, 'hasEmbedder'>,
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
  { signal, graph }: Omit<OpenNearestOptions, 'hasEmbedder'>,
): Promise<VectorIndex | GrownVectors | undefined> {
  const files = filesBeside(catalogue);
  const stamp = headOfVectorFile(files.vectors)?.stamp;
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
