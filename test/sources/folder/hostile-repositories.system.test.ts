import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SourceItem } from '../../../src/sources/index.js';
import { commit, git, readAll, repository, rowsOf, rowValue, temporaryFolder, writeFiles } from '../folders.js';

const SKILL = '---\nname: s\ndescription: About s.\n---\nBody\n';
const SECRET = 'https://private.example/secret-owner/secret-repository';
const COMMITTED = 5_000;
const CHANGED = 7_000;

/** A source with one repository `r`, whose only skill was committed at one time and changed at another. */
async function source(): Promise<{ folder: string; dotGit: string }> {
  const folder = await temporaryFolder({ 'r/s/SKILL.md': SKILL });
  repository(join(folder, 'r'), 'https://host.example/o/r');
  commit(join(folder, 'r'), COMMITTED);
  await utimes(join(folder, 'r/s/SKILL.md'), CHANGED, CHANGED);
  return { folder, dotGit: join(folder, 'r/.git') };
}

async function privateRepository(): Promise<string> {
  const folder = await temporaryFolder({ 's/SKILL.md': SKILL });
  repository(folder, SECRET);
  commit(folder, COMMITTED);
  return folder;
}

/** What a source told of its only skill, and the remarks about its repositories. */
async function look(folder: string): Promise<{ location: unknown; updatedAt: number; remarks: string[] }> {
  const { items, error } = await readAll(folder, { gitTimeout: 10_000 });
  expect(error).toBeUndefined();
  expect(JSON.stringify(items)).not.toContain('secret');
  const [row, ...others] = rowsOf(items);
  expect(others).toEqual([]);
  return { location: row?.location, updatedAt: rowValue(row).updatedAt, remarks: remarksOf(items) };
}

/** Whether a source keeps all from being pruned. */
async function hidesSkills(folder: string): Promise<boolean> {
  return (await readAll(folder)).items.some((item) => item.kind === 'remark' && item.hidesSkills === true);
}

function remarksOf(items: readonly SourceItem[]): string[] {
  return items.flatMap((item) => (item.kind === 'remark' ? [item.message] : []));
}

const DATES = 'dates are those of the files';
const ALL = 'author, address and dates come from elsewhere';
const isPosix = process.platform !== 'win32';

afterEach(() => vi.unstubAllEnvs());

