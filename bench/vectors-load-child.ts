// Gives a catalogue generated vectors and their index, and prints what that took as JSON. A process of its own.
import { readFileSync } from 'node:fs';
import { buildCatalogue } from '../src/index.js';
import { GeneratedVectors } from './generated-vectors.js';

const { database, source, seed, model } = JSON.parse(readFileSync(0, 'utf8')) as {
  database: string;
  source: string;
  seed: number;
  model?: string;
};
const started = performance.now();
const { embedded, seconds, warnings } = await buildCatalogue({
  database,
  sources: [source],
  embedder: new GeneratedVectors(seed, model),
});
for (const { origin, message } of warnings) console.error(`${origin}: ${message}`);
const total = (performance.now() - started) / 1000;
console.log(JSON.stringify({ embedded, seconds, total, peakBytes: process.resourceUsage().maxRSS * 1024 }));
