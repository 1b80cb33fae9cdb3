// Opens a catalogue, asks a question, and prints what that took as JSON. A process of its own: nothing is remembered.
import { readFileSync } from 'node:fs';
import { openSkillSearch } from '../src/index.js';

export interface AskedAnew {
  /** Of opening and asking. */
  readonly seconds: number;
  readonly total: number;
  readonly megabytes: number;
}

const { database, q } = JSON.parse(readFileSync(0, 'utf8')) as { database: string; q: string };
const began = performance.now();
const search = await openSkillSearch({ database });
const { pagination } = search.keyword({ q });
const seconds = (performance.now() - began) / 1000;
const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
console.log(JSON.stringify({ seconds, total: pagination.total, megabytes } satisfies AskedAnew));
await search.close();
