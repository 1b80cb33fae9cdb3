import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openAccess } from '../src/access/index.js';
import { PATHS } from '../src/http/routes.js';
import type { PooledQuestion } from './programs.js';

const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
/** Questions that are asked at the same time. */
const AT_ONCE = 4;

/** Words by relevance are asked for by the path of installers: the one of the interface knows date and stars. */
const BY_RELEVANCE = ['--compat', 'skillsmp', '--find-per-minute', '0'];

/** Resident memory of a server, in bytes. */
export interface ServingMemory {
  /** When it can answer: with `meaning`, when the model and the vectors are there. */
  readonly opened: number;
  /** After all questions. */
  readonly asked: number;
  /** While the catalogue was opened a second time, at most; undefined where the system does not tell. */
  readonly reloading: number | undefined;
  /** Seconds from the start of the process until it can answer. */
  readonly openSeconds: number;
  /** Seconds of opening the catalogue a second time. */
  readonly reloadSeconds: number;
}

/**
 * Starts the built server over a catalogue, asks it questions and lets it reload.
 *
 * @param kind `words`: no question is asked by meaning, and there is no model; `meaning`: every second one is
 * @param folder for the keys, and what else the server needs
 */
export async function measureServing(
  database: string,
  questions: readonly PooledQuestion[],
  kind: 'words' | 'meaning',
  folder: string,
): Promise<ServingMemory> {
  mkdirSync(folder, { recursive: true });
  const state = join(folder, 'access.db');
  const access = openAccess({ state });
  const { key } = access.createKey({ name: 'sizing', daily: 0, perMinute: 0 });
  access.close();
  const started = performance.now();
  // Without a model the vectors of a catalogue are not opened.
  const model = kind === 'words' ? ['--model', folder] : [];
  const words = [
    'serve',
    '--database',
    database,
    '--port',
    '0',
    '--state',
    state,
    ...model,
    ...BY_RELEVANCE,
    '--longest-wait',
    '0',
    '--requests-per-second',
    '0',
  ];
  const server = spawn(process.execPath, [COMMAND, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const log = new LineReader(server);
    const ready = log.next(/semantic search is (ready|not available)/);
    const [url] = /http:\S+\d/.exec(await log.next(/ at http/)) as unknown as [string];
    await ready;
    const openSeconds = (performance.now() - started) / 1000;
    const opened = residentBytes(server);
    await ask(url, key, questions, kind);
    const asked = residentBytes(server);
    const reloaded = log.next(/catalogue reloaded/);
    server.kill('SIGHUP');
    const { milliseconds } = JSON.parse(await reloaded) as { milliseconds: number };
    return { opened, asked, reloading: peakBytes(server), openSeconds, reloadSeconds: milliseconds / 1000 };
  } finally {
    const ended = once(server, 'exit');
    server.kill();
    await ended;
  }
}

async function ask(
  url: string,
  key: string,
  questions: readonly PooledQuestion[],
  kind: 'words' | 'meaning',
): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const rest = questions.entries();
  const askInTurn = async (): Promise<void> => {
    for (const [i, { q, sortBy }] of rest) {
      const isByMeaning = kind === 'meaning' && i % 2 === 1;
      const parameters = new URLSearchParams(sortBy === 'relevance' || isByMeaning ? { q } : { q, sortBy });
      const path = isByMeaning ? PATHS.semantic : sortBy === 'relevance' ? PATHS.find : PATHS.keyword;
      const answer = await fetch(`${url}${path}?${parameters}`, { headers });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`a question was answered with ${answer.status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askInTurn));
}

/** What a process prints, line by line. */
class LineReader {
  readonly #lines: string[] = [];
  readonly #waiting = new Set<{ readonly wanted: RegExp; readonly found: (line: string) => void }>();
  readonly #ended: Promise<never>;

  constructor(process: ChildProcess) {
    for (const stream of [process.stdout, process.stderr]) {
      if (stream !== null) createInterface(stream).on('line', (line) => this.#take(line));
    }
    this.#ended = once(process, 'exit').then(() => {
      throw new Error(`the server ended: ${this.#lines.slice(-3).join('\n')}`);
    });
    this.#ended.catch(() => {});
  }

  /** The first line from now on that has this. */
  next(wanted: RegExp): Promise<string> {
    const line = new Promise<string>((found) => this.#waiting.add({ wanted, found }));
    return Promise.race([line, this.#ended]);
  }

  #take(line: string): void {
    if (/"level":"(warn|error)"/.test(line) || this.#lines.length < 10) this.#lines.push(line);
    for (const waiting of this.#waiting) {
      if (!waiting.wanted.test(line)) continue;
      this.#waiting.delete(waiting);
      waiting.found(line);
    }
  }
}

function residentBytes({ pid }: ChildProcess): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}

function peakBytes({ pid }: ChildProcess): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return undefined;
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(file, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
