import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readRun } from '../../src/evaluation/index.js';
import { buildCatalogue } from '../../src/index.js';
import { toJsonLines } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';

const run = promisify(execFile);

const SKILLS = [
  ['forms', 'pdf-forms', 'Fill in the forms of a PDF.'],
  ['forms-copy', 'pdf-forms', 'Fill in the forms of a PDF.'],
  ['merge', 'pdf-merge', 'Merge several PDF files into one.'],
  ['notes', 'release-notes', 'Write release notes from the commits of a repository.'],
  ['soup', 'leek-soup', 'Cook a soup of leek and potatoes.'],
].map(([id, name, description]) => ({ id, name, description }));

const REQUESTS = [
  { _id: 'en-001', text: 'fill in a PDF form', language: 'en' },
  { _id: 'en-002', text: 'what changed since the last release', language: 'en' },
  { _id: 'de-001', text: 'Suppe aus Lauch', language: 'de', english: 'soup of leek' },
  { _id: 'rare-001', text: 'put files together', language: 'en' },
  { _id: 'rare-002', text: 'tame a dragon', language: 'en' },
];

const QRELS = [
  ['query-id', 'corpus-id', 'score'],
  ['en-001', 'forms', 3],
  ['en-001', 'forms-copy', 3],
  ['en-001', 'merge', 1],
  ['en-002', 'notes', 3],
  ['de-001', 'soup', 3],
  ['rare-001', 'merge', 2],
  ['rare-002', 'soup', 0],
];

function gradedFolder(): string {
  const folder = join(scratchFolder(), 'made-up');
  mkdirSync(folder);
  writeFileSync(join(folder, 'queries.jsonl'), toJsonLines(REQUESTS));
  writeFileSync(join(folder, 'qrels.tsv'), QRELS.map((line) => `${line.join('\t')}\n`).join(''));
  return folder;
}

async function loadedCatalogue(semantic: boolean): Promise<string> {
  const database = join(scratchFolder(), 'skills.db');
  await buildCatalogue({ database, sources: [{ name: 'made up', rows: SKILLS }], semantic });
  return database;
}

function bench(...flags: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const script = fileURLToPath(new URL('../../bench/ranking-engines.ts', import.meta.url));
  return run(process.execPath, ['--import', 'tsx', script, ...flags]);
}

test('the command measures engines on graded and on given sets, and stores their runs', async () => {
  const [database, folder] = [await loadedCatalogue(true), gradedFolder()];
  const sets = join(scratchFolder(), 'my-sets.json');
  writeFileSync(join(folder, 'given.jsonl'), toJsonLines([{ id: 'g1', query: 'merge', relevant: ['merge'] }]));
  writeFileSync(sets, JSON.stringify([{ name: 'known item', folder: join(folder, 'given.jsonl'), catalogue: true }]));
  const [runs, out] = [join(scratchFolder(), 'runs'), join(scratchFolder(), 'tables.md')];
  const flags = ['--sets', sets, '--database', database, '--engines', 'minisearch', '--save-runs', runs, '--out', out];
  const { stdout } = await bench(folder, ...flags);

  expect(readFileSync(out, 'utf8')).toBe(stdout);
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\d, .*Node v\d/);
  const heads = stdout.split('\n').filter((line) => line.includes('useful@5'));
  expect(heads.map((line) => line.split('|')[1]?.trim())).toEqual([
    '2 requests in English',
    '1 request of rare matters, in English',
    '1 request not in English',
    '1 request not in English, put in English',
  ]);
  // Of what MiniSearch shows for en-001, the copy stands before the skill of little help: (1 / log2(3) - 1 / 2) / 7.63
  // / 2.
  expect(stdout).toMatch(/With copies taken out of every ranking, no nDCG@10 is more than \.009 higher\./);
  expect(stdout).toContain('### my-sets');
  expect(stdout).toContain('| known item (1) |');
  for (const title of ['MiniSearch 7.2, basic usage', 'ours, keyword search', 'ours, hybrid'])
    expect(stdout).toContain(title);

  const names = ['minisearch', 'bm25', 'vector', 'hybrid', 'keyword'];
  const files = ['known-item', 'made-up', 'made-up-put-in-english'].flatMap((set) =>
    names.map((name) => `${set}.${name}.run`),
  );
  expect(readdirSync(runs).sort()).toEqual(files.sort());
  const found = await readRun(join(runs, 'made-up.minisearch.run'));
  // A search that knows no copies shows both.
  expect(
    found
      .get('en-001')
      ?.slice(0, 2)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(['forms', 'forms-copy']);
  const ours = await readRun(join(runs, 'made-up.hybrid.run'));
  expect(ours.get('en-001')?.map(({ id }) => id)).not.toContain('forms-copy');
});
