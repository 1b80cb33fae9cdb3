import { expect, test } from 'vitest';
import type { DocumentedEngine } from '../../bench/engines/engine.js';
import { fts5Over } from '../../bench/engines/fts5.js';
import { BASIC, miniSearchOver, WITH_OPTIONS } from '../../bench/engines/minisearch.js';
import { enginesNamed } from '../../bench/engines/names.js';
import { oramaOver } from '../../bench/engines/orama.js';

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

test('engines are named in a list, each once, and nothing else', () => {
  expect(enginesNamed('rrf,fts5,rrf')).toEqual(['rrf', 'fts5']);
  expect(() => enginesNamed('fts5,lucene')).toThrow(/--engines takes minisearch, .*, got lucene/);
});
