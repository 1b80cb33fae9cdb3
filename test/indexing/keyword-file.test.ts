import { describe, expect, test } from 'vitest';
import { type ArrayTree, type NumberArray, numbersOf, treeOf } from '../../src/core/arrays/array-file-header.js';
import { arraysOf, readArrayFile, WORD_RULES, writeArrayFile } from '../../src/core/index.js';
import { buildCatalogue, openSkillSearch } from '../../src/index.js';
import { isCurrentKeywordFile, openKeywordFile } from '../../src/indexing/keyword-file.js';
import { filesBeside } from '../../src/store/files.js';
import { stampOf } from '../catalogue-file.js';
import { row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';

const MANY = 'deploy '.repeat(300);
const ROWS = ['react testing', 'release notes', 'résumé builder', '中文搜索', 'deploy'].map((name, i) =>
  row(`skill-${i}`, {
    name,
    description: `${name} for the data pipeline`,
    categories: ['web'],
    files: [{ filename: 'SKILL.md', text: `${name} reads release notes of the data pipeline ${MANY}` }],
  }),
);
const QUESTIONS = ['release notes', '"data pipeline"', '"deploy deploy"', 'pipelnie', 'rel', '中文', 'zzz', 'resume'];

/** The answers of a catalogue whose keyword file has one array replaced, its checksums right. */
async function answersWith(path: string, spoil: (array: NumberArray) => NumberArray): Promise<unknown[]> {
  const { database, tree } = await catalogueWithTree();
  const leaves = arraysOf(tree).map((leaf) => (leaf.path === path ? { path, value: spoil(leaf.value) } : leaf));
  write(database, treeOf([...numbersOf(tree), ...leaves]));
  return ask(database);
}

async function catalogueWithTree(): Promise<{ database: string; tree: ArrayTree }> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, sources: [{ name: 'rows', rows: ROWS }], semantic: false });
  const tree = await readArrayFile(filesBeside(database).keyword, { kind: 'keywords', origin: {} });
  return { database, tree: tree! };
}

function write(database: string, tree: ArrayTree): void {
  const origin = { wordRules: WORD_RULES, stamp: stampOf(database) };
  writeArrayFile(filesBeside(database).keyword, { kind: 'keywords', origin }, tree);
}

async function ask(database: string): Promise<unknown[]> {
  await using search = await openSkillSearch({ database });
  return QUESTIONS.map((q) => [search.keyword({ q }).hits.map(({ skill }) => skill.id), search.suggest(q)]);
}

describe('a keyword file that was made up, its checksums right', () => {
  test('is held against a rule for each of its arrays and numbers, which the file of a load keeps', async () => {
    const { database } = await catalogueWithTree();
    expect(await isCurrentKeywordFile(database, stampOf(database))).toBe(true);
    openKeywordFile(database, stampOf(database))!.file.close();
  });

  test.each([
    ['documents that are not there', 'keywords.postings.documents', (a: NumberArray) => a.fill(1000)],
    ['lists that begin behind the last', 'keywords.postings.listStarts', (a: NumberArray) => a.fill(2 ** 32 - 1)],
    ['entries that fall', 'keywords.postings.entryStarts', (a: NumberArray) => a.reverse()],
    ['terms that are not there', 'keywords.dictionary.stemTerms', (a: NumberArray) => a.fill(2 ** 31)],
    ['strings that begin outside', 'keywords.dictionary.forms.starts', (a: NumberArray) => a.fill(2 ** 31, 1)],
    ['frequencies no memory could hold', 'keywords.postings.manyFrequencies', (a: NumberArray) => a.fill(2 ** 32 - 1)],
    ['positions no memory could hold', 'keywords.postings.positions', (a: NumberArray) => a.fill(0xfe)],
    ['positions that never end', 'keywords.postings.positions', (a: NumberArray) => a.fill(0xff)],
    ['too few positions', 'keywords.postings.positions', (a: NumberArray) => a.slice(0, 1)],
    ['lengths no table could hold', 'keywords.greatestLengths', (a: NumberArray) => a.fill(2 ** 32 - 1)],
    ['too few lengths', 'keywords.lengths', (a: NumberArray) => a.slice(1)],
    ['names of documents that are not there', 'keywords.names.documents', (a: NumberArray) => a.fill(5)],
    ['completions by terms that are not there', 'keywords.completions.terms', (a: NumberArray) => a.fill(2 ** 31)],
    ['spellings that begin outside', 'keywords.completions.names.starts', (a: NumberArray) => a.fill(2 ** 31, 1)],
    ['too few counts of names', 'keywords.completions.nameCounts', (a: NumberArray) => a.slice(1)],
    ['columns that are too short', 'columns.stars', (a: NumberArray) => a.slice(1)],
    ['ranks beyond the last', 'columns.idRank', (a: NumberArray) => a.fill(2 ** 32 - 1)],
    ['labels of documents that are not there', 'columns.categories.documents', (a: NumberArray) => a.fill(77)],
    ['authors of documents that are not there', 'columns.authors.documents', (a: NumberArray) => a.fill(77)],
    ['labels that are no JSON', 'columns.categories.slugs', (a: NumberArray) => a.fill(0)],
    ['another number of labels', 'columns.categories.slugs', () => Buffer.from('["a","b","c"]')],
    ['arrays of another type', 'keywords.postings.documents', (a: NumberArray) => Float64Array.from(a)],
  ])('with %s is not believed, and the answers are those of the catalogue', async (_, path, spoil) => {
    expect(await answersWith(path, spoil)).toEqual(await answersWith('none', (array) => array));
  });

  test('is written anew by the next load', async () => {
    const { database, tree } = await catalogueWithTree();
    const leaves = arraysOf(tree).map(({ path, value }) => ({
      path,
      value: path === 'keywords.postings.documents' ? value.fill(9) : value,
    }));
    write(database, treeOf([...numbersOf(tree), ...leaves]));
    expect(await isCurrentKeywordFile(database, stampOf(database))).toBe(false);
    await buildCatalogue({ database, sources: [{ name: 'rows', rows: ROWS }], semantic: false });
    expect(await isCurrentKeywordFile(database, stampOf(database))).toBe(true);
  });
});