describe.runIf(isPosix)('a repository of a stranger', () => {
  it.each<[string, (dotGit: string) => Promise<unknown>]>([
    ['an order file without end', (dotGit) => setting(dotGit, 'diff.orderFile', '/dev/zero')],
    ['a work tree elsewhere', (dotGit) => setting(dotGit, 'core.worktree', '/')],
    ['a configuration to include', (dotGit) => setting(dotGit, 'include.path', '/dev/zero')],
    ['grafts without end', (dotGit) => replaceByLink(dotGit, 'info/grafts')],
    ['a graph of commits that is a pipe', (dotGit) => replaceByPipe(dotGit, 'objects/info/commit-graph')],
    ['an index of all packs that is broken', breakPackIndex],
    [
      'a chain of indexes that is a pipe',
      (dotGit) => replaceByPipe(dotGit, 'objects/pack/multi-pack-index.d/multi-pack-index-chain'),
    ],
  ])('cannot make git read %s', async (_, attack) => {
    const { folder, dotGit } = await source();
    await attack(dotGit);
    expect(await look(folder)).toEqual({ location: 'o/r/s', updatedAt: COMMITTED, remarks: [] });
  });

  it.each<[string, string, (dotGit: string) => Promise<unknown>]>([
    ['HEAD', 'HEAD leads out of the source', (dotGit) => replaceByLink(dotGit, 'HEAD')],
    ['HEAD as a pipe', 'HEAD is not a regular file', (dotGit) => replaceByPipe(dotGit, 'HEAD')],
    ['its reference', 'refs/heads/b leads out of the source', (dotGit) => replaceByLink(dotGit, 'refs/heads/b')],
    ['its list of references', 'packed-refs leads out of the source', (dotGit) => replaceByLink(dotGit, 'packed-refs')],
    [
      'borrowed objects',
      'objects/info/alternates leads out of the source',
      (dotGit) => replaceByLink(dotGit, 'objects/info/alternates'),
    ],
    [
      'objects of another repository',
      'objects leads out of the source',
      (dotGit) => writeFiles(dotGit, { 'objects/info/alternates': '/tmp\n' }),
    ],
    [
      'its objects behind a link',
      'objects leads out of the source',
      async (dotGit) => replaceByLink(dotGit, 'objects', '/tmp'),
    ],
    [
      'a pack',
      'not everything in objects is a regular file',
      (dotGit) => replaceByPipe(dotGit, 'objects/pack/pack-1.idx'),
    ],
    [
      'an object',
      'not everything in objects is a regular file',
      (dotGit) => replaceByLink(dotGit, `objects/00/${'0'.repeat(38)}`),
    ],
    [
      'the index of a pack of a terabyte',
      'the index of a pack is too large',
      async (dotGit) => sparse(dotGit, 'objects/pack/pack-1.idx'),
    ],
    ['a reference of a terabyte', 'refs/heads/b is over 1,048,576 bytes', (dotGit) => sparse(dotGit, 'refs/heads/b')],
  ])('has file times where %s has no end', async (_, reason, attack) => {
    const { folder, dotGit } = await source();
    git(dirname(dotGit), ['branch', '-m', 'b']);
    if (reason.startsWith('packed')) git(dirname(dotGit), ['pack-refs', '--all']);
    await attack(dotGit);
    expect(await look(folder)).toEqual({
      location: 'o/r/s',
      updatedAt: CHANGED,
      remarks: [`git was not asked, or did not answer: ${reason}; ${DATES}`],
    });
    expect(await hidesSkills(folder)).toBe(false);
  });

  it.each<[string, string, (dotGit: string) => Promise<unknown>]>([
    ['is without end', 'config leads out of the source', (dotGit) => replaceByLink(dotGit, 'config')],
    ['is a pipe', 'config is not a regular file', (dotGit) => replaceByPipe(dotGit, 'config')],
    ['has a terabyte', 'config is over 1,048,576 bytes', (dotGit) => sparse(dotGit, 'config')],
    ['is broken', 'git ended with 128', (dotGit) => writeFiles(dotGit, { config: '[remote' })],
  ])('has no remote, and keeps all from being pruned, where its configuration %s', async (_, reason, attack) => {
    const { folder, dotGit } = await source();
    await attack(dotGit);
    expect(await look(folder)).toEqual({
      location: `${folder.split('/').at(-1)}/r/s`,
      updatedAt: CHANGED,
      remarks: [`git was not asked, or did not answer: ${reason}; ${ALL}`],
    });
    expect(await hidesSkills(folder)).toBe(true);
  });

  it('cannot lend the address of another repository of the machine', async () => {
    const other = await privateRepository();
    const link = join(other, '.git');
    git(other, ['worktree', 'add', '-q', '--detach', join(await temporaryFolder(), 'linked')]);
    const attacks: Record<string, (dotGit: string) => Promise<unknown>> = {
      'a .git file': (dotGit) => replaceByFile(dotGit, `gitdir: ${link}\n`),
      'a .git file with a relative path': (dotGit) => replaceByFile(dotGit, `gitdir: ../../../..${link}\n`),
      'a .git file to a linked work tree': (dotGit) => replaceByFile(dotGit, `gitdir: ${link}/worktrees/linked\n`),
      'a .git link': (dotGit) => replaceByLink(dotGit, '', link),
      commondir: (dotGit) => writeFiles(dotGit, { commondir: `${link}\n` }),
      'a configuration behind a link': (dotGit) => replaceByLink(dotGit, 'config', join(link, 'config')),
      'an included configuration': async (dotGit) => {
        await writeFile(join(dotGit, 'config'), `[include]\n\tpath = ${link}/config\n`);
      },
      'a configuration included on a condition': async (dotGit) => {
        await writeFile(join(dotGit, 'config'), `[includeIf "gitdir:/"]\n\tpath = ${link}/config\n`);
      },
      'a repository whose configuration includes it': async (dotGit) => {
        await writeFiles(dirname(dirname(dotGit)), { 'evil/config': `[include]\n\tpath = ${link}/config\n` });
        await replaceByFile(dotGit, 'gitdir: ../evil\n');
      },
    };
    for (const [name, attack] of Object.entries(attacks)) {
      const { folder, dotGit } = await source();
      await attack(dotGit);
      // look() holds that the address is in no item.
      expect([name, (await look(folder)).location]).toEqual([name, `${folder.split('/').at(-1)}/r/s`]);
    }
  });
});

