import { describe, expect, test } from 'vitest';
import { buildCatalogue, type KeywordResult, type ListResult } from '../../src/index.js';
import { Database } from '../../src/store/sqlite.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { linesOf, runCaptured } from './run-captured.js';

const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);
const ROWS = [
  row('o-kite', {
    name: 'kite',
    author: 'octo',
    description: 'Builds kites\nof paper',
    license: 'MIT',
    stars: 1200,
    updatedAt: now - 3 * DAY - 60,
    categories: ['toys', 'paper'],
    installations: [{ agent: 'codex', scope: 'user' }],
  }),
  row('o-boat', {
    name: 'boat',
    author: 'Octo',
    description: 'Folds boats',
    stars: 7,
    updatedAt: now - 40 * DAY,
    categories: ['paper'],
    installations: [{ agent: 'codex', scope: 'project' }],
    metadata: { internal: 'true' },
  }),
  row('m-saw', { name: 'saw', author: 'mill', description: 'Cuts wood', license: 'mit', stars: 2000 }),
];

async function catalogueOf(rows: readonly Row[] = ROWS): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, sources: [{ name: 'rows', rows }], semantic: false });
  return database;
}

async function json<Result>(database: string, ...words: string[]): Promise<Result> {
  const { status, out, error } = await runCaptured([...words, '--json', '--database', database]);
  expect([status, error]).toEqual([0, '']);
  return JSON.parse(out) as Result;
}

describe('list', () => {
  test('prints name, author, stars and age of each skill, its description and its id, the latest first', async () => {
    const { status, out, error } = await runCaptured(['list', '--database', await catalogueOf()]);
    expect([status, error]).toEqual([0, '']);
    expect(linesOf(out)).toEqual([
      expect.stringMatching(/^kite {2}octo {2}★ 1,200 {2}3 days$/),
      '  Builds kites of paper',
      '  o-kite',
      '',
      expect.stringMatching(/^boat {2}Octo {2}★ 7 {6}\S/),
      '  Folds boats',
      '  o-boat',
      '',
      expect.stringMatching(/^saw {3}mill {2}★ 2,000 {2}\S/),
      '  Cuts wood',
      '  m-saw',
      '',
      '3 skills',
    ]);
  });

  test.each<[string[], string[]]>([
    [
      ['--sort', 'stars'],
      ['m-saw', 'o-kite', 'o-boat'],
    ],
    [
      ['--author', 'OCTO'],
      ['o-kite', 'o-boat'],
    ],
    [['--category', 'toys'], ['o-kite']],
    [
      ['--license', 'MIT'],
      ['o-kite', 'm-saw'],
    ],
    [
      ['--min-stars', '1200'],
      ['o-kite', 'm-saw'],
    ],
    [['--updated-after', String(now - 10 * DAY)], ['o-kite']],
    [['--updated-before', new Date((now - 10 * DAY) * 1000).toISOString()], ['o-boat']],
    [['--updated-after', '2001-01-01', '--min-stars', '8'], ['o-kite']],
    [['--occupation', 'cooks'], []],
    [
      ['--agent', 'codex'],
      ['o-kite', 'o-boat'],
    ],
    [['--agent', 'codex', '--scope', 'user'], ['o-kite']],
    [['--scope', 'project'], ['o-boat']],
    [['--invocable'], ['o-kite', 'm-saw']],
    [['--no-invocable'], ['o-boat']],
    [['--limit', '1', '--page', '3'], ['m-saw']],
  ])('with %j lists what is asked for', async (options, ids) => {
    const { hits } = await json<ListResult>(await catalogueOf(), 'list', ...options);
    expect(hits.map(({ skill }) => skill.id)).toEqual(ids);
  });

  test('tells which page it is, and that there is none behind the last', async () => {
    const database = await catalogueOf();
    const second = await runCaptured(['list', '--limit', '1', '--page', '2', '--database', database]);
    expect(linesOf(second.out).at(-1)).toBe('2 to 2 of 3 skills, page 2 of 3');
    const fourth = await runCaptured(['list', '--limit', '1', '--page', '4', '--database', database]);
    expect([fourth.status, linesOf(fourth.out)]).toEqual([0, ['There is no page 4: 3 skills are on 3 pages.']]);
    const none = await runCaptured(['list', '--min-stars', '9999', '--database', database]);
    expect([none.status, linesOf(none.out)]).toEqual([0, ['No skill matches.']]);
  });

  test('shows copies as one with --copies collapse', async () => {
    const copies = ['a', 'b'].map((id) => row(id, { name: 'same', description: 'same' }));
    const { out } = await runCaptured(['list', '--copies', 'collapse', '--database', await catalogueOf(copies)]);
    expect(linesOf(out)[0]).toContain('2 copies');
    expect(linesOf(out).at(-1)).toBe('1 skill');
  });

  test('says which skills are damaged', async () => {
    const database = await catalogueOf();
    const change = new Database(database);
    change.exec("UPDATE revision SET record = replace(record, 'Cuts', 'Puts')");
    change.close();
    const { status, out, error } = await runCaptured(['list', '--database', database]);
    expect([status, linesOf(out)]).toEqual([0, expect.not.arrayContaining(['  m-saw'])]);
    expect(linesOf(error)).toEqual([expect.stringMatching(/^damaged: the skill m-saw: .*; load its source again$/)]);
  });

  test('of a catalogue that is not there is an error', async () => {
    const { status, out, error } = await runCaptured(['list', '--database', scratchFile('nothing.db')]);
    expect([status, out, linesOf(error)]).toEqual([1, '', [expect.stringMatching(/^error: /)]]);
  });
});

