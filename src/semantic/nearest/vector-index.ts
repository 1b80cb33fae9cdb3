import { inTurns, lowerBound, type VectorNumber, type VectorSet } from '../../core/index.js';
import { type Graph, loadGraphLibrary, nearestIn, readGraphs } from './graph.js';
import { countAllowed, encodeVectors, scanCodes, type VectorCodes } from './vector-codes.js';
import {
  readVectorFile,
  readVectorKeys,
  type VectorFile,
  type VectorFileKeys,
  type VectorFilesOptions,
  type VectorLinks,
} from './vector-files.js';

/**
 * Share of the vectors that a mask must allow for the graph to be used. With fewer the scan is faster: the graph looks
 * at many vectors that are masked. Measured over 94,254 skills on a busy machine, in milliseconds a search: the scan
 * 10; the graph 4 for a half of the vectors, 9 for a quarter, 20 for a tenth, 38 for a twentieth.
 */
const MIN_GRAPH_SHARE = 0.3;

/** Which files to open, and whether their graphs. */
export interface OpenVectorIndexOptions extends VectorFilesOptions {
  /** Without a graph all codes are scanned. @default true */
  readonly graph?: boolean | undefined;
}

/**
 * Finds the vectors nearest to that of a question, with a graph or by a scan of codes. Both are approximations, so the
 * caller should score the results exactly. A vector is known by its place: its index in {@link keys}.
 */
export class VectorIndex {
  /** Numbers of the vectors in the store, ascending. */
  readonly keys: Float64Array;
  /** Number of values of each vector. */
  readonly dimensions: number;
  /** Which skill has which vector, if the files say it. */
  readonly links: VectorLinks | undefined;
  /** By slice. */
  readonly #graphs: readonly Graph[] | undefined;
  readonly #loadCodes: () => Promise<VectorCodes>;
  #codes: Promise<VectorCodes> | undefined;

  private constructor(
    { keys, dimensions, links }: Pick<VectorSet, 'keys' | 'dimensions'> & Pick<VectorFile, 'links'>,
    graphs: readonly Graph[] | undefined,
    loadCodes: () => Promise<VectorCodes>,
  ) {
    this.keys = keys;
    this.dimensions = dimensions;
    this.links = links;
    this.#graphs = graphs;
    this.#loadCodes = loadCodes;
  }

  /**
   * Opens the vector files of a state of a catalogue. With a graph, the codes are read only when they are first needed:
   * few questions need them.
   *
   * @param stored gives the vectors, in case that the codes can no longer be read by then
   * @returns undefined if the files are missing or damaged, or belong to another state or model
   */
  static async open(
    options: OpenVectorIndexOptions,
    stored?: () => Promise<VectorSet>,
  ): Promise<VectorIndex | undefined> {
    const { files, stamp, model, graph = true } = options;
    const file = await (graph ? readVectorKeys : readVectorFile)(files.vectors, { stamp, model });
    if (file === undefined) return undefined;
    const { keys, codes, links } = file;
    const graphs = graph ? await openGraphs(files.graphs, file) : undefined;
    const loadCodes = async (): Promise<VectorCodes> => {
      if ('signs' in codes) return codes as VectorCodes;
      const read = await readVectorFile(files.vectors, { stamp, model });
      if (read !== undefined) return read.codes;
      if (stored === undefined) throw new Error(`${files.vectors} can no longer be read`);
      return inTurns(encodeVectors(await stored()));
    };
    const index = new VectorIndex({ keys, dimensions: codes.dimensions, links }, graphs, loadCodes);
    if (graphs === undefined) await index.#allCodes();
    return index;
  }

  /** Builds an index without a graph from vectors that have no files. */
  static async fromVectors(vectors: VectorSet): Promise<VectorIndex> {
    const codes = await inTurns(encodeVectors(vectors));
    return new VectorIndex(vectors, undefined, async () => codes);
  }

  get size(): number {
    return this.keys.length;
  }

  get hasGraph(): boolean {
    return this.#graphs !== undefined;
  }

  /**
   * Places of the vectors nearest to that of a question, nearest first.
   *
   * @param question vector of unit length
   * @param k number of results, at most
   * @param mask one byte a vector: 0 if it must not be found, else 1
   */
  async nearest(question: Float32Array, k: number, mask?: Uint8Array): Promise<Uint32Array> {
    if (this.#graphs !== undefined && k < this.size && this.#allowsEnough(mask)) {
      const allows =
        mask === undefined ? undefined : (key: VectorNumber): boolean => mask[lowerBound(this.keys, key)] === 1;
      const keys = await inTurns(nearestIn(this.#graphs, question, k, allows));
      return Uint32Array.from(keys, (key) => lowerBound(this.keys, key));
    }
    return inTurns(scanCodes(await this.#allCodes(), question, k, mask));
  }

  #allCodes(): Promise<VectorCodes> {
    if (this.#codes === undefined) {
      const loading = this.#loadCodes();
      this.#codes = loading;
      // The next call tries again.
      loading.catch(() => {
        this.#codes = undefined;
      });
    }
    return this.#codes;
  }

  #allowsEnough(mask: Uint8Array | undefined): boolean {
    return mask === undefined || countAllowed(this.size, mask) >= this.size * MIN_GRAPH_SHARE;
  }
}

async function openGraphs(
  paths: readonly string[],
  { graphs: checksums, keys, codes }: VectorFileKeys,
): Promise<readonly Graph[] | undefined> {
  if (checksums.length === 0) return undefined;
  const library = await loadGraphLibrary();
  return library === undefined ? undefined : readGraphs(library, { paths, checksums }, keys, codes.dimensions);
}
