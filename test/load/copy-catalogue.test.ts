import { copyFileSync, existsSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildCatalogue, copyCatalogue, openSkillSearch } from '../../src/index.js';
import { OpenChange } from '../../src/store/write/open-change.js';
import { contentOf, filesBeside } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

test('a catalogue is copied with the indexes beside it, and replaces what was there where that is wanted', async () => {
  const folder = scratchFolder();
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
  const embedder = new StandInEmbedder();
  await buildCatalogue({ database: from, sources: [[row('a'), row('b')]], embedder });
  await buildCatalogue({ database: to, sources: [[row('c')]], embedder });

  await copyCatalogue({ from, to, overwrite: true });
  expect(contentOf(to)).toEqual(contentOf(from));
  for (const ending of ['', '.keyword', '.vectors']) {
    expect(readFileSync(to + ending).equals(readFileSync(from + ending))).toBe(true);
  }
  embedder.asked.length = 0;
  await buildCatalogue({ database: to, sources: [[row('d')]], embedder });
  expect(embedder.asked).toEqual(['name of d. description of d']);
  expect([...contentOf(from).keys()]).toEqual(['a', 'b']);
});

test('a copy has as many graphs of near neighbours as the catalogue, whatever was there before', async () => {
  const folder = scratchFolder();
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
  await buildCatalogue({ database: from, sources: [[row('a')]], semantic: false });
  await buildCatalogue({ database: to, sources: [[row('b')]], semantic: false });
  for (const ending of ['', '-2']) writeFileSync(`${from}.vectors-graph${ending}`, `graph${ending}`);
  for (const ending of ['', '-2', '-3', '-4']) writeFileSync(`${to}.vectors-graph${ending}`, 'former');

  await copyCatalogue({ from, to, overwrite: true });
  for (const ending of ['', '-2']) expect(readFileSync(`${to}.vectors-graph${ending}`, 'utf8')).toBe(`graph${ending}`);
  for (const ending of ['-3', '-4']) expect(existsSync(`${to}.vectors-graph${ending}`)).toBe(false);
});

test.each([undefined, false])('a copy with overwrite: %s leaves what is there as it is', async (overwrite) => {
  const folder = scratchFolder();
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
  await buildCatalogue({ database: from, sources: [[row('a')]], semantic: false });
  await buildCatalogue({ database: to, sources: [[row('b')]], semantic: false });
  const before = ['', '.keyword'].map((ending) => readFileSync(to + ending));

  await expect(copyCatalogue({ from, to, overwrite })).rejects.toMatchObject({ code: 'CATALOGUE_EXISTS', path: to });
  expect(['', '.keyword'].map((ending) => readFileSync(to + ending))).toEqual(before);
  expect(filesBeside(to)).toEqual([]);
});

test('a link to a catalogue is a catalogue, and so is any other file', async () => {
  const folder = scratchFolder();
  const [from, to, link, text] = ['from.db', 'to.db', 'link.db', 'text.txt'].map((name) => join(folder, name));
  await buildCatalogue({ database: from!, sources: [[row('a')]], semantic: false });
  await buildCatalogue({ database: to!, sources: [[row('b')]], semantic: false });
  symlinkSync(to!, link!);
  writeFileSync(text!, 'a letter');

  expect(await codeOf(() => copyCatalogue({ from: from!, to: link! }))).toBe('CATALOGUE_EXISTS');
  expect(await codeOf(() => copyCatalogue({ from: from!, to: text! }))).toBe('CATALOGUE_EXISTS');
  expect([...contentOf(to!).keys()]).toEqual(['b']);
  expect(readFileSync(text!, 'utf8')).toBe('a letter');
});

test('only a catalogue is copied, and a link that leads nowhere is not replaced', async () => {
  const folder = scratchFolder();
  const [from, to, text] = ['from.db', 'to.db', 'text.txt'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(text, 'a letter');
  expect(await codeOf(() => copyCatalogue({ from: text, to }))).toBe('NOT_A_CATALOGUE');
  expect(await codeOf(() => copyCatalogue({ from: folder, to }))).toBe('NOT_A_CATALOGUE');
  expect(await codeOf(() => copyCatalogue({ from, to }))).toBe('DATABASE_NOT_FOUND');
  expect(existsSync(to)).toBe(false);

  await buildCatalogue({ database: from, sources: [[row('a')]], semantic: false });
  symlinkSync(join(folder, 'nowhere'), to);
  expect(await codeOf(() => copyCatalogue({ from, to }))).toBe('CATALOGUE_EXISTS');
  expect(readlinkSync(to)).toBe(join(folder, 'nowhere'));
});

test('who has open what is replaced goes on reading that', async () => {
  const folder = scratchFolder();
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
  const rows = (word: string) => Array.from({ length: 300 }, (_, i) => row(`${word}-${i}`, { description: word }));
  await buildCatalogue({ database: from, sources: [rows('alpha')], semantic: false });
  await buildCatalogue({ database: to, sources: [rows('beta')], semantic: false });

  await using search = await openSkillSearch({ database: to });
  await copyCatalogue({ from, to, overwrite: true });
  const { hits, pagination } = search.keyword({ q: 'beta', sortBy: 'recent' });
  expect([pagination.total, hits[0]?.matches]).toEqual([300, { name: ['beta'], description: ['beta'] }]);
  expect(filesBeside(to)).toEqual([]);
});

test('nothing is copied to where a load or a small change is writing', async () => {
  const folder = scratchFolder();
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
  await buildCatalogue({ database: from, sources: [[row('a')]], semantic: false });
  await buildCatalogue({ database: to, sources: [[row('b')]], semantic: false });

  const change = OpenChange.open(to)!;
  change.startWorkingCopy();
  try {
    expect(await codeOf(() => copyCatalogue({ from, to, overwrite: true }))).toBe('LOAD_IN_PROGRESS');
  } finally {
    change.close();
  }
  expect([...contentOf(to).keys()]).toEqual(['b']);
  await copyCatalogue({ from, to, overwrite: true });
  expect([...contentOf(to).keys()]).toEqual(['a']);
  expect(filesBeside(to)).toEqual([]);
});

test('an index that is missing there is missing in the copy', async () => {
  const folder = scratchFolder();
  const [built, from, to] = [join(folder, 'built.db'), join(folder, 'from.db'), join(folder, 'to.db')];
  await buildCatalogue({ database: built, sources: [[row('a')]], semantic: false });
  copyFileSync(built, from);
  writeFileSync(`${to}.keyword`, 'of another catalogue');

  await copyCatalogue({ from, to });
  expect(existsSync(`${to}.keyword`)).toBe(false);
  expect(filesBeside(to)).toEqual([]);
  await using search = await openSkillSearch({ database: to });
  expect(search.ids()).toEqual(['a']);
});

test('a catalogue that is not there, onto itself, or to where nothing can be is refused', async () => {
  const folder = scratchFolder();
  const from = join(folder, 'from.db');
  await buildCatalogue({ database: from, sources: [[row('a')]], semantic: false });
  const code = (options: { from: string; to: string }) => codeOf(() => copyCatalogue(options));
  expect(await code({ from: join(folder, 'none.db'), to: join(folder, 'to.db') })).toBe('DATABASE_NOT_FOUND');
  expect(await code({ from, to: from })).toBe('INVALID_OPTION');
  expect(await code({ from, to: '' })).toBe('INVALID_OPTION');
  expect(await code({ from, to: join(folder, 'missing', 'to.db') })).toBe('DATABASE_NOT_WRITABLE');
});
