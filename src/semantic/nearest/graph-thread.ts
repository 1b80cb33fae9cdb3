import { closeSync, fsyncSync, openSync } from 'node:fs';
import { type Job, jobInThread, partOf } from '../../core/index.js';
import type { BuildGraphJob } from './build-graph-job.js';
import { type Checksum, checksumOf } from './file-checksum.js';
import { Graph, type GraphLibrary, loadGraphLibrary } from './graph.js';
import { mixedOrder } from './mixed-order.js';
import { sliceOf } from './slices.js';

/** Vectors between two progress messages and two looks at whether to stop. */
const VECTORS_PER_STEP = 200;

/** Builds the graph of one slice, and writes it. Runs in a thread of its own. */
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
  graph.write(part);
  sync(part);
  const checksum = await checksumOf(part);
  // hnswlib does not notice that a disk is full.
  if (checksum === undefined || !(await Graph.isFile(part, checksum, keys, vectors.dimensions))) {
    throw new Error(`the graph could not be written to ${part}`);
  }
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
  const { dimensions, values } = job.data.vectors;
  const former = await readFormerGraph(job.data, library);
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
    const place = places[add[i]!]!;
    graph.add(keys[add[i]!]!, values.subarray(place * dimensions, (place + 1) * dimensions));
  }
  job.progress(add.length, add.length);
  return graph;
}

async function readFormerGraph(
  { path, vectors, former }: BuildGraphJob,
  library: GraphLibrary,
): Promise<{ readonly graph: Graph; readonly keys: Float64Array } | undefined> {
  if (former === undefined) return undefined;
  const { checksum, keys } = former;
  const graph = await Graph.read(library, path, checksum, keys, vectors.dimensions);
  return graph === undefined ? undefined : { graph, keys };
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

await jobInThread(buildSlice);