describe('a repository of the user', () => {
  it('may be a linked work tree, a submodule, or a shallow clone, wherever it lies', async () => {
    const main = await temporaryFolder({ 's/SKILL.md': SKILL });
    repository(main, 'https://host.example/o/main');
    commit(main, COMMITTED);
    const place = await temporaryFolder();
    git(main, ['worktree', 'add', '-q', '-b', 'other', join(place, 'linked')]);
    expect(await look(join(place, 'linked'))).toMatchObject({
      location: 'o/main/s',
      updatedAt: COMMITTED,
      remarks: [],
    });
    expect(await look(join(place, 'linked/s'))).toMatchObject({ location: 'o/main/s', updatedAt: COMMITTED });

    const outer = await temporaryFolder({ 'readme.md': 'x' });
    repository(outer, 'https://host.example/o/outer');
    git(outer, ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', main, 'sub']);
    git(join(outer, 'sub'), ['remote', 'set-url', 'origin', 'https://host.example/o/sub']);
    for (const folder of [outer, join(outer, 'sub'), join(outer, 'sub/s')]) {
      expect(await look(folder)).toMatchObject({ location: 'o/sub/s', updatedAt: COMMITTED, remarks: [] });
    }

    await writeFiles(main, { 's/a.md': 'a' });
    commit(main, COMMITTED + 1);
    const clone = await temporaryFolder();
    git(clone, ['clone', '-q', '--depth', '1', `file://${main}`, 'c']);
    expect(await look(clone)).toMatchObject({ updatedAt: COMMITTED + 1, remarks: [] });
  });

  it('may have packed objects and references, a detached head, and hashes of 256 bits', async () => {
    const { folder, dotGit } = await source();
    const root = dirname(dotGit);
    git(root, ['gc', '-q']);
    expect(await readdir(join(dotGit, 'refs/heads'))).toEqual([]);
    expect(await look(folder)).toMatchObject({ location: 'o/r/s', updatedAt: COMMITTED, remarks: [] });
    git(root, ['checkout', '-q', '--detach']);
    expect(await look(folder)).toMatchObject({ location: 'o/r/s', updatedAt: COMMITTED, remarks: [] });

    const other = await temporaryFolder({ 's/SKILL.md': SKILL });
    git(other, ['init', '-q', '--object-format=sha256']);
    git(other, ['remote', 'add', 'origin', 'https://host.example/o/r']);
    commit(other, COMMITTED);
    expect(await look(other)).toMatchObject({ location: 'o/r/s', updatedAt: COMMITTED, remarks: [] });
  });
});

describe.runIf(isPosix)('git', () => {
  /** Puts a program in place of git, which writes what it does to files of the folder. */
  async function replaceGit(script: string): Promise<string> {
    const bin = await temporaryFolder();
    await writeFile(join(bin, 'git'), `#!/bin/sh\n${script.replaceAll('BIN', bin)}\n`, { mode: 0o755 });
    vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
    return bin;
  }

  it.runIf(process.platform === 'linux')('runs within limits of the system', async () => {
    const { folder } = await source();
    const bin = await replaceGit('cat /proc/self/limits > BIN/limits.$$; exit 1');
    await look(folder);
    const [file = '', ...others] = (await readdir(bin)).filter((name) => name.startsWith('limits'));
    expect(others).toHaveLength(1);
    const limits = await readFile(join(bin, file), 'utf8');
    expect(limits).toMatch(/Max data size +134217728 +/);
    expect(limits).toMatch(/Max address space +1073741824 +/);
    expect(limits).toMatch(/Max cpu time +11 +/);
    expect(limits).toMatch(/Max core file size +0 +/);
  });

  it('is asked no more for dates once the time of the source is spent, but for remotes', async () => {
    const folder = await temporaryFolder();
    for (const name of ['a', 'b', 'c', 'd']) {
      await writeFiles(folder, { [`${name}/s/SKILL.md`]: SKILL });
      repository(join(folder, name), `https://host.example/o/${name}`);
      commit(join(folder, name), COMMITTED);
    }
    const real = execFileSync('sh', ['-c', 'command -v git']).toString().trim();
    const bin = await replaceGit(
      `case "$*" in *--name-only*) echo x >> BIN/logs; exec sleep 30;; esac; exec ${real} "$@"`,
    );
    const { items } = await readAll(folder, { gitTimeout: 10_000, gitBudget: 1_000 });
    expect(rowsOf(items).map((row) => row.location)).toEqual(['o/a/s', 'o/b/s', 'o/c/s', 'o/d/s']);
    expect(await readFile(join(bin, 'logs'), 'utf8')).toBe('x\n');
    expect(remarksOf(items)[0]).toContain('git took too long; dates are those of the files');
    expect(remarksOf(items).slice(1)).toEqual(
      Array(3).fill(expect.stringContaining('git has taken the 1 s that a source may take; dates are')),
    );
  });

  it('is given up where it does nothing at all, and then nothing may be pruned', async () => {
    const folder = await temporaryFolder();
    for (let i = 0; i < 6; i++) {
      await writeFiles(folder, { [`${i}/s/SKILL.md`]: SKILL });
      repository(join(folder, String(i)), 'https://host.example/o/r');
    }
    const bin = await replaceGit('echo x >> BIN/calls; exec sleep 30');
    const { items } = await readAll(folder, { gitTimeout: 300, gitBudget: 500 });
    // Two within the budget, and one more to see whether git answers at all.
    expect(await readFile(join(bin, 'calls'), 'utf8')).toBe('x\n'.repeat(3));
    expect(items.filter((item) => item.kind === 'remark' && item.hidesSkills === true)).toHaveLength(6);
  });

  it('is not listened to beyond a number of paths', async () => {
    const { folder } = await source();
    // Of the 64 MiB that are kept, each takes 28 bytes and 100.
    const most = (64 * 1024 * 1024) / 128;
    const log = (paths: number): string =>
      `case "$*" in *--name-only*) printf '\\001${COMMITTED}\\001\\0r/s/SKILL.md\\0'; seq -f %028.0f ${paths} | tr '\\n' '\\0';; esac`;
    await replaceGit(log(most - 1));
    expect((await look(folder)).remarks).toEqual([]);
    await replaceGit(log(most + 1));
    expect((await look(folder)).remarks).toEqual([expect.stringContaining('more paths than are kept')]);
  });

  it('leaves no temporary files behind', async () => {
    const { folder } = await source();
    const temporary = await temporaryFolder();
    vi.stubEnv('TMPDIR', temporary);
    expect(await look(folder)).toMatchObject({ updatedAt: COMMITTED });
    expect(await readdir(temporary)).toEqual([]);
  });
});

async function setting(dotGit: string, key: string, value: string): Promise<void> {
  git(dirname(dotGit), ['config', key, value]);
}

async function replaceByLink(dotGit: string, name: string, target = '/dev/zero'): Promise<void> {
  await rm(join(dotGit, name), { recursive: true, force: true });
  await mkdir(dirname(join(dotGit, name)), { recursive: true });
  await symlink(target, join(dotGit, name));
}

async function replaceByPipe(dotGit: string, name: string): Promise<void> {
  await rm(join(dotGit, name), { force: true });
  await mkdir(dirname(join(dotGit, name)), { recursive: true });
  execFileSync('mkfifo', [join(dotGit, name)]);
}

async function replaceByFile(dotGit: string, text: string): Promise<void> {
  await rm(dotGit, { recursive: true });
  await writeFile(dotGit, text);
}

/** Makes a file as long as a terabyte, which takes no room on the disk. */
async function sparse(dotGit: string, name: string): Promise<void> {
  await writeFiles(dotGit, { [name]: '' });
  await truncate(join(dotGit, name), 2 ** 40);
}

/** Packs all objects, and makes an index of all packs that leads to packs that are not there: git would end. */
async function breakPackIndex(dotGit: string): Promise<void> {
  git(dirname(dotGit), ['repack', '-adq']);
  git(dirname(dotGit), ['multi-pack-index', 'write']);
  const index = join(dotGit, 'objects/pack/multi-pack-index');
  const bytes = await readFile(index);
  await rm(index);
  const offsets = bytes.readUInt32BE(bytes.indexOf('OOFF') + 8);
  await writeFile(index, bytes.fill(0xff, offsets, bytes.length - 20));
}
