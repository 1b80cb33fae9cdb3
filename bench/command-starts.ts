import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atMost, type Bar, round } from './bars.js';
import { firstMcpAnswer } from './first-mcp-answer.js';
import { markdownTable } from './markdown-table.js';
import { median } from './statistics.js';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const LIBRARY = new URL('../dist/index.js', import.meta.url).href;
const OPENING = fileURLToPath(new URL('programs/open-and-mean.mjs', import.meta.url));
const QUESTION = 'react testing';

/** What is timed: by name, one run each call, in milliseconds. */
type Timed = ReadonlyMap<string, () => number | Promise<number>>;

/** What commands and programs take from their start. */
export interface CommandStarts {
  /** Milliseconds of `node -e 0`, median. */
  readonly bare: number;
  /** By name: milliseconds, and how many times `node -e 0` that is; medians over the rounds. */
  readonly starts: Readonly<Record<string, { readonly ms: number; readonly times: number }>>;
}

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
): Promise<CommandStarts> {
  const timed = startsOver(database, semantic);
  const bare: number[] = [];
  const all = new Map<string, number[]>();
  for (let i = 0; i < rounds; i++) {
    bare.push(processTime(['-e', '0']));
    for (const [what, time] of timed) all.set(what, [...(all.get(what) ?? []), await time()]);
  }
  const starts = [...all].map(([what, times]) => {
    const ratios = times.map((ms, i) => ms / (bare[i] as number));
    return [what, { ms: median(times), times: median(ratios) }] as const;
  });
  return { bare: median(bare), starts: Object.fromEntries(starts) };
}

export function startsTable({ bare, starts }: CommandStarts): string {
  const rows = Object.entries(starts).map(([what, { ms, times }]) => [what, round(ms), round(times)]);
  return markdownTable(['from its start', 'ms', 'times `node -e 0`'], [['`node -e 0`', round(bare), '1'], ...rows]);
}

/** Catalogues of fewer skills count as small. */
const SMALL = 10_000;

export function startsBars({ starts }: CommandStarts, skills: number): Bar[] {
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
