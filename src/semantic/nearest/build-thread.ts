import { renameSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Job, jobInThread, partOf, runJob } from '../../core/index.js';
import type { BuildGraphJob } from './build-graph-job.js';
import type { BuildVectorsJob } from './build-vectors-job.js';
import type { Checksum } from './file-checksum.js';
import { loadGraphLibrary } from './graph.js';
import { sameVectors } from './same-vectors.js';
import { keysBySlice } from './slices.js';
import { SumOfProgress } from './sum-of-progress.js';
import { addToMean, emptyCodes, encode, type VectorCodes } from './vector-codes.js';
import { readVectorFile, writeVectorFilePart } from './vector-file.js';
import { wantsGraph } from './wants-graph.js';

/** Vectors between two looks at whether to stop. */
const VECTORS_PER_STEP = 200;

/** Builds the vector files of a catalogue. Runs in a thread of its own. */
async function build(job: Job<BuildVectorsJob>): Promise<void> {
  const { files, stamp, model, vectors, links } = job.data;
  try {
    const codes = encodeVectors(job);
    const graphs = await writeGraphParts(job, codes);
    writeVectorFilePart(files.vectors, { stamp, model }, { keys: vectors.keys, codes, graphs, links });
    job.throwIfStopped();
    for (const [slice, path] of files.graphs.entries()) {
      if (slice < graphs.length) renameSync(partOf(path), path);
      else rmSync(path, { force: true });
    }
    renameSync(partOf(files.vectors), files.vectors);
  } finally {
    for (const path of [files.vectors, ...files.graphs]) rmSync(partOf(path), { force: true });
  }
}

function encodeVectors(job: Job<BuildVectorsJob>): VectorCodes {
  const { dimensions, keys, values } = job.data.vectors;
  const codes = emptyCodes(keys.length, dimensions);
  addToMean(codes, values, 0, keys.length);
  for (let from = 0; from < keys.length; from += VECTORS_PER_STEP) {
    job.throwIfStopped();
    encode(codes, values, from, Math.min(from + VECTORS_PER_STEP, keys.length));
  }
  return codes;
}

/**
 * Builds a graph of each slice, all at once, each in a thread of its own.
 *
 * @returns the checksum of each file, by slice; none if there is no graph
 */
async function writeGraphParts(job: Job<BuildVectorsJob>, codes: VectorCodes): Promise<readonly Checksum[]> {
  const { files, vectors, slices: wanted = availableParallelism() } = job.data;
  if (!wantsGraph(vectors.keys, vectors.dimensions, job.data)) return [];
  if ((await loadGraphLibrary()) === undefined) return [];
  const former = await readFormer(job.data, codes);
  const slices = slicesFor(vectors.keys, former?.graphs.length ?? Math.min(wanted, files.graphs.length));
  const formerKeys = former?.graphs.length === slices ? keysBySlice(former.keys, slices) : [];
  const progress = new SumOfProgress(slices, (done, total) => job.progress(done, total));
  // Where one thread fails, the others stop, too.
  const failing = new AbortController();
  const building = files.graphs.slice(0, slices).map(async (path, slice) => {
    const keys = formerKeys[slice];
    const data: BuildGraphJob = {
      path,
      vectors,
      slice,
      slices,
      former: keys === undefined ? undefined : { keys, checksum: former!.graphs[slice]! },
    };
    const onProgress = (done: number, total: number): void => {
      job.throwIfStopped();
      progress.set(slice, done, total);
    };
    const options = { data, signal: failing.signal, onProgress, stop: 'ask' } as const;
    try {
      return await runJob<BuildGraphJob, Checksum>(import.meta.url, 'graph-thread', options);
    } catch (error) {
      failing.abort(error);
      throw error;
    }
  });
  // Their files can only be removed when all have ended.
  await Promise.allSettled(building);
  failing.signal.throwIfAborted();
  return Promise.all(building);
}

/** As many slices as are wanted, or one if one of them would be empty. */
function slicesFor(keys: Float64Array, wanted: number): number {
  return keysBySlice(keys, wanted).some(({ length }) => length === 0) ? 1 : wanted;
}

/**
 * The keys in the graphs of an earlier state of the catalogue, and their checksums.
 *
 * A graph over other vectors would find next to nothing, without any error. That happens when another catalogue, or an
 * older copy of this one, was put under the same name. So each key that both states have must stand for the same
 * vector.
 *
 * @returns undefined if there is no graph, or it is over vectors of another model or other vectors
 */
async function readFormer(
  { files, model, vectors }: BuildVectorsJob,
  codes: VectorCodes,
): Promise<{ readonly graphs: readonly Checksum[]; readonly keys: Float64Array } | undefined> {
  const file = await readVectorFile(files.vectors, { model });
  if (file === undefined || file.graphs.length === 0 || file.graphs.length > files.graphs.length) return undefined;
  if (file.codes.dimensions !== codes.dimensions) return undefined;
  return sameVectors(file, { keys: vectors.keys, codes }) ? file : undefined;
}

await jobInThread(build);
