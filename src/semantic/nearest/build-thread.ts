import { renameSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Job, jobInThread, partOf, runJob, syncToDisk } from '../../core/index.js';
import {
  emptyGraph,
  type Graph,
  type GraphLibrary,
  keysBySlice,
  loadGraphLibrary,
  mixedOrder,
  planUpdate,
  readGraph,
  sliceOf,
  wantsGraph,
} from './graph.js';
import { type Checksum, checkGraphFile } from './graph-file.js';
import { encodeVectors, sameVectors, type VectorCodes } from './vector-codes.js';
import { type BuildGraphJob, type BuildVectorsJob, readVectorFile, writeVectorFilePart } from './vector-files.js';

/** Vectors between two looks at whether to stop. */
const VECTORS_PER_STEP = 200;

/** Builds the vector files of a catalogue. */
async function buildFiles(job: Job<BuildVectorsJob>): Promise<void> {
  const { files, stamp, model, vectors, links } = job.data;
  try {
    const codes = encodeUnlessStopped(job);
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

/** @throws if the job is stopped */
function encodeUnlessStopped(job: Job<BuildVectorsJob>): VectorCodes {
  for (const encoding = encodeVectors(job.data.vectors); ; job.throwIfStopped()) {
    const { done, value } = encoding.next();
    if (done === true) return value;
  }
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
  const slices = former?.graphs.length ?? Math.min(wanted, files.graphs.length);
  const formerKeys = former?.graphs.length === slices ? keysBySlice(former.keys, slices) : [];
  const told = new Map<number, readonly [done: number, total: number]>();
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
      told.set(slice, [done, total]);
      // The sum over all slices, as soon as each has told its total.
      const sumOf = (i: 0 | 1): number => [...told.values()].reduce((sum, part) => sum + part[i], 0);
      if (told.size === slices) job.progress(sumOf(0), sumOf(1));
    };
    const options = { data, signal: failing.signal, onProgress, stop: 'ask' } as const;
    try {
      return await runJob<BuildGraphJob, Checksum>(import.meta.url, 'build-thread', options);
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

/** Builds the graph of one slice, and writes it. */
async function buildSlice(job: Job<BuildGraphJob>): Promise<Checksum> {
  const { path, vectors, slice, slices } = job.data;
  const library = await loadGraphLibrary();
  if (library === undefined) throw new Error('the library for graphs cannot be loaded in a thread');
  const places = Uint32Array.from(vectors.keys.keys()).filter(
    (place) => sliceOf(vectors.keys[place]!, slices) === slice,
  );
  const keys = Float64Array.from(places, (place) => vectors.keys[place]!);
  const graph = await buildGraph(job, library, keys, places);
  const part = partOf(path);
  graph.writeIndexSync(part);
  syncToDisk(part);
  // hnswlib does not notice that a disk is full.
  const checksum = await checkGraphFile(part, keys, vectors.dimensions);
  if (checksum === undefined) throw new Error(`the graph could not be written to ${part}`);
  return checksum;
}

/**
 * Updates the graph of an earlier state, or builds a new one.
 *
 * @param keys of the slice
 * @param places of these among all vectors
 */
async function buildGraph(
  job: Job<BuildGraphJob>,
  library: GraphLibrary,
  keys: Float64Array,
  places: Uint32Array,
): Promise<Graph> {
  const { path, vectors, former } = job.data;
  const { dimensions, values } = vectors;
  const known = former && (await readGraph(library, path, former.checksum, former.keys, dimensions));
  const plan = known && planUpdate(known, former!.keys, keys);
  const graph = plan === undefined ? emptyGraph(library, dimensions) : known!;
  const { add, remove } = plan ?? { add: Array.from(keys.keys()), remove: [] };
  for (const key of remove) graph.markDelete(key);
  graph.resizeIndex(Math.max(1, graph.getCurrentCount() + add.length));
  for (const [done, i] of mixedOrder(add.length).entries()) {
    if (done % VECTORS_PER_STEP === 0) {
      job.throwIfStopped();
      job.progress(done, add.length);
    }
    const place = places[add[i]!]!;
    graph.addPoint(Array.from(values.subarray(place * dimensions, (place + 1) * dimensions)), keys[add[i]!]!);
  }
  job.progress(add.length, add.length);
  return graph;
}

// A thread of its own builds the files, and one more for each slice the graph of that.
await jobInThread<BuildVectorsJob | BuildGraphJob, Checksum | void>(async (job) =>
  'path' in job.data ? buildSlice(job as Job<BuildGraphJob>) : buildFiles(job as Job<BuildVectorsJob>),
);
