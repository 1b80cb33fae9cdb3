import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAX_CHANGED_IN_PLACE } from '../../src/core/index.js';
import { type Changes, missingPaths, planLoad } from '../../src/watch/plan-load.js';
import type { WatchedSource } from '../../src/watch/watched-sources.js';
import { temporaryFolder } from '../sources/folders.js';
import { skillText } from './watching.js';

/** A source that is not watched at all. */
function sourceOf(folder: string): WatchedSource {
  const nothing = async (): Promise<void> => {};
  const isSame = async (): Promise<boolean> => true;
  return {
    name: folder,
    toLoad: folder,
    isThere: true,
    roots: [folder],
    isSame,
    start: nothing,
    look: nothing,
    close: () => {},
  };
}

function changed(source: WatchedSource, ...paths: readonly string[]): Changes {
  return new Map([[source, { paths: new Set(paths.map((path) => join(source.name, path))), everything: false }]]);
}

/** What is read of one source after a change of these paths: folders, all of it, or all of it by a whole load. */
async function planned(folder: string, ...paths: readonly string[]): Promise<'whole' | 'all' | readonly string[]> {
  const source = sourceOf(folder);
  const { whole, parts } = await planLoad(changed(source, ...paths), [source], false);
  if (whole) return 'whole';
  const folders = parts.get(source);
  if (folders?.length === 0) return 'all';
  return (folders ?? []).map((path) => path.slice(folder.length + 1));
}

describe('a changed source', () => {
  test('is read by the skill that a file belongs to, and by those around it', async () => {
    const folder = await temporaryFolder({
      'a/SKILL.md': skillText('a'),
      'a/scripts/run.py': '1',
      'a/inner/skill.md': skillText('inner'),
      'a/inner/notes.md': 'x',
      'b/SKILL.md': skillText('b'),
      'notes.md': 'x',
    });
    expect(await planned(folder, 'b/SKILL.md')).toEqual(['b']);
    expect(await planned(folder, 'a/scripts/run.py')).toEqual(['a']);
    expect(await planned(folder, 'a/inner/notes.md', 'b/SKILL.md', 'b')).toEqual(['a', 'b']);
    expect(await planned(folder, 'notes.md')).toEqual([]);
    expect(await planned(folder, '../elsewhere/SKILL.md')).toEqual([]);
  });

  test('is read by folders that appeared, and by those that are gone', async () => {
    const folder = await temporaryFolder({ 'x/y/a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') });
    expect(await planned(folder, 'x', 'x/y', 'x/y/a')).toEqual(['x']);
    await rm(join(folder, 'b'), { recursive: true });
    expect(await planned(folder, 'b', 'b/SKILL.md')).toEqual(['b']);
  });

  test('is read by a folder whose SKILL.md is gone', async () => {
    const folder = await temporaryFolder({ 'a/notes.md': 'x' });
    expect(await planned(folder, 'a/SKILL.md')).toEqual(['a']);
  });

  test('is all read if it is a skill itself', async () => {
    const folder = await temporaryFolder({ 'SKILL.md': skillText('a'), 'notes.md': 'x' });
    expect(await planned(folder, 'notes.md')).toBe('all');
  });

  test('is all read after a commit, another remote, and a repository that came or went', async () => {
    const folder = await temporaryFolder({ '.git/HEAD': 'x' });
    for (const path of ['.git', '.git/HEAD', '.git/config']) expect(await planned(folder, path)).toBe('all');
  });

  test.skipIf(process.platform === 'win32')('is all read if there is a link', async () => {
    const folder = await temporaryFolder({ 'a/SKILL.md': skillText('a') });
    await mkdir(join(folder, 'b'));
    await symlink('../a/SKILL.md', join(folder, 'b/other.md'));
    expect(await planned(folder, 'b/other.md')).toBe('all');
  });

  test('is read by its folders up to a number of them, and loaded as a whole beyond', async () => {
    const folder = await temporaryFolder();
    const gone = Array.from({ length: MAX_CHANGED_IN_PLACE + 1 }, (_, i) => `s${i}`);
    expect(await planned(folder, ...gone.slice(1))).toHaveLength(MAX_CHANGED_IN_PLACE);
    expect(await planned(folder, ...gone)).toBe('whole');
  });

  test('is all read if its skills cannot be read one by one', async () => {
    const folder = await temporaryFolder({ 'a/SKILL.md': skillText('a') });
    const source: WatchedSource = { ...sourceOf(folder), roots: undefined };
    const plan = await planLoad(changed(source, 'a/SKILL.md'), [source], false);
    expect(plan).toEqual({ whole: false, parts: new Map([[source, []]]) });
  });

  test('is left alone while it is not there', async () => {
    const source: WatchedSource = { ...sourceOf('/nowhere'), isThere: false };
    expect(await planLoad(changed(source, 'a'), [source], false)).toEqual({ whole: false, parts: new Map() });
  });

  test('is read with all others, in their order, if links may lead from one to another', async () => {
    const folder = await temporaryFolder({ 'a/SKILL.md': skillText('a') });
    const [first, second] = [sourceOf(join(folder, 'a')), sourceOf(folder)];
    const { whole, parts } = await planLoad(changed(second, 'a/SKILL.md'), [first, second], true);
    expect([whole, ...parts.keys()]).toEqual([true, first, second]);
    expect(await planLoad(new Map(), [first, second], true)).toMatchObject({ whole: false, parts: new Map() });
  });
});

test('paths that lead to nothing are missing, those that may not be looked at are not', async () => {
  const folder = await temporaryFolder({ a: '' });
  const paths = ['a', 'b', 'a/c'].map((path) => join(folder, path));
  expect(await missingPaths(paths)).toEqual(paths.slice(1));
  expect(await missingPaths([`${folder}/${'x'.repeat(300)}`])).toEqual([]);
});
