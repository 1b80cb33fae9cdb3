import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LoadReport, SortOrder } from '../src/index.js';
import type { QuestionClass } from './questions.js';
import { median } from './statistics.js';

/**
 * Programs that use the library as it is published, built and without a loader: what a process takes from its start on,
 * and its memory, are measured with them.
 */
const LIBRARY = new URL('../dist/index.js', import.meta.url);

export interface LoadedFigures {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly seconds: LoadReport['seconds'];
  /** Seconds of `buildCatalogue`. */
  readonly total: number;
  readonly peakBytes: number;
}

/** Loads a catalogue without vectors. */
export function loadProgram(database: string, source: string): LoadedFigures {
  return JSON.parse(run('load.mjs', database, source));
}

export interface AskedFigures {
  readonly openSeconds: number;
  /** Resident memory after opening, and after all questions, in bytes. */
  readonly openedRss: number;
  readonly rss: number;
  /** Milliseconds of each question, the first tenth aside. */
  readonly times: readonly number[];
}

export interface PooledQuestion {
  readonly q: string;
  readonly sortBy: SortOrder;
}

/** @param folder where the questions can be left */
export function askProgram(
  database: string,
  questions: readonly PooledQuestion[],
  kind: 'words' | 'meaning',
  folder: string,
): AskedFigures {
  const file = `${folder}/questions.json`;
  writeFileSync(file, JSON.stringify(questions));
  return JSON.parse(run('ask.mjs', database, file, kind));
}

/** Seconds that the first question by meaning takes in a new process after opening, the model's loading included. */
export function firstMeaning(database: string, questions: readonly string[]): number {
  const seconds = questions.map((q) => (JSON.parse(run('first-question.mjs', database, q)) as { first: number }).first);
  return median(seconds);
}

/** So many questions of all classes in turn, the orders taking turns as well. */
export function poolOf(classes: readonly QuestionClass[], count: number): PooledQuestion[] {
  const orders: SortOrder[] = ['recent', 'relevance', 'stars'];
  return Array.from({ length: count }, (_, i) => {
    const { questions } = classes[i % classes.length] as QuestionClass;
    const turn = Math.floor(i / classes.length);
    return { q: questions[turn % questions.length] as string, sortBy: orders[turn % orders.length] as SortOrder };
  });
}

export interface StartTimes {
  /** Milliseconds from the start of the process to its first answer. */
  readonly ours: number;
  /** Milliseconds that `node -e 0` takes. */
  readonly bare: number;
}

/** Starts both in turn, medians. */
export async function measureStart(database: string, q: string, times = 10): Promise<StartTimes> {
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let i = 0; i < times; i++) {
    bare.push(await timeOf(['-e', '0']));
    ours.push((await firstAnswer(database, q)).ms);
  }
  return { ours: median(ours), bare: median(bare) };
}

/** What a new process answers to a question, and how long that takes from its start. */
export async function firstAnswer(
  database: string,
  q: string,
): Promise<{ readonly total: number; readonly ms: number }> {
  let output = '';
  const ms = await timeOf([pathOf('first-answer.mjs'), LIBRARY.href, database, q], (text) => {
    output += text;
  });
  return { total: Number(output), ms };
}

/** Milliseconds until the process says something, or else ends. */
async function timeOf(words: readonly string[], onOutput?: (text: string) => void): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said: number | undefined;
  child.stdout.on('data', (text) => {
    said ??= performance.now();
    onOutput?.(String(text));
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`a program that was measured ended with ${code}`);
  return (said ?? performance.now()) - started;
}

function run(program: string, ...words: readonly string[]): string {
  return execFileSync(process.execPath, [pathOf(program), LIBRARY.href, ...words], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function pathOf(program: string): string {
  return fileURLToPath(new URL(`programs/${program}`, import.meta.url));
}
