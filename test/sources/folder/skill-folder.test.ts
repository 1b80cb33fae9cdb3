import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, realpath, rename, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkRow, checkSource, type RawRow, readSource, type SourceItem } from '../../../src/sources/index.js';
import { readAll, rowsOf, rowValue, temporaryFolder } from '../folders.js';

const skillMd = (name: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\n# ${name}\n`;
const names = (items: readonly SourceItem[]): string[] => rowsOf(items).map((row) => rowValue(row).name);
const filenames = (items: readonly SourceItem[], at = 0): string[] =>
  rowValue(rowsOf(items)[at]).files.map((file) => file.filename);
const problems = (items: readonly SourceItem[], folder: string): string[] =>
  items.flatMap((item) => {
    const where = item.origin.source.replace(`${folder}/`, '');
    if (item.kind === 'row' || item.kind === 'known') return [];
    return item.kind === 'remark' ? [`${where}: ${item.message}`] : [`${where}! ${item.reason}`];
  });

describe('a folder source', () => {
  it('yields each SKILL.md at any depth, in code-point order of the folders', async () => {
    const folder = await temporaryFolder({
      'b/SKILL.md': skillMd('b'),
      'a/deep/er/skill.md': skillMd('deeper'),
      '.claude/skills/hidden/Skill.MD': skillMd('hidden'),
      'Z/SKILL.md': skillMd('capital'),
      '\u{1f41d}/SKILL.md': skillMd('bee'),
      '\uff21/SKILL.md': skillMd('wide'),
      '.git/x/SKILL.md': skillMd('never'),
      'b/node_modules/x/SKILL.md': skillMd('never'),
    });
    const { items, error } = await readAll(folder);
    expect(error).toBeUndefined();
    expect(names(items)).toEqual(['hidden', 'capital', 'deeper', 'b', 'wide', 'bee']);
    expect(items[2]?.origin).toEqual({ source: `${folder}/a/deep/er/skill.md` });
  });

  it('gives rows in the shape of a JSON row', async () => {
    const folder = await temporaryFolder({
      'x y/SKILL.md': '---\nname: bread\ndescription: Bakes.\nlicense: MIT\ncategory: Food, Home\n---\nBody\n',
      'x y/references/forms.md': 'forms',
    });
    await utimes(join(folder, 'x y/SKILL.md'), 1_000, 1_000);
    await utimes(join(folder, 'x y/references/forms.md'), 2_000.9, 2_000.9);
    const base = folder.split('/').at(-1) ?? '';
    const [row] = rowsOf((await readAll(`${folder}/`)).items);
    expect(row).toEqual({
      kind: 'row',
      origin: { source: `${folder}/x y/SKILL.md` },
      location: `${base}/x y`,
      folder: { path: join(await realpath(folder), 'x y'), isOrigin: true },
      warnings: [],
      contents: expect.objectContaining({ complete: true }),
      value: {
        name: 'bread',
        description: 'Bakes.',
        author: 'unknown',
        codehostUrl: 'unknown',
        skillUrl: 'unknown',
        stars: 0,
        updatedAt: 2_000,
        categories: ['Food', 'Home'],
        occupations: [],
        license: 'MIT',
        frontMatter: { name: 'bread', description: 'Bakes.', license: 'MIT', category: 'Food, Home' },
        files: [
          { filename: 'SKILL.md', text: 'Body\n' },
          { filename: 'references/forms.md', text: 'forms' },
        ],
      },
    });
    if (row === undefined) throw new Error('no row');
    expect(checkRow(row)).toMatchObject({ kind: 'skill', draft: { categories: ['food', 'home'] }, warnings: [] });
  });

  it('takes author and addresses from the options', async () => {
    const folder = await temporaryFolder({ 'x y/SKILL.md': '# x', 'SKILL.md': '# root' });
    const base = folder.split('/').at(-1) ?? '';
    const options = { author: 'me', codehostBase: 'https://code.example/me/', skillUrlBase: 'https://skills.example' };
    const [root, inner] = rowsOf((await readAll(folder, options)).items);
    expect(rowValue(root)).toMatchObject({
      name: base,
      author: 'me',
      codehostUrl: 'https://code.example/me',
      skillUrl: `https://skills.example/${base.toLowerCase()}`,
    });
    expect(root?.location).toBe(base);
    expect(rowValue(inner)).toMatchObject({
      codehostUrl: 'https://code.example/me/x%20y',
      skillUrl: `https://skills.example/${base.toLowerCase()}-x-y`,
    });
    expect(JSON.stringify(inner?.value)).not.toContain(folder);
  });
});

describe('the files of a skill', () => {
  it('are its text files, SKILL.md first, without dotfiles and those of a skill inside it', async () => {
    const folder = await temporaryFolder({
      's/SKILL.md': skillMd('outer'),
      's/A.md': 'first by name',
      's/.env': 'SECRET=1',
      's/.hidden/x.md': 'hidden',
      's/b/c.md': 'c',
      's/b-a.md': 'b-a',
      's/inner/SKILL.md': skillMd('inner'),
      's/inner/own.md': 'own',
      's/.claude/skills/dot/SKILL.md': skillMd('dot'),
      's/node_modules/x/index.js': 'x',
      's/image.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0]),
      's/noise.bin': Buffer.from(Array.from({ length: 200 }, (_, i) => 128 + (i % 64))),
      's/latin1.txt': Buffer.from('Le caf\xe9 est chaud et tr\xe8s bon ce matin, merci.', 'latin1'),
      's/utf16.txt': Buffer.from('\ufeffgrüße', 'utf16le'),
    });
    const { items } = await readAll(folder);
    expect(names(items)).toEqual(['outer', 'dot', 'inner']);
    expect(filenames(items)).toEqual(['SKILL.md', 'A.md', 'b-a.md', 'b/c.md', 'latin1.txt', 'utf16.txt']);
    expect(filenames(items, 2)).toEqual(['SKILL.md', 'own.md']);
    expect(rowValue(rowsOf(items)[0]).files.at(-1)?.text).toBe('grüße');
    expect(rowValue(rowsOf(items)[0]).files.at(-2)?.text).toContain('caf\ufffd');
    expect(aboutTexts(rowsOf(items)[0])).toEqual([]);
  });

  it('has one SKILL.md where a folder holds several', async () => {
    const folder = await temporaryFolder({ 'skill.md': skillMd('small'), 'SKILL.md': skillMd('capital') });
    const { items } = await readAll(folder);
    expect(names(items)).toEqual(['capital']);
    expect(filenames(items)).toEqual(['SKILL.md']);
    expect(rowsOf(items)[0]?.warnings).toEqual(['skill.md: left out, SKILL.md stands beside it']);
  });

  it('are cut at 1 MiB between characters', async () => {
    const long = `x${'é'.repeat(600_000)}`;
    const folder = await temporaryFolder({ 'SKILL.md': long, 'long.txt': long });
    const [row] = rowsOf((await readAll(folder)).items);
    for (const file of rowValue(row).files) {
      expect(Buffer.byteLength(file.text)).toBe(1024 * 1024 - 1);
      expect(file.text.endsWith('é')).toBe(true);
    }
    expect(row?.warnings).toEqual(['SKILL.md: cut at 1 MiB', 'long.txt: cut at 1 MiB']);
  });

  it('are at most a thousand, and 16 MiB', async () => {
    const many = Object.fromEntries(Array.from({ length: 1005 }, (_, i) => [`f${String(i).padStart(4, '0')}`, 'x']));
    const large = Object.fromEntries(
      Array.from({ length: 18 }, (_, i) => [`g${String.fromCharCode(97 + i)}`, 'x'.repeat(1024 * 1024)]),
    );
    const [one, other] = [
      await temporaryFolder({ 'SKILL.md': '# x', ...many }),
      await temporaryFolder({ 'SKILL.md': '# x', ...large }),
    ];
    const [first] = rowsOf((await readAll(one)).items);
    expect(rowValue(first).files).toHaveLength(1000);
    expect(aboutTexts(first)).toEqual(['more than 1000 files; those from f0999 on are left out']);
    const [second] = rowsOf((await readAll(other)).items);
    expect(rowValue(second).files).toHaveLength(16);
    expect(aboutTexts(second)).toEqual(['the files are over 16 MiB; those from gp on are left out']);
  });

  it.skipIf(process.platform !== 'linux')(
    'are read ahead up to a limit, and none of them twice, however large they are',
    async () => {
      const size = 4 * 2 ** 20;
      const files: Record<string, string | Buffer> = {};
      for (const name of ['a', 'b', 'c', 'd']) {
        files[`${name}/SKILL.md`] = skillMd(name);
        files[`${name}/x.bin`] = Buffer.alloc(size);
      }
      const folder = await temporaryFolder(files);
      const items = readSource(await checkSource(folder));
      const before = bytesRead();
      await items.next();
      expect(bytesRead() - before).toBeLessThan(1.5 * size);
      let others = 0;
      for await (const _ of items) others += 1;
      expect(others).toBe(3);
      expect(bytesRead() - before).toBeLessThan(4.5 * size);
    },
  );
});

describe('symbolic links', () => {
  it('are not followed out of the source, into .git or nowhere, with one remark each', async () => {
    const outside = await temporaryFolder({ 'SKILL.md': skillMd('outside'), 'secret.txt': 'secret' });
    const folder = await temporaryFolder({ 's/SKILL.md': skillMd('s'), '.git/config': 'token' });
    await symlink(outside, join(folder, 's/out'));
    await symlink(join(outside, 'secret.txt'), join(folder, 's/secret.txt'));
    await symlink(join(folder, 'nowhere'), join(folder, 's/gone'));
    await symlink('loop', join(folder, 's/loop'));
    await symlink('../.git/config', join(folder, 's/config.txt'));
    await mkdir(join(folder, 't'));
    await symlink(join(outside, 'SKILL.md'), join(folder, 't/SKILL.md'));
    const { items } = await readAll(folder);
    expect(names(items)).toEqual(['s']);
    expect(filenames(items)).toEqual(['SKILL.md']);
    expect(problems(items, folder).sort()).toEqual([
      's/config.txt: a link into a .git folder',
      's/gone: a link that leads nowhere',
      's/loop: a link that leads in a circle',
      's/out: a link that leads outside the source',
      's/secret.txt: a link that leads outside the source',
      't/SKILL.md: a link that leads outside the source',
    ]);
  });

  it('are told of a thousand in a walk, and counted from then on', async () => {
    const folder = await temporaryFolder({ 's/SKILL.md': skillMd('s') });
    for (let i = 0; i < 1002; i++) await symlink('/nowhere', join(folder, `s/${i}`));
    expect(problems((await readAll(folder)).items, folder).slice(1000)).toEqual([
      `${folder}: 2 more links or folders that were not followed or entered`,
    ]);
  });

  it('are followed inside the source, without circles and without finding a skill twice', async () => {
    const folder = await temporaryFolder({
      'z/SKILL.md': skillMd('z'),
      'z/more.md': 'more',
      'shared/notes.md': 'notes',
      'pool/node_modules/p/SKILL.md': skillMd('packed'),
      'text/AGENTS.md': skillMd('agents'),
      '.env': 'SECRET=1',
    });
    await symlink('z', join(folder, 'a'));
    await symlink('..', join(folder, 'z/up'));
    await symlink('../shared', join(folder, 'z/shared'));
    await symlink('../.env', join(folder, 'z/plain.txt'));
    await symlink('pool/node_modules/p', join(folder, 'linked'));
    await symlink('AGENTS.md', join(folder, 'text/SKILL.md'));
    await mkdir(join(folder, 'text2'));
    await symlink('../text/AGENTS.md', join(folder, 'text2/SKILL.md'));
    const { items } = await readAll(folder);
    expect(problems(items, folder)).toEqual([]);
    expect(rowsOf(items).map((row) => [row.origin.source.replace(folder, ''), rowValue(row).name])).toEqual([
      ['/linked/SKILL.md', 'packed'],
      ['/text/SKILL.md', 'agents'],
      ['/z/SKILL.md', 'z'],
    ]);
    expect(filenames(items, 1)).toEqual(['SKILL.md']);
    expect(filenames(items, 2)).toEqual(['SKILL.md', 'more.md', 'shared/notes.md']);
  });
});

it('what cannot be read is never a pipe, which would wait for ever', async () => {
  const folder = await temporaryFolder({ 's/SKILL.md': skillMd('s'), 't/x': '' });
  execFileSync('mkfifo', [join(folder, 's/pipe.md'), join(folder, 't/SKILL.md')]);
  const { items } = await readAll(folder);
  expect(names(items)).toEqual(['s']);
  expect(filenames(items)).toEqual(['SKILL.md']);
  expect(problems(items, folder)).toEqual(['t! SKILL.md is a pipe, a socket or a device, not a file']);
});

describe('a skill that changes while it is read', () => {
  /** Reads the skill of a folder while something happens to it every millisecond. */
  async function readWhile(folder: string, change: () => unknown): Promise<RawRow> {
    const timer = setInterval(change, 1);
    const { items } = await readAll(folder);
    clearInterval(timer);
    return rowsOf(items)[0]!;
  }

  it('is incomplete with a file that is written all the time, which is listed without its bytes', async () => {
    const folder = await temporaryFolder({ 's/SKILL.md': skillMd('s'), 's/b.txt': 'b', 's/log': 'longer' });
    const { contents, warnings } = await readWhile(folder, () => appendFileSync(join(folder, 's/log'), 'x'));
    expect(warnings).toEqual(['contents: log: changed while it was read; incomplete']);
    expect(contents).toMatchObject({
      complete: false,
      files: [
        { path: 'SKILL.md', complete: true },
        { path: 'b.txt', complete: true },
        { path: 'log', complete: false, bytes: undefined },
      ],
    });
  });

  it('is incomplete where files come and go', async () => {
    const folder = await temporaryFolder({ 's/SKILL.md': skillMd('s'), 's/docs/a.md': 'a' });
    let count = 0;
    const { contents, warnings } = await readWhile(folder, () => writeFileSync(join(folder, `s/docs/${count++}`), ''));
    expect(warnings).toContain('contents: docs: changed while it was read; incomplete');
    expect(contents?.complete).toBe(false);
  });

  it('is not read where a link has taken the place of its folder, or of one in it', async () => {
    const outside = await temporaryFolder({ 'SKILL.md': skillMd('outside'), 'a.md': 'secret' });
    const folder = await temporaryFolder({ 'a/SKILL.md': skillMd('a'), 'b/SKILL.md': skillMd('b') });
    await symlink('/nowhere', join(folder, 'link'));
    const items = readSource(await checkSource(folder));
    // The walk is done, and nothing is read.
    expect((await items.next()).value).toMatchObject({ kind: 'remark' });
    await rename(join(folder, 'a'), join(folder, 'former'));
    await symlink(outside, join(folder, 'a'));
    const rest: SourceItem[] = [];
    for await (const item of items) rest.push(item);
    expect(rest).toMatchObject([
      { kind: 'unreadable', reason: 'cannot be read: replaced by a link while it was read' },
      { kind: 'row', value: { name: 'b' } },
    ]);
    expect(JSON.stringify(rest)).not.toContain('secret');
  });
});

/** The warnings of a row but for those about its contents, which have limits of their own. */
function aboutTexts(row: ReturnType<typeof rowsOf>[number] | undefined): string[] {
  return (row?.warnings ?? []).filter((warning) => !warning.startsWith('contents:'));
}

/** Bytes that this process has read so far, of files and whatever else. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}
