import { lowerBound } from '../../arrays/lower-bound.js';
import { scanCodes } from './exact-scan.js';
import { Graph, loadGraphLibrary } from './graph.js';
import { ScanThread } from './scan-thread-handle.js';
import { addToMean, emptyCodes, encode, type VectorCodes, type VectorSet } from './vector-codes.js';
import { isWhole, type VectorFileHeader } from './vector-file.js';
import { vectorFileNames } from './vector-file-names.js';
import { readCodes, readKeys, type VectorFilesOptions } from './vector-files.js';

/** Vectors encoded between two turns of the event loop: some milliseconds. */
const ENCODED_A_TURN = 500;

/**
 * Share of the vectors that a mask must leave for the graph to be quicker than the scan. The graph asks a mask for each
 * vector it comes by. Measured over 94,254 skills, in milliseconds a search, the scan 10 (on a busy machine): the graph
 * 4 where a half is left, 9 for a quarter, 20 for a tenth, 38 for a twentieth.
 */
const MIN_GRAPH_SHARE = 0.3;

/** Vectors that are scanned on the event loop, at most: it takes some 15 milliseconds. More are scanned in a thread. */
const MAX_INLINE_SCAN = 250_000;

/**
 * Finds the vectors nearest to a question's: candidates, to be scored exactly by the caller. Vectors are addressed by
 * their places in {@link keys}.
 */
export class VectorIndex {
  /** Numbers of the vectors in the store, ascending. */
  readonly keys: Float64Array;
  /** Length of each vector. */
  readonly dimensions: number;
  readonly #graph: Graph | undefined;
  readonly #loadCodes: () => Promise<VectorCodes>;
  #codes: Promise<VectorCodes> | undefined;
  #thread: ScanThread | undefined;
  #closed = false;

  private constructor(
    { keys, dimensions }: Pick<VectorSet, 'keys' | 'dimensions'>,
    graph: Graph | undefined,
    loadCodes: () => Promise<VectorCodes>,
  ) {
    this.keys = keys;
    this.dimensions = dimensions;
    this.#graph = graph;
    this.#loadCodes = loadCodes;
  }

  /**
   * With a graph the codes, which few questions need then, are read when they are first needed.
   *
   * @param stored gives the vectors, for when the codes can no longer be read then
   * @returns undefined where the files are missing, damaged, or of another state of the catalogue
   */
  static async open(options: VectorFilesOptions, stored?: () => Promise<VectorSet>): Promise<VectorIndex | undefined> {
    const file = await readKeys(options);
    if (file === undefined) return undefined;
    const { header, keys } = file;
    const graph = await openGraph(vectorFileNames(options.catalogue).graph, header);
    const loadCodes = async (): Promise<VectorCodes> => {
      const read = await readCodes(options);
      if (read !== undefined) return read.codes;
      if (stored === undefined) throw new Error(`the codes of ${options.catalogue} can no longer be read`);
      return encodeAll(await stored());
    };
    const index = new VectorIndex({ keys, dimensions: header.dimensions }, graph, loadCodes);
    if (graph === undefined) await index.#allCodes();
    return index;
  }

  /** An index without a graph, for vectors that have no files. */
  static async fromVectors(vectors: VectorSet): Promise<VectorIndex> {
    const codes = await encodeAll(vectors);
    return new VectorIndex(vectors, undefined, async () => codes);
  }

  get size(): number {
    return this.keys.length;
  }

  get hasGraph(): boolean {
    return this.#graph !== undefined;
  }

  /**
   * Places of the vectors nearest to a question's, nearest first.
   *
   * @param query of unit length
   * @param k how many are wanted; fewer where there are not so many
   * @param mask one byte a vector, 0 where it may not be found
   */
  async nearest(query: Float32Array, k: number, mask?: Uint8Array): Promise<Uint32Array> {
    if (this.#graph !== undefined && k < this.size && this.#leavesEnough(mask)) {
      const allows = mask === undefined ? undefined : (key: number): boolean => mask[lowerBound(this.keys, key)] === 1;
      return Uint32Array.from(this.#graph.nearest(query, k, allows), (key) => lowerBound(this.keys, key));
    }
    const codes = await this.#allCodes();
    if (this.size <= MAX_INLINE_SCAN) return scanCodes(codes, query, k, mask);
    if (this.#closed) throw new Error('the index was closed');
    if (this.#thread === undefined || this.#thread.ended) this.#thread = new ScanThread(codes);
    return this.#thread.scan(query, k, mask);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.close();
  }

  #allCodes(): Promise<VectorCodes> {
    if (this.#codes === undefined) {
      const loading = this.#loadCodes();
      this.#codes = loading;
      // What failed is tried again.
      loading.catch(() => {
        this.#codes = undefined;
      });
    }
    return this.#codes;
  }

  #leavesEnough(mask: Uint8Array | undefined): boolean {
    if (mask === undefined) return true;
    let allowed = 0;
    for (let place = 0; place < mask.length; place++) allowed += mask[place]!;
    return allowed >= this.size * MIN_GRAPH_SHARE;
  }
}

async function encodeAll({ keys, dimensions, values }: VectorSet): Promise<VectorCodes> {
  const codes = emptyCodes(keys.length, dimensions);
  for (const step of [addToMean, encode]) {
    for (let from = 0; from < keys.length; from += ENCODED_A_TURN) {
      step(codes, values, from, Math.min(from + ENCODED_A_TURN, keys.length));
      await new Promise(setImmediate);
    }
  }
  return codes;
}

async function openGraph(path: string, { graph, dimensions }: VectorFileHeader): Promise<Graph | undefined> {
  if (graph === undefined) return undefined;
  const library = await loadGraphLibrary();
  if (library === undefined) return undefined;
  if (!(await isWhole(path, graph))) return undefined;
  return Graph.read(library, path, dimensions);
}
