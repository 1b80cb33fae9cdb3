import { rmSync } from 'node:fs';
import { atMost, type Bar, round } from './bars.js';
import { type ChangedLoads, measureChangedLoads } from './changed-load.js';
import { LARGE_HEAP, runChild } from './child.js';
import { markdownTable } from './markdown-table.js';
import { type LoadedFigures, loadProgram, type StartTimes } from './programs.js';
import { median } from './statistics.js';

export interface LoadResult {
  /** The load whose time is the median. */
  readonly first: LoadedFigures;
  /** The same once more: nothing has changed. */
  readonly again: LoadedFigures;
  readonly changed: ChangedLoads;
  /** Seconds of MiniSearch's `addAll` of the same text with its own terms, median; undefined where not asked for. */
  readonly addAllSeconds: number | undefined;
}

export interface LoadOptions {
  /** Where the catalogue is left. */
  readonly database: string;
  readonly source: string;
  readonly rounds: number;
  /** Whether MiniSearch takes part. */
  readonly beside: boolean;
}

/** Loads a catalogue without vectors, and MiniSearch with its text, in turns; then changes of the catalogue. */
export async function measureLoads({ database, source, rounds, beside }: LoadOptions): Promise<LoadResult> {
  const loads: LoadedFigures[] = [];
  const addAll: number[] = [];
  for (let i = 0; i < rounds; i++) {
    for (const suffix of ['', '.keyword']) rmSync(database + suffix, { force: true });
    loads.push(loadProgram(database, source));
    if (beside)
      addAll.push(runChild<{ seconds: number }>('minisearch-load-child.ts', { database }, LARGE_HEAP).seconds);
  }
  const middle = median(loads.map(({ total }) => total));
  const first = loads.find(({ total }) => total === middle) as LoadedFigures;
  const again = loadProgram(database, source);
  const changed = await measureChangedLoads(database, source, again.unchanged, rounds);
  return { first, again, changed, addAllSeconds: beside ? median(addAll) : undefined };
}

export function loadTable({ first, again }: LoadResult): string {
  return markdownTable(
    ['load, words', 'skills', 'seconds', 'reading', 'storing', 'publishing', 'indexing', 'peak memory MB'],
    [loadRow('first', first), loadRow('again, unchanged', again)],
  );
}

export function loadBars({ first, changed, addAllSeconds }: LoadResult, start: StartTimes): Bar[] {
  const seen = first.total + start.ours / 1000;
  const changedBar = (how: string, seconds: number): Bar => {
    const more = ` (${round(seconds)} to ${round(seen)} s)`;
    const what = `100 changed skills until a new process sees them, share of the full load: ${how}`;
    return atMost(what, seconds / seen, 0.4, '', more);
  };
  const bars = [
    changedBar('the whole file again', changed.wholeFile),
    changedBar('a file of these only', changed.changesOnly),
  ];
  if (addAllSeconds === undefined) return bars;
  const more = ` (${round(first.total)} to ${round(addAllSeconds)} s)`;
  const what = "load without embeddings, share of MiniSearch's addAll with its own terms";
  return [atMost(what, first.total / addAllSeconds, 0.4, '', more), ...bars];
}

function loadRow(name: string, { added, updated, unchanged, seconds, total, peakBytes }: LoadedFigures): string[] {
  const { reading, storing, publishing, indexing } = seconds;
  const skills = String(added + updated + unchanged);
  return [name, skills, ...[total, reading, storing, publishing, indexing, peakBytes / 1e6].map(round)];
}
