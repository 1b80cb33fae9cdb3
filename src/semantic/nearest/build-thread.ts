import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { BuildThreadData, BuildThreadMessage } from './build-messages.js';
import { Graph, type GraphLibrary, loadGraphLibrary } from './graph.js';
import { mixedOrder } from './mixed-order.js';
import { sameVectors } from './same-vectors.js';
import { addToMean, emptyCodes, encode, type VectorCodes } from './vector-codes.js';
import { checksumOf, encodeVectorFile, isWhole, readVectorFile, type VectorFileHeader } from './vector-file.js';
import { vectorFileNames } from './vector-file-names.js';

/** Vectors between two messages, and looks at whether to stop. */
const STEP = 200;

const { catalogue, stamp, model, vectors, graphFrom, stop } = workerData as BuildThreadData;
const files = vectorFileNames(catalogue);

class Stopped extends Error {}

async function main(): Promise<void> {
  const { dimensions, keys, values } = vectors;
  const count = keys.length;
  const codes = emptyCodes(count, dimensions);
  addToMean(codes, values, 0, count);
  for (let from = 0; from < count; from += STEP) {
    goOn();
    encode(codes, values, from, Math.min(from + STEP, count));
  }
  const graph = await writeGraph(codes);
  const header: VectorFileHeader = { stamp, model, dimensions, count, ...(graph === undefined ? {} : { graph }) };
  const file = encodeVectorFile({ header, keys, codes });
  if (file === undefined) return;
  writeSynced(files.codesPart, file);
  goOn();
  if (graph === undefined) rmSync(files.graph, { force: true });
  else renameSync(files.graphPart, files.graph);
  renameSync(files.codesPart, files.codes);
}

/** @returns what the codes say of the graph; undefined where there is none */
async function writeGraph(codes: VectorCodes): Promise<VectorFileHeader['graph']> {
  if (vectors.keys.length < graphFrom || !Graph.takes(vectors.keys)) return undefined;
  const library = await loadGraphLibrary();
  if (library === undefined) return undefined;
  const graph = await updated(library, codes);
  graph.write(files.graphPart);
  sync(files.graphPart);
  return checksumOf(files.graphPart);
}

async function updated(library: GraphLibrary, codes: VectorCodes): Promise<Graph> {
  const { dimensions, keys, values } = vectors;
  const present = await readPresent(library, codes);
  const plan = present?.graph.plan(present.keys, keys);
  const graph = present !== undefined && plan !== undefined ? present.graph : Graph.empty(library, dimensions);
  const { add, remove } = plan ?? { add: Array.from(keys.keys()), remove: [] };
  for (const key of remove) graph.remove(key);
  graph.grow(add.length);
  for (const [done, at] of mixedOrder(add.length).entries()) {
    if (done % STEP === 0) {
      goOn();
      tell({ kind: 'progress', done, total: add.length });
    }
    const place = add[at]!;
    graph.add(keys[place]!, values.subarray(place * dimensions, (place + 1) * dimensions));
  }
  tell({ kind: 'progress', done: add.length, total: add.length });
  return graph;
}

/**
 * The graph of an earlier state of the catalogue and the keys in it, if it is whole, of the same model, and if what has
 * the same key in both is the same vector: another catalogue may have stood in this place, or a copy of this one may
 * have been put back, and a graph over other vectors would find next to nothing, silently.
 */
async function readPresent(
  library: GraphLibrary,
  codes: VectorCodes,
): Promise<{ readonly graph: Graph; readonly keys: Float64Array } | undefined> {
  const file = await readVectorFile(files.codes);
  if (file?.header.graph === undefined) return undefined;
  const { header, keys } = file;
  if (header.model !== model || header.dimensions !== codes.dimensions) return undefined;
  if (!sameVectors(file, { keys: vectors.keys, codes })) return undefined;
  if (!(await isWhole(files.graph, file.header.graph))) return undefined;
  const graph = await Graph.read(library, files.graph, codes.dimensions);
  return graph === undefined ? undefined : { graph, keys };
}

function goOn(): void {
  if (Atomics.load(stop, 0) !== 0) throw new Stopped();
}

function writeSynced(path: string, bytes: Uint8Array): void {
  writeFileSync(path, bytes);
  sync(path);
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function tell(message: BuildThreadMessage): void {
  parentPort?.postMessage(message);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Stopped))
    tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
} finally {
  for (const path of [files.codesPart, files.graphPart]) rmSync(path, { force: true });
}
