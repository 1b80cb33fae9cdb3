import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { round } from './bars.js';
import { spreadOf } from './engine.js';
import { writeGeneratedCatalogue } from './generated-catalogue.js';
import type { Panel } from './growth-picture.js';
import { askProgram, loadProgram, measureStart, poolOf, type StartTimes } from './programs.js';
import { makeQuestions, sampleIds } from './questions.js';

/** Catalogues of each size, the last being the goal. */
export const GROWTH_SIZES: readonly number[] = [1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000];

/** Asked before, and then timed. */
const QUESTIONS = 1000;

export interface SizeFigures {
  readonly size: number;
  readonly loadSeconds: number;
  readonly loadPeakBytes: number;
  readonly openSeconds: number;
  readonly start: StartTimes;
  readonly p50: number;
  readonly p99: number;
  readonly rss: number;
  readonly bytesOnDisk: number;
}

/**
 * Loads a generated catalogue without file text, opens it, asks it questions of all classes and orders.
 *
 * @param folder is made, and left for the caller to remove
 */
export async function measureSize(size: number, seed: number, folder: string): Promise<SizeFigures> {
  mkdirSync(folder, { recursive: true });
  const [source, database] = [join(folder, 'generated.jsonl'), join(folder, 'skills.db')];
  await writeGeneratedCatalogue(source, size, seed, { fileText: false });
  const { total: loadSeconds, peakBytes: loadPeakBytes } = loadProgram(database, source);
  const classes = await makeQuestions(database, sampleIds(database));
  const pool = poolOf(classes, QUESTIONS);
  const { openSeconds, rss, times } = askProgram(database, pool, 'words', folder);
  const start = await measureStart(database, pool[0]?.q ?? 'a', 5);
  const bytesOnDisk = sizeOf(database) + sizeOf(`${database}.keyword`);
  return { size, loadSeconds, loadPeakBytes, openSeconds, start, ...spreadOf(times), rss, bytesOnDisk };
}

export const GROWTH_HEAD = [
  'skills',
  'load s',
  'load peak MB',
  'opening s',
  'start to first answer s',
  'p50 ms',
  'p99 ms',
  'memory MB',
  'disk MB',
];

export function growthRow(figures: SizeFigures): string[] {
  const { size, loadSeconds, loadPeakBytes, openSeconds, start, p50, p99, rss, bytesOnDisk } = figures;
  const megabytes = (bytes: number): string => round(bytes / 1e6);
  return [
    size.toLocaleString('en'),
    round(loadSeconds),
    megabytes(loadPeakBytes),
    round(openSeconds),
    `${round(start.ours / 1000)} (node -e 0: ${round(start.bare / 1000)})`,
    round(p50),
    round(p99),
    megabytes(rss),
    megabytes(bytesOnDisk),
  ];
}

export function growthPanels(all: readonly SizeFigures[]): Panel[] {
  const line = (name: string, of: (figures: SizeFigures) => number): Panel['lines'][number] => {
    return { name, points: all.map((figures) => [figures.size, of(figures)] as const) };
  };
  return [
    { title: 'Load, seconds', lines: [line('load', (f) => f.loadSeconds)] },
    {
      title: 'Process start, seconds',
      lines: [line('to first answer', (f) => f.start.ours / 1000), line('node -e 0', (f) => f.start.bare / 1000)],
    },
    { title: 'Keyword questions, ms', lines: [line('p50', (f) => f.p50), line('p99', (f) => f.p99)] },
    {
      title: 'Memory (RSS), MB',
      lines: [line('1,000 questions', (f) => f.rss / 1e6), line('load, peak', (f) => f.loadPeakBytes / 1e6)],
    },
  ];
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
