import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { isOwnFile } from '../../src/watch/own-files.js';

const folder = resolve('/home/ada');
const isOwn = (path: string): boolean => isOwnFile(join(folder, path), join(folder, 'skills.db'));

test.each([
  'skills.db',
  'skills.db.keyword',
  'skills.db.vectors-graph-2',
  'skills.db.loading',
  'skills.db.loading-wal',
  'skills.db-journal',
  'access.db-wal',
  'below/any.db-shm',
])('%s is a file that a watch causes itself', (path) => {
  expect(isOwn(path)).toBe(true);
});

test.each(['skills.dbx', 'skills', 'SKILL.md', 'below/skills.db', 'below/skills.db.keyword', 'access.db'])(
  '%s is not',
  (path) => {
    expect(isOwn(path)).toBe(false);
  },
);
