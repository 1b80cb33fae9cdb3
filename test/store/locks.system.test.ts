import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { FileLock } from '../../src/store/locks.js';
import { CatalogueWriter } from '../../src/store/write/catalogue-writer.js';
import { contentOf, filesBeside } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { scratchFile } from '../scratch-folder.js';
import { loadItems, storeItem } from './store-items.js';

describe('file lock', () => {
  const MODULE = new URL('../../src/store/locks.ts', import.meta.url).href;

  /** Whether another process gets the lock. */
  async function isFreeElsewhere(path: string): Promise<boolean> {
    const program = `const { FileLock } = await import(process.argv[1]);
    const lock = FileLock.take(process.argv[2]);
    lock?.release();
    process.stdout.write(lock === undefined ? 'taken' : 'free');`;
    const args = ['--import', 'tsx', '--input-type=module', '-e', program, MODULE, path];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return stdout === 'free';
  }

  describe('a lock on a file', { timeout: 120_000 }, () => {
    test('is held once, and free again when it is released, without a file', () => {
      const path = scratchFile('lock');
      const lock = FileLock.take(path)!;
      expect(FileLock.take(path)).toBeUndefined();
      lock.release();
      lock.release();
      expect(existsSync(path)).toBe(false);
      const again = FileLock.take(path);
      expect(again).toBeDefined();
      again!.release();
    });

    test('keeps other processes out, also after somebody in its own process was refused', async () => {
      const path = scratchFile('lock');
      const lock = FileLock.take(path)!;
      expect(FileLock.take(path)).toBeUndefined();
      expect(await isFreeElsewhere(path)).toBe(false);
      lock.release();
      expect(await isFreeElsewhere(path)).toBe(true);
    });
  });
});

describe('load lock', () => {
  describe('one load at a time', () => {
    test('a second writer of the same catalogue is refused while the first works', async () => {
      const path = scratchFile('skills.db');
      const first = new CatalogueWriter(path, undefined, false);
      first.put(storeItem('a'), 'source');

      expect(await codeOf(() => new CatalogueWriter(path, undefined, false))).toBe('LOAD_IN_PROGRESS');
      expect(await codeOf(() => new CatalogueWriter(path, undefined, false))).toBe('LOAD_IN_PROGRESS');

      first.put(storeItem('b'), 'source');
      expect(first.finish()).toEqual({ added: 2, updated: 0, unchanged: 0, removed: 0 });
      expect([...contentOf(path).keys()]).toEqual(['a', 'b']);
      expect(filesBeside(path)).toEqual([]);
    });

    test('a second writer is refused even while the first has written nothing', async () => {
      const path = scratchFile('skills.db');
      loadItems(path, [storeItem('a')], false);
      const first = new CatalogueWriter(path, undefined, true);

      expect(await codeOf(() => new CatalogueWriter(path, undefined, true))).toBe('LOAD_IN_PROGRESS');
      first.close();
    });

    test('the next writer may work when the one before is done or was given up', () => {
      const path = scratchFile('skills.db');
      new CatalogueWriter(path, undefined, false).close();

      expect(loadItems(path, [storeItem('a')], false)).toMatchObject({ added: 1 });
      expect(loadItems(path, [storeItem('b')], true)).toMatchObject({ added: 1 });
    });

    test('writers of different catalogues in one folder do not meet', () => {
      const path = scratchFile('skills.db');
      const other = `${path}-other`;
      const first = new CatalogueWriter(path, undefined, false);
      const second = new CatalogueWriter(other, undefined, false);
      first.put(storeItem('a'), 'source');
      second.put(storeItem('b'), 'source');
      first.finish();
      second.finish();

      expect([...contentOf(path).keys()]).toEqual(['a']);
      expect([...contentOf(other).keys()]).toEqual(['b']);
    });

    test('a writer that is closed twice, or after its end, does no harm', () => {
      const path = scratchFile('skills.db');
      const writer = new CatalogueWriter(path, undefined, false);
      writer.put(storeItem('a'), 'source');
      writer.finish();
      const next = new CatalogueWriter(path, undefined, true);

      writer.close();
      writer.close();

      next.put(storeItem('b'), 'source');
      expect(next.finish()).toMatchObject({ added: 1 });
    });
  });
});
