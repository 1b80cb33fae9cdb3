import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { IndexedCopy, TRY_AGAIN_AFTER } from '../../../src/share/shared-catalogue/indexed-copy.js';
import type { SharedState } from '../../../src/share/shared-catalogue/shared-state.js';
import { filesBeside } from '../../../src/store/files.js';
import { scratchFile } from '../../scratch-folder.js';

afterEach(() => vi.useRealTimers());

const STATE: SharedState = { identity: 'one', version: 1, stamp: 'first' };

function copyWithVectors(): { readonly database: string; readonly vectors: string; readonly copy: IndexedCopy } {
  const database = scratchFile('skills.db');
  const { vectors } = filesBeside(database);
  for (const path of [database, vectors]) writeFileSync(path, '');
  return { database, vectors, copy: new IndexedCopy(database) };
}

test('a copy is indexed once, and again in another state', () => {
  const { copy } = copyWithVectors();
  copy.attempt(STATE)!(true);
  expect(copy.attempt({ ...STATE, publishedAt: 1 })).toBeUndefined();
  const later = { ...STATE, version: 2 };
  copy.attempt(later)!(true);
  expect(copy.attempt(later)).toBeUndefined();
});

test('a copy is indexed again where a derived file went, also while it was indexed', () => {
  const { copy, vectors } = copyWithVectors();
  const ended = copy.attempt(STATE)!;
  rmSync(vectors);
  ended(true);
  copy.attempt(STATE)!(true);
  expect(copy.attempt(STATE)).toBeUndefined();
});

test('a copy is indexed again where another file took its place', () => {
  const { copy, database } = copyWithVectors();
  copy.attempt(STATE)!(true);
  writeFileSync(`${database}-new`, '');
  renameSync(`${database}-new`, database);
  copy.attempt(STATE)!(true);
  expect(copy.attempt(STATE)).toBeUndefined();
});

test('what failed is tried again after a pause, and at once in another state', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { copy, vectors } = copyWithVectors();
  copy.attempt(STATE)!(false);
  rmSync(vectors);
  vi.advanceTimersByTime(TRY_AGAIN_AFTER - 1);
  expect(copy.attempt(STATE)).toBeUndefined();
  vi.advanceTimersByTime(1);
  copy.attempt(STATE)!(false);
  expect(copy.attempt(STATE)).toBeUndefined();
  copy.attempt({ ...STATE, version: 2 })!(true);
});
