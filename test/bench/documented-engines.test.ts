import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentsOf } from '../../bench/engines/documents.js';
import type { DocumentedEngine } from '../../bench/engines/engine.js';
import { fts5Over } from '../../bench/engines/fts5.js';
import { BASIC, miniSearchOver, WITH_OPTIONS } from '../../bench/engines/minisearch.js';
import { enginesNamed } from '../../bench/engines/names.js';
import { oramaOver } from '../../bench/engines/orama.js';
import { modelOver } from '../../bench/engines/published-model.js';
import { openSetCatalogues } from '../../bench/engines/set-catalogues.js';
import { buildCatalogue } from '../../src/index.js';
import { scratchFolder } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const DOCUMENTS = [
  { id: 'forms', name: 'pdf-forms', description: 'Fill in the forms of a PDF.' },
  { id: 'merge', name: 'pdf-merge', description: 'Merge several files into one.' },
  { id: 'notes', name: 'release-notes', description: 'Write "release notes" from commits (AND more).' },
];

const idsOf = async (engine: DocumentedEngine, q: string, limit = 10): Promise<string[]> =>
  (await engine.search(q, limit)).map(({ id }) => id);

test.each([
  ['MiniSearch', () => miniSearchOver(DOCUMENTS, BASIC)],
  ['MiniSearch with options', () => miniSearchOver(DOCUMENTS, WITH_OPTIONS)],
  ['Orama', () => oramaOver(DOCUMENTS)],
  ['FTS5', () => fts5Over(DOCUMENTS, 'unicode61')],
  ['FTS5 with stems', () => fts5Over(DOCUMENTS, 'porter')],
])('%s finds by any word, best first, as many as wanted', async (_, open) => {
  const engine = await open();
  expect((await idsOf(engine, 'please fill in these forms of mine'))[0]).toBe('forms');
  expect(await idsOf(engine, 'pdf', 1)).toHaveLength(1);
  expect(await idsOf(engine, 'zebra')).toEqual([]);
  const scores = (await engine.search('pdf forms', 10)).map(({ score }) => score);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  await engine.close?.();
});

test('each reads words in its own way', async () => {
  expect(await idsOf(miniSearchOver(DOCUMENTS, BASIC), 'relase')).toEqual([]);
  expect(await idsOf(miniSearchOver(DOCUMENTS, WITH_OPTIONS), 'relase')).toEqual(['notes']);
  expect(await idsOf(fts5Over(DOCUMENTS, 'unicode61'), 'merging')).toEqual([]);
  expect(await idsOf(fts5Over(DOCUMENTS, 'porter'), 'merging')).toEqual(['merge']);
});

test('FTS5 takes operators and quotes of a question for words', async () => {
  const engine = fts5Over(DOCUMENTS, 'unicode61');
  expect(await idsOf(engine, 'commits NOT "release" AND (zebra*')).toEqual(['notes']);
  expect(await idsOf(engine, 'NEAR(pdf')).toHaveLength(2);
});

/** Two of the documents have the same text, and so one vector. */
async function loadedCatalogue(): Promise<string> {
  const database = join(scratchFolder(), 'skills.db');
  const rows = [...DOCUMENTS, { ...DOCUMENTS[0], id: 'forms-again' }];
  await buildCatalogue({ database, sources: [{ name: 'made up', rows }], embedder: new StandInEmbedder() });
  return database;
}

test('a catalogue is read as it was written, by id', async () => {
  const ids = ['forms', 'forms-again', 'merge', 'notes'];
  const documents = documentsOf(await loadedCatalogue());
  expect(documents.map(({ id }) => id)).toEqual(ids);
  expect(documents.filter(({ id }) => id !== 'forms-again')).toEqual(DOCUMENTS);
});

test('a model alone ranks all skills by their exact cosine', async () => {
  const embedder = new StandInEmbedder();
  const engine = await modelOver(await loadedCatalogue(), embedder);
  const q = 'merge several files';
  const found = await engine.search(q, 10);
  const cosineOf = async (text: string): Promise<number> => {
    const [a, b] = (await embedder.embed([q, text])) as [Float32Array, Float32Array];
    return a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
  };
  expect(found).toHaveLength(4);
  expect(found[0]?.id).toBe('merge');
  expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((a, b) => b - a));
  for (const { id, name, description } of DOCUMENTS) {
    const score = found.find((one) => one.id === id)?.score;
    expect(score).toBeCloseTo(await cosineOf(`${name}. ${description}`), 5);
  }
  await engine.close?.();
});

test('vectors of another model are refused', async () => {
  const database = await loadedCatalogue();
  await expect(modelOver(database, new StandInEmbedder('other'))).rejects.toThrow(/vectors of stand-in, not of other/);
});

test('a catalogue without vectors of the published model is asked for', async () => {
  const database = await loadedCatalogue();
  const options = { model: 'published', modelDatabase: undefined, keep: undefined };
  await expect(openSetCatalogues({ database }, options)).rejects.toThrow(/name it \(--published-database\)/);
  await using ours = await openSetCatalogues({ database }, { ...options, model: undefined });
  expect(ours).toMatchObject({ database, published: undefined });
});

test('engines are named in a list, each once, and nothing else', () => {
  expect(enginesNamed('rrf,fts5,rrf')).toEqual(['rrf', 'fts5']);
  expect(() => enginesNamed('fts5,lucene')).toThrow(/--engines takes minisearch, .*, got lucene/);
});
