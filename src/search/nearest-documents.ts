import {
  type DocumentNumber,
  inTurns,
  lowerBound,
  Members,
  madeOnce,
  type Pieces,
  SkillSearchError,
  topOf,
  type VectorPlace,
  type VectorSet,
} from '../core/index.js';
import {
  INSTALL_RUNTIME,
  isRuntimeInstalled,
  RUNTIME_PACKAGE,
  stampOfVectorFile,
  type VectorIndex,
  type VectorLinks,
} from '../semantic/index.js';
import { type CatalogueReader, filesBeside, NO_VECTOR, type VectorReader } from '../store/index.js';

/** How {@link NearestDocuments.open} goes about it. */
interface OpenNearestOptions {
  /** Path of the catalogue's file; undefined for skills in memory. */
  readonly database: string | undefined;
  /** Whether graphs are opened; without, vectors are scanned. */
  readonly graph: boolean;
  /** Whether the caller makes vectors without the model runtime. */
  readonly hasEmbedder: boolean;
  readonly signal: AbortSignal;
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
  }

  /**
   * Opens the index of the stored vectors.
   *
   * @throws {SkillSearchError} `NO_VECTORS`
   * @throws the signal's reason when aborted
   */
  static async open(reader: CatalogueReader, options: OpenNearestOptions): Promise<NearestDocuments> {
    const { database, hasEmbedder, signal } = options;
    const { vectors, columns } = reader;
    // An empty catalogue has no vectors.
    if (columns.size > 0) modelOfVectors(vectors, database, hasEmbedder);
    const index = await openIndex(reader, options);
    const links = 'links' in index ? index.links : undefined;
    const finding =
      links === undefined
        ? placesOf(await reader.vectorNumbers(signal), index.keys)
        : placesOf(columns.skillNumbers, links.skills, links.places);
    const places = await inTurns(finding, signal);
    const documents = await inTurns(Members.inPieces(places, index.size), signal);
    return new NearestDocuments(index, vectors, places, documents);
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
    // A small change leaves vectors that nothing has any more.
    const used = this.#documents.groupsWithItems;
    const unused = this.size - used;
    if (unused === 0) return this.#index.nearest(vector, limit);
    // A mask would make each step through a graph slower. Few of the nearest are unused.
    const found = await this.#index.nearest(vector, limit + Math.min(unused, limit));
    const inUse = found.filter((place) => this.documentsAt(place).length > 0);
    if (inUse.length >= Math.min(limit, used)) return inUse.subarray(0, limit);
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
    const vectorOf = new Map<DocumentNumber, Float32Array>();
    const unread = new Map<VectorPlace, DocumentNumber[]>();
    for (let i = 0; i < documents.length; i++) {
      const document = documents[i]!;
      const vector = known?.get(document);
      const place = this.#placeOf[document]!;
      if (vector !== undefined) vectorOf.set(document, vector);
      else if (place !== NO_VECTOR) unread.set(place, [...(unread.get(place) ?? []), document]);
    }
    const { dimensions, keys } = this.#index;
    const stored = this.#vectors.vectors(
      Array.from(unread.keys(), (place) => keys[place]!),
      dimensions,
    );
    const damaged: DocumentNumber[] = [];
    for (const [i, sharing] of [...unread.values()].entries()) {
      if (stored.damaged.includes(i)) damaged.push(...sharing);
      else for (const document of sharing) vectorOf.set(document, vectorAt(stored.values, i, dimensions));
    }
    return new DocumentVectors(dimensions, vectorOf, damaged);
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

/** Opens the derived files of the state, or of a former one from which small changes made it; else encodes vectors. */
async function openIndex(
  reader: CatalogueReader,
  { database, graph, signal }: OpenNearestOptions,
): Promise<VectorIndex | GrownVectors> {
  // With the code for graphs.
  const { VectorIndex: Index } = await import('../semantic/nearest/vector-index.js');
  const { vectors } = reader;
  const files = database === undefined ? undefined : filesBeside(database);
  const stamp = files === undefined ? undefined : stampOfVectorFile(files.vectors);
  if (files !== undefined && stamp !== undefined && (stamp === reader.stamp || reader.hasFormerState(stamp))) {
    let opened: VectorIndex | undefined;
    const stored = (): Promise<VectorSet> => vectors.all(signal, opened?.keys.at(-1));
    opened = await Index.open({ files, stamp, model: vectors.model ?? '', graph }, stored);
    if (opened !== undefined && opened.dimensions === vectors.dimensions) {
      if (stamp === reader.stamp) return opened;
      const came = vectors.cameAfter(opened.keys.at(-1) ?? 0);
      if (opened.size + came.keys.length === vectors.count) return new GrownVectors(opened, came, vectors);
    }
  }
  return Index.fromVectors(await vectors.all(signal));
}

