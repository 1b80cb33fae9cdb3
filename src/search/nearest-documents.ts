import {
  type DocumentNumber,
  inTurns,
  lowerBound,
  Members,
  type Pieces,
  SkillSearchError,
  topOf,
  type VectorPlace,
} from '../core/index.js';
import {
  headOfVectorFile,
  INSTALL_RUNTIME,
  isRuntimeInstalled,
  RUNTIME_PACKAGE,
  type VectorIndex,
  type VectorLinks,
  type VectorSet,
} from '../semantic/index.js';
import { type CatalogueReader, filesBeside, NO_VECTOR, type VectorReader } from '../store/index.js';

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
      const links = numbering === undefined && 'links' in index ? index.links : undefined;
      const places = await inTurns(
        links === undefined
          ? placesOf(await (numbering ?? reader.vectorNumbers(signal)), index.keys)
          : placesOf(reader.columns.skillNumbers, links.skills, links.places),
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

/** The class, with the code for graphs. */
async function vectorIndex(): Promise<typeof VectorIndex> {
  return (await import('../semantic/nearest/vector-index.js')).VectorIndex;
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
    (await vectorIndex()).fromVectors(await vectors.all(options.signal))
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
  opened = await (await vectorIndex()).open({ files, stamp, model: vectors.model ?? '', graph }, stored);
  if (opened !== undefined && opened.dimensions === vectors.dimensions) {
    if (!isFormer) return opened;
    const came = vectors.cameAfter(opened.keys.at(-1) ?? 0);
    if (opened.size + came.keys.length === vectors.count) return new GrownVectors(opened, came, vectors);
  }
  await opened?.close();
  return undefined;
}

/**
 * An index of the vectors of a former state, and the few that came since. Those are compared one by one; their places
 * are behind those of the index.
 */
export class GrownVectors {
  /** Numbers of the vectors in the store, ascending. */
  readonly keys: Float64Array;
  readonly dimensions: number;
  readonly #index: VectorIndex;
  readonly #came: VectorSet;
  readonly #stored: VectorReader;

  /** @param came with numbers above those of the index */
  constructor(index: VectorIndex, came: VectorSet, stored: VectorReader) {
    this.keys = new Float64Array(index.size + came.keys.length);
    this.keys.set(index.keys);
    this.keys.set(came.keys, index.size);
    this.dimensions = index.dimensions;
    this.#index = index;
    this.#came = came;
    this.#stored = stored;
  }

  get size(): number {
    return this.keys.length;
  }

  /** See `VectorIndex.nearest`. */
  async nearest(question: Float32Array, k: number, mask?: Uint8Array): Promise<Uint32Array> {
    const former = await this.#index.nearest(question, k, mask?.subarray(0, this.#index.size));
    if (this.#came.keys.length === 0) return former;
    const places: VectorPlace[] = [];
    const cosines: number[] = [];
    const { values } = this.#stored.vectors(
      Array.from(former, (place) => this.keys[place]!),
      this.dimensions,
    );
    for (const [i, place] of former.entries()) {
      places.push(place);
      cosines.push(this.#dot(question, values, i));
    }
    for (let i = 0; i < this.#came.keys.length; i++) {
      const place = this.#index.size + i;
      if (mask !== undefined && mask[place] !== 1) continue;
      places.push(place);
      cosines.push(this.#dot(question, this.#came.values, i));
    }
    const compare = (a: number, b: number): number => cosines[b]! - cosines[a]! || places[a]! - places[b]!;
    return Uint32Array.from(topOf([...places.keys()], compare, 0, k), (i) => places[i]!);
  }

  close(): Promise<void> {
    return this.#index.close();
  }

  #dot(question: Float32Array, values: Float32Array, index: number): number {
    let sum = 0;
    for (let i = 0, at = index * this.dimensions; i < this.dimensions; i++, at++) sum += question[i]! * values[at]!;
    return sum;
  }
}

/** What {@link DocumentVectors} holds. */
export interface ReadDocumentVectors {
  /** Number of values of a vector. */
  readonly dimensions: number;
  /** The vector of each document, of unit length; documents with the same text share one. Others have none. */
  readonly vectorOf: ReadonlyMap<DocumentNumber, Float32Array>;
  /** Documents that have none because their vector is damaged. */
  readonly damaged: readonly DocumentNumber[];
}

/** The vectors of some documents, read once for a question. */
export class DocumentVectors {
  readonly damaged: readonly DocumentNumber[];
  readonly #dimensions: number;
  readonly #vectorOf: ReadonlyMap<DocumentNumber, Float32Array>;

  constructor({ dimensions, vectorOf, damaged }: ReadDocumentVectors) {
    this.damaged = damaged;
    this.#dimensions = dimensions;
    this.#vectorOf = vectorOf;
  }

  /** The vector of a document; undefined if it was not read, or there is none. */
  get(document: DocumentNumber): Float32Array | undefined {
    return this.#vectorOf.get(document);
  }

  /** The cosines of each document that has a vector with `vectors`, in their order. */
  cosines(vectors: readonly Float32Array[]): Map<DocumentNumber, readonly number[]> {
    const known = new Map<Float32Array, readonly number[]>();
    const cosines = new Map<DocumentNumber, readonly number[]>();
    for (const [document, own] of this.#vectorOf) {
      let found = known.get(own);
      if (found === undefined) {
        found = vectors.map((vector) => dot(vector, own));
        known.set(own, found);
      }
      cosines.set(document, found);
    }
    return cosines;
  }

  /**
   * The mean of some documents' vectors, of unit length; undefined if none has a vector, or they cancel out.
   *
   * @param weights what each document counts, above 0
   */
  mean(weights: ReadonlyMap<DocumentNumber, number>): Float32Array | undefined {
    const sum = new Float32Array(this.#dimensions);
    for (const [document, weight] of weights) {
      const own = this.#vectorOf.get(document);
      if (own === undefined) continue;
      for (let i = 0; i < sum.length; i++) sum[i]! += weight * own[i]!;
    }
    const length = Math.sqrt(dot(sum, sum));
    return length < LEAST_LENGTH ? undefined : sum.map((value) => value / length);
  }
}

/** A mean that is shorter points nowhere. */
const LEAST_LENGTH = 1e-6;

/** The dot product of two vectors: the cosine, as both have unit length. */
function dot(vector: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * other[i]!;
  return sum;
}

/** Numbers up to so many times as many as there are keys are looked up in a table of all numbers. */
const SPARSE = 8;

/** Numbers between two pieces: a millisecond or so. */
const PIECE = 1 << 13;

/**
 * In pieces, what stands beside some numbers among keys: of type `VectorPlace`, or `NO_VECTOR` for a number that is no
 * key.
 *
 * @param keys ascending
 * @param places of the keys; undefined if it is their index
 */
export function* placesOf(
  numbers: ArrayLike<number>,
  keys: Float64Array,
  places?: VectorLinks['places'],
): Pieces<Int32Array> {
  const found = new Int32Array(numbers.length).fill(NO_VECTOR);
  const table = tableOf(keys);
  for (let i = 0; i < numbers.length; i++) {
    if (i % PIECE === 0) yield;
    const number = numbers[i]!;
    const at = table === undefined ? lowerBound(keys, number) : (table[number] ?? 0);
    if (keys[at] === number) found[i] = places === undefined ? at : places[at]!;
  }
  return found;
}

/** By number its index. Undefined if the keys are too far apart: a catalogue may have lost most skills. */
function tableOf(keys: Float64Array): Int32Array | undefined {
  const greatest = Math.max(0, keys.at(-1) ?? 0);
  if (greatest > SPARSE * keys.length) return undefined;
  const table = new Int32Array(greatest + 1);
  for (let i = 0; i < keys.length; i++) table[keys[i]!] = i;
  return table;
}

/**
 * The id of the model that made the vectors of a catalogue.
 *
 * @param hasEmbedder whether the caller makes vectors without the model runtime
 * @throws {SkillSearchError} `NO_VECTORS`
 */
export function modelOfVectors({ model }: VectorReader, database = 'the catalogue', hasEmbedder = false): string {
  if (model !== undefined) return model;
  // A load without the runtime makes no vectors, and only warns.
  const isMissing = !hasEmbedder && !isRuntimeInstalled();
  const advice = isMissing
    ? `and the package ${RUNTIME_PACKAGE}, which makes them, is not installed: install it with \`${INSTALL_RUNTIME}\`, then load the sources again`
    : 'which semantic search needs: load its sources again with vectors (the load says so if it cannot make any)';
  throw new SkillSearchError('NO_VECTORS', `${database} has no vectors, ${advice}, or search by word`, {
    path: database,
  });
}
