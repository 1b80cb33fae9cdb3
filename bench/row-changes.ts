import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeSkills, updateSkills } from '../src/index.js';
import { derivedFiles } from '../src/store/files.js';
import { round } from './bars.js';
import { runChild } from './child.js';
import { markdownTable } from './markdown-table.js';
import type { AskedAnew } from './small-change-child.js';
import { median } from './statistics.js';

/** What a change of one row takes; medians over the rounds. */
interface RowChange {
  /** Of the call. */
  readonly seconds: number;
  /** The longest time that the call keeps the event loop, in milliseconds. */
  readonly block: number;
  /** Until a new process has opened the catalogue and answered; the start of Node.js aside. */
  readonly newProcessSeconds: number;
  readonly newProcessMegabytes: number;
}

export interface RowChanges {
  readonly changed: RowChange;
  readonly removed: RowChange;
}

/**
 * Changes a row of a copy of a catalogue and removes it, again and again.
 *
 * @throws where a new process does not find the change
 */
export async function measureRowChanges(
  source: string,
  { rounds, semantic }: { readonly rounds: number; readonly semantic: boolean },
): Promise<RowChanges> {
  const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-update-'));
  try {
    return await measureIn(folder, source, rounds, semantic ? undefined : false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function rowChangesTable({ changed, removed }: RowChanges): string {
  const row = (name: string, { seconds, block, newProcessSeconds, newProcessMegabytes }: RowChange): string[] => {
    return [name, round(seconds), round(block), round(newProcessSeconds), round(newProcessMegabytes)];
  };
  return markdownTable(
    ['one row', 'the call s', 'its longest block of the event loop, ms', 'new process, opened and asked s', 'its MB'],
    [row('changed, `updateSkills`', changed), row('removed, `removeSkills`', removed)],
  );
}

async function measureIn(
  folder: string,
  source: string,
  rounds: number,
  semantic: false | undefined,
): Promise<RowChanges> {
  const database = join(folder, 'skills.db');
  const copies = derivedFiles(database);
  copyFileSync(source, database);
  for (const [i, file] of derivedFiles(source).entries()) {
    if (existsSync(file)) copyFileSync(file, copies[i] as string);
  }
  const update = (name: string): Promise<unknown> =>
    updateSkills({ database, rows: [{ id: 'zz-changed', name, description: `Turns ${name} into charts.` }], semantic });
  // The first change of a catalogue of an earlier version completes its notes.
  await update('zzfirst');
  const [changed, removed]: [RowChange[], RowChange[]] = [[], []];
  for (let i = 0; i < rounds; i++) {
    const name = `zzround${i}zz`;
    changed.push({ ...(await timed(() => update(name))), ...askAnew(database, name, 1) });
    const removing = await timed(async () => removeSkills({ database, ids: ['zz-changed'] }));
    removed.push({ ...removing, ...askAnew(database, name, 0) });
  }
  return { changed: middleOf(changed), removed: middleOf(removed) };
}

function askAnew(
  database: string,
  q: string,
  expected: number,
): Pick<RowChange, 'newProcessSeconds' | 'newProcessMegabytes'> {
  const { seconds, total, megabytes } = runChild<AskedAnew>('small-change-child.ts', { database, q });
  if (total !== expected) throw new Error(`a new process finds ${total} of ${q}, not ${expected}`);
  return { newProcessSeconds: seconds, newProcessMegabytes: megabytes };
}

function middleOf(changes: readonly RowChange[]): RowChange {
  const middle = (of: keyof RowChange): number => median(changes.map((change) => change[of]));
  return {
    seconds: middle('seconds'),
    block: middle('block'),
    newProcessSeconds: middle('newProcessSeconds'),
    newProcessMegabytes: middle('newProcessMegabytes'),
  };
}

async function timed(work: () => Promise<unknown>): Promise<{ readonly seconds: number; readonly block: number }> {
  let [last, block] = [performance.now(), 0];
  const timer = setInterval(() => {
    const now = performance.now();
    block = Math.max(block, now - last);
    last = now;
  }, 1);
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  await new Promise((resolve) => setTimeout(resolve, 5));
  clearInterval(timer);
  return { seconds, block };
}
