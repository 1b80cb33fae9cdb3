// Opens a catalogue, asks by meaning, and prints what it took as JSON. A process of its own, so that its memory is its
// own.
import { readFileSync } from 'node:fs';
import type { VectorSet } from '../src/core/index.js';
import { BUNDLED_MODEL, inspectModel, openSkillSearch } from '../src/index.js';
import { VectorIndex } from '../src/semantic/nearest/vector-index.js';
import { startModel } from '../src/semantic/routed-embedder.js';
import { filesBeside } from '../src/store/files.js';
import { openStoredVectors } from '../src/store/read/stored-vectors.js';
import { askInTurns } from './asked-in-turns.js';

/** Depth at which recall is measured, and candidates that are scored exactly. */
const DEPTH = 10;
const CANDIDATES = 100;

const { database, questions, others, rounds } = JSON.parse(readFileSync(0, 'utf8')) as {
  database: string;
  questions: string[];
  /** Asked before, by meaning: so long has the process answered when the questions come. */
  others: string[];
  rounds: number;
};

const embedder = await startModel(await inspectModel(BUNDLED_MODEL), 1);
const vectors = (await embedder.embed(questions, { purpose: 'question' })) as Float32Array[];

const { stored, graph, scan } = await openIndexes();
const truth = vectors.map((vector) => exact(stored, vector));
const recalls = { graph: graph.hasGraph ? await recallOf(graph) : undefined, scan: await recallOf(scan) };
const nearestTimes = {
  graph: graph.hasGraph ? await timesOf(vectors, (vector) => graph.nearest(vector, CANDIDATES)) : undefined,
  scan: await timesOf(vectors, (vector) => scan.nearest(vector, CANDIDATES)),
};

const search = await openSkillSearch({ database });
const started = performance.now();
await search.warmUp();
const warmUpSeconds = (performance.now() - started) / 1000;
for (const q of others) await search.semantic({ q });
const asked = await askInTurns(
  {
    model: (q) => embedder.embed([q], { purpose: 'question' }),
    hybrid: (q) => search.semantic({ q }),
    vector: (q) => search.semantic({ q, ranking: 'vector' }),
  },
  questions,
  rounds,
);
await embedder.close?.();
await search.close();
console.log(JSON.stringify({ warmUpSeconds, nearest: nearestTimes, recalls, asked }));

interface Times {
  readonly p50: number;
  readonly p95: number;
}

async function timesOf<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<Times> {
  for (const item of items.slice(0, 10)) await run(item);
  const times: number[] = [];
  for (const item of items) {
    const before = performance.now();
    await run(item);
    times.push(performance.now() - before);
  }
  times.sort((a, b) => a - b);
  const quantile = (share: number): number => times[Math.floor((times.length - 1) * share)] as number;
  return { p50: quantile(0.5), p95: quantile(0.95) };
}

async function openIndexes(): Promise<{ stored: VectorSet; graph: VectorIndex; scan: VectorIndex }> {
  const { stamp, vectors: reader, close } = openStoredVectors(database);
  const { model = '' } = reader;
  const all = await reader.all();
  close();
  const scanned = await VectorIndex.fromVectors(all);
  const opened = await VectorIndex.open({ files: filesBeside(database), stamp, model });
  return { stored: all, graph: opened ?? scanned, scan: scanned };
}

/** Places of the vectors with the largest cosines, by computing all of them. */
function exact({ keys, dimensions, values }: VectorSet, vector: Float32Array): number[] {
  const cosines = Float64Array.from(keys, (_, place) => cosine(values, dimensions, place, vector));
  return best(Uint32Array.from(keys.keys()), cosines);
}

async function recallOf(index: VectorIndex): Promise<number> {
  let found = 0;
  for (const [i, vector] of vectors.entries()) {
    const places = await index.nearest(vector, CANDIDATES);
    const cosines = Float64Array.from(places, (place) => cosine(stored.values, stored.dimensions, place, vector));
    const nearest = new Set(best(places, cosines));
    found += (truth[i] as number[]).filter((place) => nearest.has(place)).length;
  }
  return found / (vectors.length * DEPTH);
}

function best(places: Uint32Array, cosines: Float64Array): number[] {
  return [...places.keys()]
    .sort((a, b) => (cosines[b] as number) - (cosines[a] as number))
    .slice(0, DEPTH)
    .map((i) => places[i] as number);
}

function cosine(values: Float32Array, dimensions: number, place: number, vector: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < dimensions; i++) sum += (values[place * dimensions + i] as number) * (vector[i] as number);
  return sum;
}
