import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type CorpusOptions, openCorpus } from '../../src/evaluation/index.js';
import { buildCatalogue } from '../../src/index.js';
import { traceOf } from '../catalogue-file.js';
import { row, writeJsonLines } from '../rows.js';
import { closing, scratchFile, scratchFileWith, scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { FRUIT } from './fruit.js';

describe('the documents of a benchmark', () => {
  test('become skills: title and text are name and description', async () => {
    const { search, remarks } = await open({ documents: fileOf('corpus.jsonl', FRUIT) });
    expect(search.ids()).toEqual(['apple', 'leek', 'pear', 'plum', 'stove']);
    expect(search.get('plum')).toMatchObject({ name: 'Plum', description: 'A stone fruit; dried it is a prune.' });
    expect(search.get('stove')).toMatchObject({ name: 'Heats a kitchen.', description: 'Heats a kitchen.' });
    expect(remarks).toEqual([]);
  });

  test.each([
    ['no id', { title: 'a', text: 'b' }, /:1: expected a document: an object with `_id`, `title` and `text`/],
    ['no text', { _id: 'a', title: 'a' }, /:1: expected a document/],
    ['a long id', { _id: 'a'.repeat(251), text: 'b' }, /:1: expected an id of at most 250 characters/],
  ])('with %s are refused, with file and line', async (_, document, message) => {
    const opening = openCorpus({ documents: fileOf('corpus.jsonl', [document]), semantic: false });
    await expect(opening).rejects.toMatchObject({ code: 'INVALID_SOURCE', message: expect.stringMatching(message) });
  });

  test('leave nothing behind', async () => {
    const [folder, documents, wrong] = [scratchFolder(), fileOf('corpus.jsonl', FRUIT), fileOf('corpus.jsonl', [{}])];
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const corpus = await openCorpus({ documents, semantic: false });
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^skill-discovery-evaluate-/)]);
    await corpus.close();
    expect(readdirSync(folder)).toEqual([]);
    await expect(openCorpus({ documents: wrong, semantic: false })).rejects.toThrow();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('documents that are kept', () => {
  test('are not embedded again, except those that changed', async () => {
    const keep = join(scratchFolder(), 'kept');
    const documents = fileOf('corpus.jsonl', FRUIT);
    const embedder = new StandInEmbedder();
    await open({ documents, keep, embedder, semantic: true });
    expect(embedder.asked).toHaveLength(FRUIT.length);

    embedder.asked.length = 0;
    await open({ documents, keep, embedder, semantic: true });
    expect(embedder.asked).toEqual([]);
    writeJsonLines(documents, [...FRUIT.slice(1), { _id: 'fig', title: 'Fig', text: 'Sweet.' }]);
    const { search } = await open({ documents, keep, embedder, semantic: true });
    expect(embedder.asked).toEqual(['Fig. Sweet.']);
    expect(search.ids()).toEqual(['fig', 'leek', 'pear', 'plum', 'stove']);
  });

  test('are apart by what they are made of, and by the model', async () => {
    const keep = scratchFolder();
    const documents = fileOf('corpus.jsonl', FRUIT);
    for (const model of ['one', 'two']) {
      await open({ documents, keep, embedder: new StandInEmbedder(model), semantic: true });
    }
    await open({ documents: fileOf('corpus.jsonl', FRUIT), keep, semantic: false });
    await open({ documents, keep, semantic: false });
    expect(readdirSync(keep).filter((name) => name.endsWith('.db'))).toHaveLength(4);
  });
});

describe('a catalogue', () => {
  const ROWS = [
    row('a', { description: 'alpha', files: [{ filename: 'SKILL.md', text: 'epsilon' }], stars: 7 }),
    row('b', { description: 'beta' }),
    row('c', { description: 'gamma', categories: ['greek'] }),
  ];

  test('is loaded from anything that load reads', async () => {
    const { search } = await open({ catalogue: fileOf('rows.jsonl', ROWS) });
    expect(search.ids()).toEqual(['a', 'b', 'c']);
    expect(search.keyword({ q: 'epsilon' }).pagination.total).toBe(1);
  });

  test('gets more documents with their files, loses some, and stays as it was', async () => {
    const embedder = new StandInEmbedder();
    const database = await catalogueOf(ROWS, embedder);
    const before = traceOf(database);
    const without = scratchFileWith('without.txt', 'a\n\nnot-there\n');
    embedder.asked.length = 0;
    const { search, remarks } = await open({
      database,
      embedder,
      semantic: true,
      extra: fileOf('extra.jsonl', [
        { _id: 'x/new', title: 'new', text: 'delta' },
        { _id: 'b', title: 'b again', text: 'beta' },
      ]),
      extraFiles: fileOf('files.jsonl.gz', [
        { _id: 'x/new', text: `---\nname: new\nhidden: frontmatter\n---\n\n${'word '.repeat(398)}zeta eta theta` },
        { id: 'c', filename: 'notes.md', text: 'iota' },
        { _id: 'nobody', text: 'kappa' },
      ]),
      without,
    });
    expect(search.ids()).toEqual(['b', 'c', 'x/new']);
    expect(search.get('b')?.name).toBe('b again');
    // 398 words of five characters are 1,990, "zeta eta t" makes 2,000.
    expect(search.file('x/new', 'SKILL.md')?.text).toBe(`${'word '.repeat(398)}zeta eta t`);
    expect(search.files('c')).toMatchObject([{ filename: 'notes.md', text: 'iota' }]);
    expect(search.get('c')?.categories).toEqual(['greek']);
    expect(remarks).toEqual([
      expect.stringMatching(/^1 unknown id to leave out: "not-there"$/),
      expect.stringMatching(/^1 unknown id with file text: "nobody"$/),
    ]);
    // The vectors of all others are those of the database.
    expect(embedder.asked.toSorted()).toEqual([
      'b again. beta',
      'new. delta',
      expect.stringMatching(/^new\. (word )+/),
    ]);
    expect(traceOf(database)).toEqual(before);
  });

  test('without vectors cannot be asked by meaning, also where something is added', async () => {
    const database = await catalogueOf(ROWS);
    const embedder = new StandInEmbedder();
    const extra = fileOf('extra.jsonl', [{ _id: 'new', title: 'new', text: 'delta' }]);
    for (const options of [{ database }, { database, extra }]) {
      await expect(openCorpus({ ...options, embedder })).rejects.toMatchObject({ code: 'NO_VECTORS' });
    }
    expect(embedder.asked).toEqual([]);
  });
});

async function open(options: CorpusOptions) {
  return closing(await openCorpus({ semantic: false, ...options }));
}

function fileOf(name: string, rows: readonly unknown[]): string {
  const path = scratchFile(name);
  writeJsonLines(path, rows);
  return path;
}

async function catalogueOf(rows: readonly unknown[], embedder?: StandInEmbedder): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, sources: [rows], ...(embedder === undefined ? { semantic: false } : { embedder }) });
  return database;
}
