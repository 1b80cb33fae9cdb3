import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, win32 } from 'node:path';
import { assert, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  faultOfPaths,
  type HashedFile,
  hashOfFiles,
  type InstallOptions,
  installSkills,
  readFolder,
} from '../../../src/agents/index.js';
import { buildCatalogue } from '../../../src/index.js';
import { codeOf } from '../../error-code.js';
import { opened } from '../../http/ask.js';
import { scratchFolder } from '../../scratch-folder.js';
import { writeFiles } from '../../sources/folders.js';
import { catalogueOf, idOf, PDF_FORMS, skillMarkdown, wholeFile, withFiles } from './skill-catalogue.js';

const onPosix = test.skipIf(process.platform === 'win32');

function lockIn(folder: string): { version: number; skills: Record<string, Record<string, unknown>> } {
  return JSON.parse(readFileSync(join(folder, 'skills-lock.json'), 'utf8'));
}

/** A catalogue with a skill, its id, and an empty folder. */
async function pdfForms() {
  const made = await catalogueOf(PDF_FORMS);
  return { ...made, id: idOf(made.search, 'pdf-forms'), to: scratchFolder() };
}

/** The paths of all files of a folder, and of nothing else. */
function listed(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

describe('an installed skill', () => {
  test('has the files of the catalogue, byte for byte, in a folder of its name, and an entry in the lock file', async () => {
    const { search, folder, id, to: parent } = await pdfForms();
    const to = join(parent, 'new', 'skills');
    const report = await installSkills(search, { ids: [id], to });
    const bytes = Object.values(PDF_FORMS).reduce((sum, one) => sum + Buffer.byteLength(one as string), 0);
    expect(report).toEqual({
      skills: [{ id, name: 'pdf-forms', folder: join(to, 'pdf-forms'), state: 'installed', files: 4, bytes }],
      lock: join(to, 'skills-lock.json'),
    });
    for (const [path, content] of Object.entries(PDF_FORMS)) {
      expect(readFileSync(join(to, path)), path).toEqual(Buffer.from(content as string));
    }
    expect(listed(to)).toEqual([...Object.keys(PDF_FORMS), 'skills-lock.json'].sort());
    const files = await readFolder(join(to, 'pdf-forms'));
    expect(lockIn(to)).toEqual({
      version: 1,
      skills: {
        'pdf-forms': {
          source: join(folder, 'pdf-forms'),
          sourceType: 'local',
          computedHash: hashOfFiles(files as HashedFile[]),
          skillId: id,
        },
      },
    });
  });

  onPosix('keeps which of its files can be executed', async () => {
    const { search, id, to } = await pdfForms();
    await installSkills(search, { ids: [id], to });
    const executable = listed(join(to, 'pdf-forms')).filter(
      (path) => (lstatSync(join(to, 'pdf-forms', path)).mode & 0o100) !== 0,
    );
    expect(executable).toEqual([join('scripts', 'fill.sh')]);
  });

  test('of a repository is noted with it, as other installers note it', async () => {
    const search = await opened({
      skills: [
        ['https://github.com/Otter/tools/tree/HEAD/skills/loom', 'loom'],
        ['https://gitlab.com/otter/deep/tools/-/tree/v2/loom-two', 'loom-two'],
        ['https://code.example/otter/tools/src/branch/main', 'loom-three'],
      ].map(([codehostUrl, name]) => ({
        name,
        description: 'Weaves.',
        codehostUrl,
        files: [wholeFile('SKILL.md', skillMarkdown(name!))],
      })),
    } as never);
    const to = scratchFolder();
    const lock = join(to, 'state', 'skills-lock.json');
    const ids = ['loom', 'loom-two', 'loom-three'].map((name) => idOf(search, name));
    await installSkills(search, { ids, to, lock });
    const { version, skills } = JSON.parse(readFileSync(lock, 'utf8'));
    const computedHash = expect.stringMatching(/^[0-9a-f]{64}$/);
    const [two, three] = ['https://gitlab.com/otter/deep/tools.git', 'https://code.example/otter/tools.git'].map(
      (source) => ({ source, sourceUrl: source, computedHash }),
    );
    expect([version, skills]).toEqual([
      1,
      {
        loom: {
          source: 'Otter/tools',
          sourceType: 'github',
          skillPath: 'skills/loom/SKILL.md',
          computedHash,
          skillId: ids[0],
        },
        'loom-three': { ...three, sourceType: 'git', ref: 'main', skillId: ids[2] },
        'loom-two': { ...two, sourceType: 'gitlab', ref: 'v2', skillPath: 'loom-two/SKILL.md', skillId: ids[1] },
      },
    ]);
  });

  test('leaves what else is in the lock file, and its mode', async () => {
    const { search, id, to } = await pdfForms();
    const lock = join(to, 'skills-lock.json');
    const zebra = { source: 'o/r', sourceType: 'github', computedHash: '00', later: [1, 2] };
    writeFileSync(lock, JSON.stringify({ version: 1, skills: { zebra }, more: 'x' }), { mode: 0o600 });
    await installSkills(search, { ids: [id], to, lock });
    const { skills, more } = JSON.parse(readFileSync(lock, 'utf8'));
    expect([Object.keys(skills), skills.zebra, more]).toEqual([['pdf-forms', 'zebra'], zebra, 'x']);
    if (process.platform !== 'win32') expect(statSync(lock).mode & 0o777).toBe(0o600);
  });
});

describe('nothing is installed', () => {
  async function refusal(change: (to: string) => void, options: Partial<InstallOptions> = {}) {
    const { search } = await catalogueOf({ ...PDF_FORMS, 'other/SKILL.md': skillMarkdown('other') });
    const to = scratchFolder();
    change(to);
    const before = listed(to);
    const ids = [idOf(search, 'other'), idOf(search, 'pdf-forms')];
    const failed = installSkills(search, { ids, to, ...options });
    await expect(failed).rejects.toMatchObject({ code: 'INSTALL_REFUSED' });
    // Neither of the two, although only one is at fault.
    expect(listed(to)).toEqual(before);
    return failed.catch((error: Error) => error.message);
  }

  test.each([false, true])('over a folder that no lock file knows, with force: %s', async (force) => {
    const message = await refusal(
      (to) => {
        mkdirSync(join(to, 'pdf-forms'));
        writeFileSync(join(to, 'pdf-forms', 'mine.md'), 'mine');
      },
      { force },
    );
    expect(message).toContain('no entry of the lock file');
  });

  test.each([false, true])('over a file or a link, with force: %s', async (force) => {
    expect(await refusal((to) => writeFileSync(join(to, 'pdf-forms'), 'mine'), { force })).toContain('no folder');
    const link = await refusal((to) => symlinkSync(scratchFolder(), join(to, 'pdf-forms'), 'junction'), { force });
    expect(link).toContain('a link');
  });

  test.each([
    ['no JSON', '{'],
    ['a later version', '{"version": 2, "skills": {}}'],
    ['no skills', '{"version": 1}'],
  ])('where the lock file has %s', async (_, text) => {
    const message = await refusal((to) => writeFileSync(join(to, 'skills-lock.json'), text), { force: true });
    expect(message).toContain('skills-lock.json');
  });

  test('by a link that leads out of the project, neither files nor the lock file', async () => {
    const [project, elsewhere] = [scratchFolder(), scratchFolder()];
    symlinkSync(elsewhere, join(project, '.claude'), 'junction');
    const message = await refusal(() => {}, { to: join(project, '.claude', 'skills'), within: project });
    expect(message).toContain('leads out');
    expect(readdirSync(elsewhere)).toEqual([]);
    if (process.platform === 'win32') return;
    writeFileSync(join(elsewhere, 'lock.json'), '{"version": 1, "skills": {}}');
    symlinkSync(join(elsewhere, 'lock.json'), join(project, 'skills-lock.json'));
    const lock = join(project, 'skills-lock.json');
    expect(await refusal(() => {}, { to: join(project, 'skills'), within: project, lock })).toContain('leads out');
  });

  test('of a skill whose files are not all stored, that has no good name, or that there is not', async () => {
    const search = await opened({
      skills: [
        { id: 'part', name: 'part', description: 'd', files: [{ filename: 'SKILL.md', text: 'x' }] },
        { id: 'name', name: 'A Name', description: 'd', files: [wholeFile('SKILL.md', 'x')] },
      ],
    } as never);
    const to = scratchFolder();
    const code = (...ids: string[]) => codeOf(() => installSkills(search, { ids, to }));
    expect([await code('part'), await code('name')]).toEqual(['INSTALL_REFUSED', 'INSTALL_REFUSED']);
    expect(await code('nothing')).toBe('SKILL_NOT_FOUND');
    expect(readdirSync(to)).toEqual([]);
  });

  test('of paths that lead out, or that are one file on some systems', async () => {
    const { search, id, to } = await pdfForms();
    const sha256 = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';
    for (const path of ['../x', '/x', 'C:\\x', 'a/../../x', 'NUL', 'skill.md', '.git/config']) {
      const hostile = withFiles(search, [
        { path: 'SKILL.md', sha256 },
        { path, sha256 },
      ]);
      expect(await codeOf(() => installSkills(hostile, { ids: [id], to }))).toBe('INSTALL_REFUSED');
    }
    expect(readdirSync(to)).toEqual([]);
  });

  test('whose bytes are not those of their digest', async () => {
    const { search, id, to } = await pdfForms();
    const wrong = withFiles(search, [{ path: 'SKILL.md', sha256: '00' }]);
    expect(await codeOf(() => installSkills(wrong, { ids: [id], to }))).toBe('INSTALL_REFUSED');
    expect(readdirSync(to)).toEqual([]);
  });

  test('with wrong options', async () => {
    const { search, id, to } = await pdfForms();
    for (const wrong of [{ ids: [] }, { to: '' }, { force: 1 }, { forced: true }]) {
      const options = { ids: [id], to, ...wrong } as never;
      expect(await codeOf(() => installSkills(search, options))).toBe('INVALID_OPTION');
    }
  });
});

describe('with force', () => {
  async function changed() {
    const { search, database, folder, id, to } = await pdfForms();
    await installSkills(search, { ids: [id], to });
    await writeFiles(folder, { 'pdf-forms/SKILL.md': skillMarkdown('pdf-forms', 'Do it otherwise.') });
    await buildCatalogue({ database, sources: [folder], semantic: false });
    return { newer: await opened({ database, localPaths: true }), id, to };
  }

  test('a skill is replaced that the lock file knows, and that nobody changed', async () => {
    const { newer, id, to } = await changed();
    expect(await codeOf(() => installSkills(newer, { ids: [id], to }))).toBe('INSTALL_REFUSED');
    const { skills } = await installSkills(newer, { ids: [id], to, force: true });
    expect(skills[0]?.state).toBe('replaced');
    expect(readFileSync(join(to, 'pdf-forms', 'SKILL.md'), 'utf8')).toContain('otherwise');
    expect(readdirSync(to).sort()).toEqual(['pdf-forms', 'skills-lock.json']);
    expect((await installSkills(newer, { ids: [id], to })).skills[0]?.state).toBe('unchanged');
  });

  test('a skill is replaced that was changed by hand, and refused without', async () => {
    const { newer, id, to } = await changed();
    writeFileSync(join(to, 'pdf-forms', 'notes.md'), 'mine');
    const refused = installSkills(newer, { ids: [id], to });
    await expect(refused).rejects.toThrow('was changed by hand since it was installed; the option force replaces it');
    expect(readFileSync(join(to, 'pdf-forms', 'notes.md'), 'utf8')).toBe('mine');
    expect((await installSkills(newer, { ids: [id], to, force: true })).skills[0]?.state).toBe('replaced');
    expect(existsSync(join(to, 'pdf-forms', 'notes.md'))).toBe(false);
  });

  test('a skill is replaced that the lock file has from another source', async () => {
    const { newer, id, to } = await changed();
    const lock = join(to, 'skills-lock.json');
    const other = { 'pdf-forms': { source: 'o/r', sourceType: 'github' } };
    writeFileSync(lock, JSON.stringify({ version: 1, skills: other }));
    await expect(installSkills(newer, { ids: [id], to })).rejects.toThrow('has pdf-forms from "o/r"; the option force');
    expect((await installSkills(newer, { ids: [id], to, force: true })).skills[0]?.state).toBe('replaced');
    expect(lockIn(to).skills['pdf-forms']).toMatchObject({ sourceType: 'local', skillId: id });
  });
});

test('an install that is killed while it replaces a skill leaves the former one, which the next install puts back', async () => {
  const { search } = await catalogueOf({ ...PDF_FORMS, 'other/SKILL.md': skillMarkdown('other') });
  const to = scratchFolder();
  await installSkills(search, { ids: [idOf(search, 'pdf-forms')], to });
  const before = listed(join(to, 'pdf-forms'));
  // As a process leaves it that dies between the two renames; no process has this number.
  const left = join(to, '.skill-discovery-install-4194305-0123456789ab');
  await writeFiles(left, { 'new/pdf-forms/SKILL.md': 'half' });
  mkdirSync(join(left, 'replaced'));
  renameSync(join(to, 'pdf-forms'), join(left, 'replaced', 'pdf-forms'));
  await installSkills(search, { ids: [idOf(search, 'other')], to });
  expect(listed(join(to, 'pdf-forms'))).toEqual(before);
  expect(readdirSync(to).sort()).toEqual(['other', 'pdf-forms', 'skills-lock.json']);
});

test('what an install left and came with a project moves nothing from behind a link', async () => {
  const { search, id, to } = await pdfForms();
  const home = scratchFolder();
  await writeFiles(home, { 'keys/id': 'secret', 'work/plan.md': 'mine' });
  const [linked, withLinks] = [4194305, 4194306].map((pid) => `.skill-discovery-install-${pid}-0123456789ab`);
  await writeFiles(to, { [`${linked}/new/a.md`]: '', [`${withLinks}/replaced/b.md`]: '' });
  symlinkSync(home, join(to, linked!, 'replaced'), 'junction');
  symlinkSync(join(home, 'work'), join(to, withLinks!, 'replaced', 'work'), 'junction');
  await installSkills(search, { ids: [id], to });
  expect(readdirSync(to).sort()).toEqual(['pdf-forms', 'skills-lock.json']);
  expect(readFileSync(join(home, 'keys', 'id'), 'utf8')).toBe('secret');
  expect(readFileSync(join(home, 'work', 'plan.md'), 'utf8')).toBe('mine');
});

test('the hash of a lock file is over paths and bytes, in the order of a language, without what npm and git keep', () => {
  const file = (path: string): HashedFile => ({ path, bytes: Buffer.from(path), executable: false });
  const files = ['a.md', 'B.md', 'ä/z.md', 'scripts/run.sh'].map(file);
  const expected = createHash('sha256');
  for (const { path, bytes } of files.toSorted((a, b) => a.path.localeCompare(b.path)))
    expected.update(path).update(bytes);
  expect(hashOfFiles(files)).toBe(expected.digest('hex'));
  expect(hashOfFiles([file('node_modules/x/index.js'), ...files.toReversed()])).toBe(hashOfFiles(files));
});

describe('paths of files in a skill', () => {
  test('may be those that every system takes', () => {
    const good = [
      'SKILL.md',
      'references/forms.md',
      'a b/ä-表.md',
      '.hidden',
      'console.md',
      'com10.txt',
      '.github/x',
      '...a',
    ];
    expect(faultOfPaths([...good, 'a/b.md', 'a/c.md', 'ab', 'a.md'])).toBeUndefined();
  });

  test('may not be others', () => {
    for (const path of [
      ...['', '/etc/passwd', '../x', 'a/../../x', 'a/./b', 'a//b', 'a/', 'C:\\x', 'C:x', '\\\\server\\share\\x'],
      ...['a.md:stream', 'a\0b', 'a\nb', 'a?b', 'a*b', 'a|b', 'a<b', 'a"b', 'x.', 'x ', 'folder./x', '. ./x '],
      ...['CON', 'con.txt', 'a/NUL', 'aux.tar.gz', 'LPT\u00b2.md', 'CONOUT$', '.git/config', 'a/.GIT/hooks/pre-commit'],
      ...['.g\u200cit/config', 'GIT~1/config', 'x'.repeat(256), '\ud800'],
    ]) {
      expect([path, faultOfPaths([path])]).toEqual([path, expect.any(String)]);
    }
  });

  test('stay inside their folder on Windows and elsewhere, whatever they are', () => {
    const base = 'C:\\skills\\pdf';
    assert(
      property(string({ unit: 'binary' }), string(), (first, second) => {
        const path = `${first}/${second}`;
        if (faultOfPaths([path]) !== undefined) return true;
        return win32.resolve(base, ...path.split('/')).startsWith(`${base}\\`);
      }),
      { numRuns: 200 },
    );
  });

  test('may not be one on some system', () => {
    for (const paths of [
      ...['SKILL.md skill.md', 'a/B.md A/b.md', 'caf\u00e9.md cafe\u0301.md', 'a/x.md A/y.md'],
      ...['stra\u00dfe.md STRASSE.md', 'a a/b', 'A/b a', 'SKILL.md SKILL.md'],
    ]) {
      expect([paths, faultOfPaths(paths.split(' '))]).toEqual([paths, expect.any(String)]);
    }
  });
});
