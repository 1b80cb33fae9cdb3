import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, followCatalogue, openSkillSearch } from '../../src/index.js';
import { row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';

describe('an option without effect is refused', () => {
  const [cache, passwordFile, manifest] = ['copies', 'password', 'https://example.org/manifest.json'];
  test.each([
    ['cache', 'beside a file', { database: 'x.db', cache }],
    ['cache', 'beside skills', { skills: [], cache }],
    ['passwordFile', 'beside a file', { database: 'x.db', passwordFile }],
    ['passwordFile', 'beside skills', { skills: [], passwordFile }],
    ['passwordFile', 'beside the address of a snapshot', { database: manifest, passwordFile }],
  ])('%s %s', async (parameter, _, options) => {
    const error = { code: 'INVALID_OPTION', parameter, message: expect.stringContaining(`${parameter} is for`) };
    await expect(openSkillSearch(options)).rejects.toMatchObject(error);
    if (!('database' in options)) return;
    await expect(followCatalogue(options)).rejects.toMatchObject(error);
  });

  test('snapshotInterval beside a file', async () => {
    await expect(followCatalogue({ database: 'x.db', snapshotInterval: 1000 })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      parameter: 'snapshotInterval',
    });
  });

  test('unless it is undefined: a program may give the same options for any catalogue', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [[row('kite')]], semantic: false });
    const none = { cache: undefined, passwordFile: undefined };
    await using opened = await openSkillSearch({ database, ...none });
    await using followed = await followCatalogue({ database, ...none, snapshotInterval: undefined });
    expect([opened.stats().skills, followed.stats().skills]).toEqual([1, 1]);
  });
});

describe('an address of a kind that is not known is no path of a file', () => {
  test.each(['mysql://u:zebra@h/x', 'FTP://u:zebra@h/x', 'file:///srv/manifest.json', 'postgre://u:zebra@h/x'])(
    '%s',
    async (database) => {
      const opening = openSkillSearch({ database });
      await expect(opening).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringMatching(
          /^database must be the path of a file, or an address .* it begins with [a-z]+:/i,
        ),
      });
      await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining('zebra') });
      await expect(buildCatalogue({ database, sources: [[row('kite')]] })).rejects.toThrow('database must be');
      await expect(followCatalogue({ database })).rejects.toThrow('database must be');
    },
  );

  test('while a drive of Windows is, and a folder whose name has a colon', async () => {
    for (const database of ['C:\\skills\\x.db', 'C://skills/x.db', `${scratchFolder()}/a:/b.db`]) {
      await expect(openSkillSearch({ database })).rejects.toMatchObject({ code: 'DATABASE_NOT_FOUND' });
    }
  });
});

test('the files of a snapshot are to be served by a web server', async () => {
  const folder = join(scratchFolder(), 'published');
  mkdirSync(folder);
  const advice = { code: 'NOT_A_CATALOGUE', message: expect.stringMatching(/web server, and give the address of/) };
  await expect(openSkillSearch({ database: folder })).rejects.not.toMatchObject(advice);
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ format: 1, note: 'x'.repeat(2000) }));
  await expect(openSkillSearch({ database: folder })).rejects.toMatchObject(advice);
  await expect(openSkillSearch({ database: join(folder, 'manifest.json') })).rejects.toMatchObject(advice);
});
