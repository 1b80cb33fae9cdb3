import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, type ListQuery, type SkillSearch } from '../../src/index.js';
import { hashOfFiles } from '../../src/install/folder-hash.js';
import { compareInstalled, installSkills } from '../../src/install/index.js';
import { codeOf } from '../error-code.js';
import { opened } from '../http/ask.js';
import { scratchFolder } from '../scratch-folder.js';
import { writeFiles } from '../sources/folder/temporary-folder.js';
import { catalogueOf, idOf, skillMarkdown, wholeFile } from './skill-catalogue.js';

const NAMES = ['both', 'gone', 'here', 'lost', 'newer', 'same'];

describe('comparing what is installed with the catalogue', () => {
  test('says of each skill where it was changed', async () => {
    const { search, database, folder } = await catalogueOf(
      Object.fromEntries(NAMES.map((name) => [`${name}/SKILL.md`, skillMarkdown(name)])),
    );
    const to = scratchFolder();
    await installSkills(search, { ids: NAMES.map((name) => idOf(search, name)), to });
    for (const name of ['both', 'here']) writeFileSync(join(to, name, 'mine.md'), 'mine');
    rmSync(join(to, 'lost'), { recursive: true });
    for (const name of ['both', 'newer']) {
      await writeFiles(folder, { [`${name}/SKILL.md`]: skillMarkdown(name, 'Do it otherwise.') });
    }
    rmSync(join(folder, 'gone'), { recursive: true });
    await buildCatalogue({ database, sources: [folder], semantic: false, prune: true });
    const newer = await opened({ database, localPaths: true });
    const place = { path: join(to, 'skills-lock.json'), form: 'project' as const, folders: [to, to] };
    const compared = await compareInstalled(newer, [place]);
    expect(compared.map(({ name, state }) => [name, state])).toEqual([
      ['both', 'changed-in-both'],
      ['gone', 'not-in-catalogue'],
      ['here', 'changed-here'],
      ['lost', 'missing'],
      ['newer', 'changed-in-catalogue'],
      ['same', 'up-to-date'],
    ]);
    expect(compared[5]).toEqual({
      name: 'same',
      state: 'up-to-date',
      id: idOf(newer, 'same'),
      source: join(folder, 'same'),
      folder: join(to, 'same'),
      lock: place.path,
    });
  });

  test('knows the entries of other installers by owner, repository and name', async () => {
    const text = skillMarkdown('loom');
    const search = await opened({
      skills: [
        {
          name: 'loom',
          description: 'Weaves.',
          author: 'otter',
          codehostUrl: 'https://github.com/otter/tools/tree/HEAD/skills/loom',
          files: [wholeFile('SKILL.md', text)],
        },
      ],
    } as never);
    const project = scratchFolder();
    const computedHash = hashOfFiles([{ path: 'SKILL.md', bytes: Buffer.from(text), executable: false }]);
    const entry = { source: 'otter/tools', sourceType: 'github', skillPath: 'skills/loom/SKILL.md', computedHash };
    const skills = { loom: entry, lost: { ...entry, source: 'otter/others' }, '../loom': entry };
    const path = join(project, 'skills-lock.json');
    writeFileSync(path, JSON.stringify({ version: 1, skills }));
    await writeFiles(project, { '.agents/skills/loom/SKILL.md': text, '.agents/skills/lost/SKILL.md': text });
    const folders = ['.agents/skills', '.claude/skills', '.agents/skills/x'].map((one) => join(project, one));
    await writeFiles(project, { '.claude/skills/x': '', '.agents/skills/x/y': '' });
    // As `npx skills` links the folder of another agent: it is the same skill.
    symlinkSync(join(project, '.agents/skills/loom'), join(project, '.claude/skills/loom'), 'junction');
    const compared = await compareInstalled(search, [{ path, form: 'project', folders }]);
    expect(compared.map(({ name, state, id, folder }) => [name, state, id, folder])).toEqual([
      ['../loom', 'missing', undefined, undefined],
      ['loom', 'up-to-date', idOf(search, 'loom'), join(project, '.agents/skills/loom')],
      ['lost', 'not-in-catalogue', undefined, join(project, '.agents/skills/lost')],
    ]);
  });

  test('tells a skill from another server by its files, and by its name only where that server is known', async () => {
    const { search } = await catalogueOf({
      'loom/SKILL.md': skillMarkdown('loom'),
      'a/kiln/SKILL.md': skillMarkdown('kiln', 'Fire it.'),
      'b/kiln/SKILL.md': skillMarkdown('kiln', 'Cool it.'),
    });
    const project = scratchFolder();
    const source = { source: 'skills.example.org', sourceType: 'well-known' };
    const address = 'https://skills.example.org/catalogue/skills';
    const skills = {
      kiln: { ...source, computedHash: 'that of former files' },
      loom: { ...source, computedHash: 'that of former files' },
      same: { ...source, sourceUrl: `${address}/${idOf(search, 'loom')}/.well-known/skills/same/SKILL.md` },
      broken: { ...source, sourceUrl: `${address}/%ff/.well-known/skills/broken/SKILL.md` },
    };
    const path = join(project, 'skills-lock.json');
    writeFileSync(path, JSON.stringify({ version: 1, skills }));
    await writeFiles(project, {
      'to/kiln/SKILL.md': skillMarkdown('kiln', 'Cool it.'),
      'to/loom/SKILL.md': skillMarkdown('loom', 'Weave it.'),
      'to/same/SKILL.md': skillMarkdown('same'),
      'to/broken/SKILL.md': skillMarkdown('broken'),
    });
    const place = { path, form: 'project' as const, folders: [join(project, 'to')] };
    const compared = async (...options: readonly object[]): Promise<unknown> =>
      (await compareInstalled(search, [place], ...options)).map(({ name, state }) => [name, state]);
    expect(await compared()).toEqual([
      ['broken', 'not-in-catalogue'],
      ['kiln', 'up-to-date'],
      ['loom', 'not-in-catalogue'],
      ['same', 'not-in-catalogue'],
    ]);
    expect(await compared({ servers: ['Skills.example.org'] })).toContainEqual(['loom', 'changed-in-both']);
    // Of two skills of a name none is guessed.
    await writeFiles(project, { 'to/kiln/SKILL.md': skillMarkdown('kiln', 'Break it.') });
    expect(await compared({ servers: ['skills.example.org'] })).toContainEqual(['kiln', 'not-in-catalogue']);
    for (const wrong of [{ servers: 'here' }, { servers: [1] }, { server: [] }]) {
      expect(await codeOf(() => compareInstalled(search, [place], wrong as never))).toBe('INVALID_OPTION');
    }
  });

  test('lists the skills of an author once, however many entries name one', async () => {
    const search = await opened({ skills: [{ name: 'loom', description: 'Weaves.', author: 'otter' }] } as never);
    const asked: ListQuery[] = [];
    const list = (query: ListQuery): ReturnType<SkillSearch['list']> => {
      asked.push(query);
      return search.list(query);
    };
    const counting = Object.create(search, { list: { value: list } }) as SkillSearch;
    const skills = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [
        `s${i}`,
        { source: `${i % 2 === 0 ? 'otter' : 'Otter'}/r${i}`, sourceType: 'github' },
      ]),
    );
    const path = join(scratchFolder(), 'skills-lock.json');
    writeFileSync(path, JSON.stringify({ version: 1, skills }));
    expect(await compareInstalled(counting, [{ path, form: 'project', folders: [] }])).toHaveLength(50);
    expect(asked).toHaveLength(1);
  });

  test('refuses a lock file that is a link out of the project', async () => {
    const { search } = await catalogueOf({ 'a/SKILL.md': skillMarkdown('a') });
    const [project, outside] = [scratchFolder(), scratchFolder()];
    mkdirSync(join(project, 'in'));
    writeFileSync(join(outside, 'skills-lock.json'), '{"version":1,"skills":{"a":{}}}');
    symlinkSync(outside, join(project, 'out'), 'junction');
    const place = { path: join(project, 'out/skills-lock.json'), form: 'project' as const, folders: [] };
    expect(await compareInstalled(search, [place])).toHaveLength(1);
    const within = { ...place, within: join(project, 'in', '..') };
    await expect(compareInstalled(search, [within])).rejects.toMatchObject({ code: 'INSTALL_REFUSED' });
  });

  test('finds nothing where there is no lock file, and refuses one that it cannot read', async () => {
    const { search } = await catalogueOf({ 'a/SKILL.md': skillMarkdown('a') });
    const path = join(scratchFolder(), 'skills-lock.json');
    const place = { path, form: 'project' as const, folders: [] };
    expect(await compareInstalled(search, [place])).toEqual([]);
    writeFileSync(path, '[]');
    expect(await codeOf(() => compareInstalled(search, [place]))).toBe('INSTALL_REFUSED');
    for (const wrong of [{}, [{ path: '' }], [{ ...place, more: 1 }]]) {
      expect(await codeOf(() => compareInstalled(search, wrong as never))).toBe('INVALID_OPTION');
    }
  });
});
