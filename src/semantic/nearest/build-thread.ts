import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { partOf } from '../../arrays/write-array-file.js';
import { type Job, jobInThread } from '../../threads/job-in-thread.js';
import type { BuildVectorsJob } from './build-vectors-job.js';
import { type Checksum, checksumOf } from './file-checksum.js';
import { Graph, type GraphLibrary, loadGraphLibrary } from './graph.js';
import { mixedOrder } from './mixed-order.js';
import { sameVectors } from './same-vectors.js';
import { addToMean, emptyCodes, encode, type VectorCodes } from './vector-codes.js';
import { readVectorFile, writeVectorFilePart } from './vector-file.js';

/** Vectors between two progress messages and two looks at whether to stop. */
const VECTORS_PER_STEP = 200;

/** Builds the vector files of a catalogue. Runs in a thread of its own. */
async function build(job: Job<BuildVectorsJob>): Promise<void> {
  const { files, stamp, model, vectors } = job.data;
  try {
    const codes = encodeVectors(job);
    const graph = await writeGraphPart(job, codes);
    writeVectorFilePart(files.vectors, { stamp, model }, { keys: vectors.keys, codes, graph });
    job.throwIfStopped();
    if (graph === undefined) rmSync(files.graph, { force: true });
    else renameSync(partOf(files.graph), files.graph);
    renameSync(partOf(files.vectors), files.vectors);
  } finally {
    for (const path of [files.vectors, files.graph]) rmSync(partOf(path), { force: true });
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

/** @returns the checksum of the file of the graph; undefined if there is no graph */
async function writeGraphPart(job: Job<BuildVectorsJob>, codes: VectorCodes): Promise<Checksum | undefined> {
  const { files, vectors, graphFrom } = job.data;
  if (vectors.keys.length < graphFrom || !Graph.takes(vectors.keys)) return undefined;
  const library = await loadGraphLibrary();
  if (library === undefined) return undefined;
  const graph = await buildGraph(job, library, codes);
  const path = partOf(files.graph);
  graph.write(path);
  sync(path);
  const checksum = await checksumOf(path);
  // hnswlib does not notice that a disk is full.
  if (checksum === undefined || !(await Graph.isFile(path, checksum, vectors.keys, vectors.dimensions))) {
    throw new Error(`the graph could not be written to ${path}`);
  }
  return checksum;
}

/** Updates the graph of an earlier state, or builds a new one. */
async function buildGraph(job: Job<BuildVectorsJob>, library: GraphLibrary, codes: VectorCodes): Promise<Graph> {
  const { dimensions, keys, values } = job.data.vectors;
  const former = await readFormerGraph(job.data, library, codes);
  const plan = former?.graph.plan(former.keys, keys);
  const graph = former !== undefined && plan !== undefined ? former.graph : Graph.empty(library, dimensions);
  const { add, remove } = plan ?? { add: Array.from(keys.keys()), remove: [] };
  for (const key of remove) graph.remove(key);
  graph.grow(add.length);
  for (const [done, i] of mixedOrder(add.length).entries()) {
    if (done % VECTORS_PER_STEP === 0) {
      job.throwIfStopped();
      job.progress(done, add.length);
    }
    const place = add[i]!;
    graph.add(keys[place]!, values.subarray(place * dimensions, (place + 1) * dimensions));
  }
  job.progress(add.length, add.length);
  return graph;
}

/**
 * Reads the graph of an earlier state of the catalogue, and the keys in it.
 *
 * A graph over other vectors would find next to nothing, without any error. That happens when another catalogue, or an
 * older copy of this one, was put under the same name. So each key that both states have must stand for the same
 * vector.
 *
 * @returns undefined if there is no graph, or it is damaged, or it is over vectors of another model or other vectors
 */
async function readFormerGraph(
  { files, model, vectors }: BuildVectorsJob,
  library: GraphLibrary,
  codes: VectorCodes,
): Promise<{ readonly graph: Graph; readonly keys: Float64Array } | undefined> {
  const file = await readVectorFile(files.vectors, { model });
  if (file?.graph === undefined || file.codes.dimensions !== codes.dimensions) return undefined;
  if (!sameVectors(file, { keys: vectors.keys, codes })) return undefined;
  const graph = await Graph.read(library, files.graph, file.graph, file.keys, codes.dimensions);
  return graph === undefined ? undefined : { graph, keys: file.keys };
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

await jobInThread(build);
