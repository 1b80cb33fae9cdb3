import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, type LoadReport } from '../../src/index.js';
import { contentOf, filesBeside } from '../catalogue-file.js';
import { row, writeJsonLines } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';

const BEFORE = [row('a'), row('b'), row('c'), row('d')];
const AFTER = [row('a'), row('b', { stars: 1 }), row('c', { stars: 1 }), row('e')];

describe.each(['committed', 'renamed'] as const)('a load that was killed when its catalogue was %s', (moment) => {
  test('is reported by the next load of the same sources as if it had run through', async () => {
    const { database, source, killed, load } = place();
    for (const [rows, expected] of [
      [BEFORE, { added: 4, updated: 0, unchanged: 0, removed: 0 }],
      [AFTER, { added: 1, updated: 2, unchanged: 1, removed: 1 }],
    ] as const) {
      writeJsonLines(source, rows);
      await killed(moment);
      expect(filesBeside(database)).toContain('skills.db.loading-report');
      expect(countsOf(await load())).toEqual(expected);
      expect(filesBeside(database)).toEqual([]);
      // Once it was told, it is over.
      expect(countsOf(await load())).toEqual({ added: 0, updated: 0, unchanged: 4, removed: 0 });
    }
    expect([...contentOf(database).keys()]).toEqual(['a', 'b', 'c', 'e']);
  });

  test('counts together with what the next load changes, be that killed as well', async () => {
    const { source, killed, load } = place();
    writeJsonLines(source, BEFORE);
    await load();
    writeJsonLines(source, AFTER);
    await killed(moment);
    // b is as it was at first, c changes again, e is gone again, and f is new.
    writeJsonLines(source, [row('a'), row('b'), row('c', { stars: 2 }), row('f')]);
    await killed(moment);
    writeJsonLines(source, [row('a'), row('b'), row('c', { stars: 2 }), row('f'), row('g')]);
    expect(countsOf(await load())).toEqual({ added: 2, updated: 1, unchanged: 2, removed: 1 });
  });

  test('is not counted in the report of another load', async () => {
    const { database, source, killed } = place();
    writeJsonLines(source, BEFORE);
    await killed(moment);
    const report = await buildCatalogue({ database, sources: [[row('z')]], semantic: false });
    expect(countsOf(report)).toEqual({ added: 1, updated: 0, unchanged: 0, removed: 0 });
    expect(contentOf(database).size).toBe(5);
    expect(filesBeside(database)).toEqual([]);
  });
});

function place() {
  const folder = realpathSync(scratchFolder());
  const [database, source] = [join(folder, 'skills.db'), join(folder, 'rows.jsonl')];
  const load = (): Promise<LoadReport> => buildCatalogue({ database, sources: [source], semantic: false, prune: true });
  const killed = async (moment: 'committed' | 'renamed'): Promise<void> => {
    const script = fileURLToPath(new URL('killable-load.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, database, source, moment], { stdio: 'ignore' });
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    expect(existsSync(`${database}.loading`)).toBe(moment === 'committed');
  };
  return { database, source, load, killed };
}

function countsOf({ added, updated, unchanged, removed }: LoadReport) {
  return { added, updated, unchanged, removed };
}