describe('--facets', () => {
  test('of list and search counts the skills of all pages, below them', async () => {
    const database = await catalogueOf();
    const expected = ['3 skills', '', 'author', '  octo  2', '  mill  1', '', 'occupation', '  none'];
    const listed = await runCaptured(['list', '--facets', 'author,occupation', '--database', database]);
    expect(linesOf(listed.out).slice(-expected.length)).toEqual(expected);
    const { facets } = await json<KeywordResult>(
      database,
      'search',
      'paper',
      '--limit',
      '1',
      '--facets',
      'license, author',
    );
    expect(facets).toEqual({ license: [{ value: 'MIT', count: 1 }], author: [{ value: 'octo', count: 2 }] });
  });

  test('shows ten values of each, and says how many are left', async () => {
    const rows = Array.from({ length: 14 }, (_, i) =>
      row(`s${i}`, { author: `author-${i % 12}`, description: 'kite' }),
    );
    const { out } = await runCaptured(['search', 'kite', '--facets', 'author', '--database', await catalogueOf(rows)]);
    const lines = linesOf(out);
    expect(lines.slice(lines.indexOf('author'))).toEqual(
      [
        'author',
        '  author-0  2',
        '  author-1  2',
        '  author-10  1',
        '  author-11  1',
        ...[2, 3, 4, 5, 6, 7].map((i) => `  author-${i}   1`),
        '  and 2 more',
      ].map((line) => line.replace(/^( {2}author-\d) +/, '$1   ')),
    );
  });
});

describe('search', () => {
  test.each<[string[], string[]]>([
    [['--license', 'mit'], ['o-kite']],
    [['--min-stars', '8'], ['o-kite']],
    [['--agent', 'codex', '--invocable'], ['o-kite']],
    [['--no-invocable'], ['o-boat']],
    [['--updated-before', String(now - 10 * DAY)], ['o-boat']],
  ])('keeps to %j, by words and by words alone of a semantic search', async (options, ids) => {
    const database = await catalogueOf();
    const idsOf = ({ hits }: Pick<ListResult, 'hits'>): string[] => hits.map(({ skill }) => skill.id);
    expect(idsOf(await json<KeywordResult>(database, 'search', 'paper', ...options))).toEqual(ids);
    const semantic = ['search', 'paper', '--mode', 'semantic', '--ranking', 'words', ...options];
    expect(idsOf(await json<ListResult>(database, ...semantic))).toEqual(ids);
  });
});
