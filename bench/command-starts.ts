import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atMost, type Bar, round } from './bars.js';
import { firstMcpAnswer } from './first-mcp-answer.js';
import { measureStarts, processTime, type Starts, type Timed } from './starts.js';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const LIBRARY = new URL('../dist/index.js', import.meta.url).href;
const OPENING = fileURLToPath(new URL('programs/open-and-mean.mjs', import.meta.url));
const QUESTION = 'react testing';

const HELP = '`--help`';
const BY_WORDS = 'search by words';
const BY_MEANING = 'search by meaning';

/**
 * Times commands and programs over a catalogue, and `node -e 0` in each round. Needs a build.
 *
 * @param options.semantic whether search by meaning is timed where the catalogue has vectors
 */
export async function measureCommandStarts(
  database: string,
  { rounds, semantic }: { readonly rounds: number; readonly semantic: boolean },
): Promise<Starts> {
  return measureStarts(startsOver(database, semantic), rounds);
}

/** Catalogues of fewer skills count as small. */
const SMALL = 10_000;

export function startsBars({ starts }: Starts, skills: number): Bar[] {
  const most = { [HELP]: 1.4, [BY_WORDS]: 1.9, [BY_MEANING]: skills < SMALL ? 6 : 7 };
  return Object.entries(most).flatMap(([what, limit]) => {
    const start = starts[what];
    if (start === undefined) return [];
    return [atMost(`command line: ${what}, times \`node -e 0\``, start.times, limit, '', ` (${round(start.ms)} ms)`)];
  });
}

function startsOver(database: string, semantic: boolean): Timed {
  const search = (...words: string[]) => processTime([MAIN, 'search', QUESTION, ...words, '--database', database]);
  const timed = new Map<string, () => number | Promise<number>>([
    [HELP, () => processTime([MAIN, '--help'])],
    [BY_WORDS, () => search()],
    ['`mcp`, to its first answer by words', () => firstMcpAnswer(database)],
    ['`serve`, to its first answer by words', () => firstHttpAnswer(database)],
    ['the library: import', () => openingTimes(database, []).imported],
    ['the library: opening', () => openingTimes(database, []).opened],
  ]);
  if (!semantic || openingTimes(database, [QUESTION]).asked === undefined) return timed;
  return timed
    .set(BY_MEANING, () => search('--mode', 'semantic'))
    .set('the library: first question by meaning', () => openingTimes(database, [QUESTION]).asked ?? Number.NaN);
}

interface OpeningTimes {
  readonly imported: number;
  readonly opened: number;
  /** Undefined for a catalogue without vectors. */
  readonly asked?: number;
}

/** @param question asked by meaning; none without */
function openingTimes(database: string, question: readonly string[]): OpeningTimes {
  const { status, stdout } = spawnSync(process.execPath, [OPENING, LIBRARY, database, ...question], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`the library ended with ${status}`);
  return JSON.parse(stdout) as OpeningTimes;
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
