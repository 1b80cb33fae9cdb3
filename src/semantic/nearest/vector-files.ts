import { rmSync } from 'node:fs';
import { LITTLE_ENDIAN, partOf, runJob } from '../../core/index.js';
import type { BuildVectorsJob } from './build-vectors-job.js';
import { loadGraphLibrary } from './graph.js';
import { SlicedGraph } from './sliced-graph.js';
import type { VectorSet } from './vector-codes.js';
import { readVectorKeys, type VectorFileKeys, type VectorFileOrigin, type VectorLinks } from './vector-file.js';
import type { VectorFilePaths } from './vector-file-paths.js';
import { fitMemory, type GraphBounds, wantsGraph } from './wants-graph.js';

/** Which files, and the state and the model that they must belong to. */
export interface VectorFilesOptions extends VectorFileOrigin, GraphBounds {
  readonly files: VectorFilePaths;
}

export interface BuildVectorFilesOptions extends VectorFilesOptions {
  /** `values` must be in memory that threads can share. */
  readonly vectors: VectorSet;
  /** Which skill has which vector: spares who opens the files to look that up in the catalogue. */
  readonly links?: VectorLinks | undefined;
  /**
   * Number of graphs, if there are none to be updated. Each is built in a thread of its own, and asked by each
   * question.
   * @default one for each core, at most one for each path
   */
  readonly slices?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of vectors put into the graph so far, and the number of vectors to put into it. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Whether all files that can be built are there, are whole, and belong to the state and the model. */
export async function vectorFilesAreCurrent(options: VectorFilesOptions): Promise<boolean> {
  const { files, stamp, model } = options;
  const file = await readVectorKeys(files.vectors, { stamp, model });
  if (file === undefined) return false;
  // An earlier version may have built graphs that are too large.
  if (file.graphs.length > 0) return fitMemory(file.graphs, options) && areGraphsWhole(files, file);
  const shouldHaveGraph = wantsGraph(file.keys, file.codes.dimensions, options);
  return !shouldHaveGraph || (await loadGraphLibrary()) === undefined;
}

/** Whether the vector file, and the graphs that it names, are whole, of whatever state and model. */
export async function areWholeVectorFiles(files: VectorFilePaths): Promise<boolean> {
  const file = await readVectorKeys(files.vectors, {});
  return file !== undefined && (file.graphs.length === 0 || areGraphsWhole(files, file));
}

function areGraphsWhole(files: VectorFilePaths, { graphs, keys, codes }: VectorFileKeys): Promise<boolean> {
  return SlicedGraph.areFiles({ paths: files.graphs, checksums: graphs }, keys, codes.dimensions);
}

/**
 * Builds the files that are derived from a catalogue's vectors: codes to scan, and for many vectors graphs. Graphs of
 * an earlier state are updated. All of it happens in threads.
 *
 * Each file is written under another name, synced and renamed, the codes last. The codes hold the checksums of their
 * graphs, so a graph that does not belong to them is noticed.
 *
 * @throws Error of the file system
 * @throws the signal's reason when aborted; the files are left as they were
 */
export async function buildVectorFiles(options: BuildVectorFilesOptions): Promise<void> {
  const { files, stamp, model, vectors, links, slices, signal, onProgress, graphFrom, graphBytes } = options;
  if (!LITTLE_ENDIAN) return;
  const data: BuildVectorsJob = { files, stamp, model, vectors, links, graphFrom, graphBytes, slices };
  // Native code runs in the thread.
  await runJob<BuildVectorsJob, void>(import.meta.url, 'build-thread', { data, signal, onProgress, stop: 'ask' });
}

/** Removes the files that are derived from a catalogue's vectors, and what a killed build left of them. */
export function removeVectorFiles({ vectors, graphs }: VectorFilePaths): void {
  for (const path of [vectors, ...graphs]) {
    rmSync(path, { force: true });
    rmSync(partOf(path), { force: true });
  }
}
