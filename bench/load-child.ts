// Loads a catalogue and prints what it took as JSON. A process of its own, so that its peak memory is its own.
import { readFileSync } from 'node:fs';
import { buildCatalogue } from '../src/index.js';

const { database, source, semantic } = JSON.parse(readFileSync(0, 'utf8')) as {
  database: string;
  source: string;
  semantic: boolean;
};
const started = performance.now();
const { added, unchanged, embedded, seconds } = await buildCatalogue({ database, sources: [source], semantic });
const total = (performance.now() - started) / 1000;
console.log(
  JSON.stringify({ added, unchanged, embedded, seconds, total, peakBytes: process.resourceUsage().maxRSS * 1024 }),
);
