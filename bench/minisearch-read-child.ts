// Reads a MiniSearch index that was stored as JSON, and prints the seconds that takes as JSON. A process of its own.
import { readFileSync } from 'node:fs';
import MiniSearch from 'minisearch';
import { OPTIONS } from './peers/minisearch.js';
import { timed } from './peers/peer.js';

const { path } = JSON.parse(readFileSync(0, 'utf8')) as { path: string };
const { seconds } = timed(() => MiniSearch.loadJSON(readFileSync(path, 'utf8'), OPTIONS));
console.log(JSON.stringify({ seconds }));
