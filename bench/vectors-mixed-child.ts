// Asks a catalogue of generated vectors questions by words, by vector and by both in turn, and prints memory and times
// as JSON. A process of its own: nothing else is asked in it.
import { readFileSync } from 'node:fs';
import { openSkillSearch } from '../src/index.js';
import { GeneratedVectors } from './generated-vectors.js';
import type { PooledQuestion } from './programs.js';
import { quantile } from './statistics.js';

const KINDS = ['words', 'vector', 'hybrid'] as const;

const { database, seed, questions } = JSON.parse(readFileSync(0, 'utf8')) as {
  database: string;
  seed: number;
  questions: readonly PooledQuestion[];
};
const search = await openSkillSearch({ database, embedder: new GeneratedVectors(seed), warmUp: true });
const openedRss = process.memoryUsage.rss();
const times: Record<(typeof KINDS)[number], number[]> = { words: [], vector: [], hybrid: [] };
for (const [i, { q, sortBy }] of questions.entries()) {
  const kind = KINDS[i % KINDS.length] ?? 'words';
  const before = performance.now();
  if (kind === 'words') search.keyword({ q, sortBy }).hits.map(({ skill }) => skill.id);
  else (await search.semantic({ q, ranking: kind })).hits.map(({ skill }) => skill.id);
  times[kind].push(performance.now() - before);
}
const rss = process.memoryUsage.rss();
await search.close();
const figures = Object.fromEntries(
  Object.entries({ ...times, all: Object.values(times).flat() }).map(([kind, some]) => [
    kind,
    { p50: quantile(some, 0.5), p95: quantile(some, 0.95) },
  ]),
);
// The kernel counts in KiB.
const peakRss = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ openedRss, rss, peakRss, ...figures }));