/**
 * An index of the vectors of a former state, and the few that came since. Those are compared one by one; their places
 * are behind those of the index.
 */
class GrownVectors {
  /** Numbers of the vectors in the store, ascending. */
  readonly keys: Float64Array;
  readonly dimensions: number;
  readonly #index: VectorIndex;
  readonly #came: VectorSet;
  readonly #stored: VectorReader;

  /** @param came with numbers above those of the index */
  constructor(index: VectorIndex, came: VectorSet, stored: VectorReader) {
    this.keys = Float64Array.from([...index.keys, ...came.keys]);
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
    const { size } = this.#index;
    const former = await this.#index.nearest(question, k, mask?.subarray(0, size));
    if (this.#came.keys.length === 0) return former;
    const cosines = new Map<VectorPlace, number>();
    const note = (place: VectorPlace, values: Float32Array, i: number): unknown =>
      cosines.set(place, dot(question, vectorAt(values, i, this.dimensions)));
    const numbers = Array.from(former, (place) => this.keys[place]!);
    const { values } = this.#stored.vectors(numbers, this.dimensions);
    for (const [i, place] of former.entries()) note(place, values, i);
    for (let i = 0; i < this.#came.keys.length; i++) {
      if (mask === undefined || mask[size + i] === 1) note(size + i, this.#came.values, i);
    }
    const compare = (a: VectorPlace, b: VectorPlace): number => cosines.get(b)! - cosines.get(a)! || a - b;
    return Uint32Array.from(topOf([...cosines.keys()], compare, 0, k));
  }
}

/** The vectors of some documents, read once for a question. */
export class DocumentVectors {
  /** Documents that have none because their vector is damaged. */
  readonly damaged: readonly DocumentNumber[];
  readonly #dimensions: number;
  readonly #vectorOf: ReadonlyMap<DocumentNumber, Float32Array>;

  /**
   * @param dimensions number of values of a vector
   * @param vectorOf the vector of each document, of unit length; documents with the same text share one
   */
  constructor(
    dimensions: number,
    vectorOf: ReadonlyMap<DocumentNumber, Float32Array>,
    damaged: readonly DocumentNumber[] = [],
  ) {
    this.damaged = damaged;
    this.#dimensions = dimensions;
    this.#vectorOf = vectorOf;
  }

  /** The vector of a document; undefined if it was not read, or there is none. */
  get(document: DocumentNumber): Float32Array | undefined {
    return this.#vectorOf.get(document);
  }

  /** The cosine of two documents; undefined unless both have a vector. */
  cosineOf(a: DocumentNumber, b: DocumentNumber): number | undefined {
    const [one, other] = [this.#vectorOf.get(a), this.#vectorOf.get(b)];
    return one && other && dot(one, other);
  }

  /** The cosines of each document that has a vector with `vectors`, in their order. */
  cosines(vectors: readonly Float32Array[]): Map<DocumentNumber, readonly number[]> {
    const known = new Map<Float32Array, readonly number[]>();
    const cosines = new Map<DocumentNumber, readonly number[]>();
    for (const [document, own] of this.#vectorOf) {
      const all = madeOnce(known, own, () => vectors.map((vector) => dot(vector, own)));
      cosines.set(document, all);
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

function vectorAt(values: Float32Array, i: number, dimensions: number): Float32Array {
  return values.subarray(i * dimensions, (i + 1) * dimensions);
}

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
  for (let i = 0; i < numbers.length; i++) {
    if (i % PIECE === 0) yield;
    const at = lowerBound(keys, numbers[i]!);
    if (keys[at] === numbers[i]) found[i] = places === undefined ? at : places[at]!;
  }
  return found;
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
