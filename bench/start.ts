// `npm run bench:start -- DATABASE… [--rounds N]`: how long commands and programs take from their start, beside `node -e 0`,
// taking turns. Needs a build. See README.md here.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { round } from './bars.js';
import { firstMcpAnswer } from './first-mcp-answer.js';
import { machineName } from './machine.js';
import { markdownTable } from './markdown-table.js';
import { median } from './statistics.js';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const LIBRARY = new URL('../dist/index.js', import.meta.url).href;
const OPENING = fileURLToPath(new URL('programs/open-and-mean.mjs', import.meta.url));
const QUESTION = 'react testing';

/** What is timed: by name, one run each call, in milliseconds. */
type Timed = ReadonlyMap<string, () => number | Promise<number>>;

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '11' } },
  allowPositionals: true,
});
if (positionals.length === 0) {
  console.error('usage: npm run bench:start -- DATABASE… [--rounds N]');
  process.exit(2);
}
const bare = (): number => processTime(['-e', '0']);
console.log(`machine: ${machineName()}`);
await show('help', new Map([['`--help`', () => processTime([MAIN, '--help'])]]));
for (const database of positionals) await show(database, startsOver(database));

function startsOver(database: string): Timed {
  const search = (...words: string[]) => processTime([MAIN, 'search', QUESTION, ...words, '--database', database]);
  const opening = openingTimes(database);
  const timed = new Map<string, () => number | Promise<number>>([
    ['search by words', () => search()],
    ['`mcp`, to its first answer by words', () => firstMcpAnswer(database)],
    ['`serve`, to its first answer by words', () => firstHttpAnswer(database)],
    ['the library: import', () => openingTimes(database).imported],
    ['the library: opening', () => openingTimes(database).opened],
  ]);
  if (opening.asked === undefined) return timed;
  return timed
    .set('search by meaning', () => search('--mode', 'semantic'))
    .set('the library: first question by meaning', () => openingTimes(database).asked ?? Number.NaN);
}

interface OpeningTimes {
  readonly imported: number;
  readonly opened: number;
  /** Undefined for a catalogue without vectors. */
  readonly asked?: number;
}

function openingTimes(database: string): OpeningTimes {
  const { status, stdout } = spawnSync(process.execPath, [OPENING, LIBRARY, database, QUESTION], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`the library ended with ${status}`);
  return JSON.parse(stdout) as OpeningTimes;
}

/** Milliseconds until a process has ended. */
function processTime(words: readonly string[]): number {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}`);
  return performance.now() - started;
}

/** Milliseconds from the start of `skill-discovery serve` to its first answer. */
async function firstHttpAnswer(database: string): Promise<number> {
  const started = performance.now();
  const state = join(tmpdir(), `bench-start-${process.pid}.db`);
  const words = [MAIN, 'serve', '--database', database, '--port', '0', '--state', state];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const url = await addressSaidBy(child.stdout, child.stderr);
    const answer = await fetch(`${url}/api/v1/skills/search?q=react`);
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    await answer.arrayBuffer();
    return performance.now() - started;
  } finally {
    child.kill();
    await once(child, 'close');
    for (const end of ['', '-wal', '-shm']) rmSync(`${state}${end}`, { force: true });
  }
}

/** The first address that is printed. */
function addressSaidBy(...outputs: readonly NodeJS.ReadableStream[]): Promise<string> {
  return new Promise((resolve, reject) => {
    for (const output of outputs) {
      output.on('data', (text) => {
        const url = /http:\/\/[\w.:-]*\d/.exec(String(text))?.[0];
        if (url !== undefined) resolve(url);
      });
      output.on('end', () => reject(new Error('the server said no address')));
    }
  });
}

async function show(title: string, timed: Timed): Promise<void> {
  const [times, bareTimes]: [Map<string, number[]>, number[]] = [new Map(), []];
  for (let i = 0; i < Number(values.rounds); i++) {
    bareTimes.push(bare());
    for (const [what, time] of timed) times.set(what, [...(times.get(what) ?? []), await time()]);
  }
  const rows = [...times].map(([what, all]) => {
    return [what, `${round(median(all))}`, `${round(median(all) / median(bareTimes))}`];
  });
  console.log(`\n${title}; \`node -e 0\` ${round(median(bareTimes))} ms\n`);
  console.log(markdownTable(['what', 'ms', 'times `node -e 0`'], rows));
}
