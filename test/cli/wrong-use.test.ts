import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { Database } from '../../src/store/sqlite.js';
import { CatalogueWriter } from '../../src/store/write/catalogue-writer.js';
import { contentOf, filesBeside, traceOf } from '../catalogue-file.js';
import { row, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { linesOf, runCaptured } from './run-captured.js';

describe('wrong words on the command line', () => {
  test.each([
    ['an unknown command', ['frobnicate'], /unknown command 'frobnicate'/],
    ['an unknown option', ['search', 'pdf', '--colour'], /unknown option '--colour'/],
    ['an unknown option of the program', ['--frobnicate'], /unknown option '--frobnicate'/],
    ['search without words', ['search'], /missing required argument 'words'/],
    ['search for nothing', ['search', ''], /q is empty/],
    ['search for punctuation', ['search', '!?'], /q must contain a letter or a digit/],
    ['--limit 0', ['search', 'pdf', '--limit', '0'], /limit must be an integer from 1 to 50, got 0/],
    ['--limit 51', ['search', 'pdf', '--limit', '51'], /limit must be an integer from 1 to 50, got 51/],
    ['--limit -1', ['search', 'pdf', '--limit', '-1'], /--limit/],
    ['--limit 1.0', ['search', 'pdf', '--limit', '1.0'], /--limit.*'1\.0'/],
    ['--limit 1e1', ['search', 'pdf', '--limit', '1e1'], /--limit.*'1e1'/],
    ['--limit without a number', ['search', 'pdf', '--limit', ''], /--limit/],
    ['--limit without a value', ['search', 'pdf', '--limit'], /--limit/],
    ['--page 0', ['search', 'pdf', '--page', '0'], /page must be an integer from 1 to 50, got 0/],
    ['--page 51', ['search', 'pdf', '--page', '51'], /page must be an integer from 1 to 50, got 51/],
    [
      '--page 99999999999999999999',
      ['search', 'pdf', '--page', '9'.repeat(20)],
      /page must be an integer from 1 to 50/,
    ],
    ['--sort wrong', ['search', 'pdf', '--sort', 'newest'], /--sort.*'newest'.*relevance, recent, stars/],
    ['--copies wrong', ['search', 'pdf', '--copies', 'all'], /--copies.*'all'.*collapse, keep/],
    ['--category wrong', ['search', 'pdf', '--category', 'Data AI'], /category must be a slug.*"Data AI"/],
    ['--category empty', ['search', 'pdf', '--category', ''], /category must be a slug/],
    ['--occupation wrong', ['search', 'pdf', '--occupation', '15_0000'], /occupation must be a slug/],
    ['--format wrong', ['search', 'pdf', '--format', 'xml'], /--format.*'xml'.*available-skills, list/],
    ['--max-tokens wrong', ['search', 'pdf', '--format', 'list', '--max-tokens', '-1'], /--max-tokens/],
    ['--max-tokens alone', ['search', 'pdf', '--max-tokens', '9'], /'--max-tokens' needs --format/],
    ['--format with --json', ['search', 'pdf', '--json', '--format', 'list'], /'--format' cannot be used with --json/],
    ['--author empty', ['search', 'pdf', '--author', ''], /author must be a user name of 1 to 200 characters/],
    [
      '--license empty',
      ['search', 'pdf', '--license', ' '],
      /license must be the name of a license of 1 to 200 characters/,
    ],
    ['--agent wrong', ['list', '--agent', 'Claude Code'], /agent must be a slug .* got "Claude Code"/],
    ['--scope wrong', ['list', '--scope', 'global'], /--scope.*'global'.*project, user, plugin, system/],
    ['--min-stars -1', ['search', 'pdf', '--min-stars', '-1'], /--min-stars/],
    ['--min-stars 1.0', ['search', 'pdf', '--min-stars', '1.0'], /--min-stars.*'1\.0'/],
    ['--updated-after a year', ['list', '--updated-after', '2026'], /--updated-after.*'2026'.*such as 2026-01-31/],
    [
      '--updated-after without hyphens',
      ['list', '--updated-after', '20260131'],
      /--updated-after.*'20260131'.*such as 2026-01-31/,
    ],
    [
      '--updated-after wrong',
      ['list', '--updated-after', 'May 1'],
      /updatedAfter must be .*a date \(2026-01-31\).*"May 1"/,
    ],
    [
      '--updated-before no day',
      ['search', 'pdf', '--updated-before', '2026-02-30'],
      /updatedBefore must be .*"2026-02-30"/,
    ],
    [
      '--facets wrong',
      ['search', 'pdf', '--facets', 'author,tag'],
      /--facets.*Allowed are category, occupation, author/,
    ],
    [
      '--facets by meaning',
      ['search', 'pdf', '--mode', 'semantic', '--facets', 'author'],
      /'--facets' needs --mode keyword/,
    ],
    [
      '--format with --facets',
      ['search', 'pdf', '--format', 'list', '--facets', 'author'],
      /cannot be used with --facets/,
    ],
    ['list with words', ['list', 'pdf'], /too many arguments/],
    ['list --page 0', ['list', '--page', '0'], /page must be an integer of at least 1, got 0/],
    ['list --limit 51', ['list', '--limit', '51'], /limit must be an integer from 1 to 50, got 51/],
    ['list --sort wrong', ['list', '--sort', 'relevance'], /--sort.*'relevance'.*recent, stars/],
    ['load without a source', ['load'], /missing required argument 'source'/],
    ['show without an id', ['show'], /missing required argument 'id'/],
    ['show with two ids', ['show', 'a', 'b'], /too many arguments/],
    ['--database without a file', ['show', 'a', '--database'], /--database/],
  ])('%s: one clear line, status 2', async (_, words, message) => {
    const database = await catalogue();
    const withDatabase = words.includes('--database') || words.length < 2 ? words : [...words, '--database', database];
    const { status, out, error } = await runCaptured(withDatabase);

    expect(linesOf(error)).toEqual([expect.stringMatching(message)]);
    expect(error).toMatch(/^error: /);
    expect([status, out]).toEqual([2, '']);
  });

  test('no words at all show the help, as an error', async () => {
    const { status, out, error } = await runCaptured([]);
    expect([status, out]).toEqual([2, '']);
    expect(error).toMatch(/^Usage: skill-discovery/);
  });

  test('are told before the catalogue is looked for', async () => {
    const { status, error } = await runCaptured([
      'search',
      'pdf',
      '--limit',
      '0',
      '--database',
      scratchFile('none.db'),
    ]);
    expect([status, linesOf(error)]).toEqual([2, [expect.stringContaining('limit')]]);
  });
});

describe('help', () => {
  test.each([
    [['--help'], /Usage: skill-discovery/],
    [['help', 'search'], /Usage: skill-discovery search/],
    [['load', '--help'], /Usage: skill-discovery load.*\[source\.\.\.\]/],
    [['load', '--help'], /--git-seconds <n> [^-]*0\s+reads\s+remotes only/],
    [['search', '--help'], /Usage: skill-discovery search.*<words\.\.\.>/],
    [['show', '--help'], /Usage: skill-discovery show.*<id>/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
  ])('%j goes to standard output, status 0', async (words, text) => {
    const { status, out, error } = await runCaptured(words);
    expect([status, error]).toEqual([0, '']);
    expect(out).toMatch(text);
  });
});

describe('a database that cannot be used', () => {
  const BAD: Record<string, { make: (path: string) => void; message: RegExp }> = {
    'a text file': { make: (path) => writeFileSync(path, 'notes\n'.repeat(300)), message: /is no database/ },
    'an empty file': { make: (path) => writeFileSync(path, ''), message: /not a catalogue/ },
    'a folder': { make: (path) => mkdirSync(path), message: /is not a file/ },
    'a database of another program': {
      make: (path) => {
        const database = new Database(path);
        database.exec('CREATE TABLE notes (text)');
        database.close();
      },
      message: /not a catalogue/,
    },
    'a catalogue of another format': {
      make: (path) => {
        new CatalogueWriter(path, undefined, false).finish();
        const database = new Database(path);
        database.pragma('user_version = 99');
        database.close();
      },
      message: /format 99, this version reads format \d/,
    },
  };

  test.each(Object.entries(BAD))(
    '%s: one clear line, status 1, and it stays as it was',
    async (_, { make, message }) => {
      const folder = scratchFolder();
      const database = join(folder, 'skills.db');
      make(database);
      writeJsonLines(join(folder, 'rows.jsonl'), [row('a')]);
      const before = _ === 'a folder' ? undefined : traceOf(database);

      for (const words of [
        ['search', 'pdf'],
        ['show', 'a'],
        ['load', join(folder, 'rows.jsonl')],
      ]) {
        const { status, out, error } = await runCaptured([...words, '--database', database]);
        expect([words[0], status, out]).toEqual([words[0], 1, '']);
        expect(linesOf(error)).toEqual([expect.stringMatching(message)]);
        expect(error).toContain('skills.db');
      }
      if (before !== undefined) expect(traceOf(database)).toEqual(before);
      expect(filesBeside(database)).toEqual([]);
    },
  );

  test('one that is missing is told with what to do', async () => {
    for (const words of [
      ['search', 'pdf'],
      ['show', 'a'],
    ]) {
      const { status, out, error } = await runCaptured([...words, '--database', scratchFile('none.db')]);
      expect([status, out]).toEqual([1, '']);
      expect(linesOf(error)).toEqual([expect.stringMatching(/no catalogue at .*none\.db.*skill-discovery load/)]);
    }
  });

  test('one below a file is told in terms of the user', async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'file'), 'text');
    writeJsonLines(join(folder, 'rows.jsonl'), [row('a')]);
    const database = join(folder, 'file', 'skills.db');

    const loaded = await runCaptured(['load', join(folder, 'rows.jsonl'), '--database', database, '--no-semantic']);
    expect([loaded.status, loaded.out]).toEqual([1, '']);
    expect(linesOf(loaded.error)).toEqual([expect.stringMatching(/cannot write .*file\/skills\.db/)]);
    const searched = await runCaptured(['search', 'pdf', '--database', database]);
    expect([searched.status, searched.out]).toEqual([1, '']);
    expect(linesOf(searched.error)).toEqual([expect.stringMatching(/no catalogue at .*file\/skills\.db/)]);
  });

  test('one in a folder that does not exist cannot be loaded into', async () => {
    const folder = scratchFolder();
    writeJsonLines(join(folder, 'rows.jsonl'), [row('a')]);
    const database = join(folder, 'missing', 'skills.db');
    const { status, error } = await runCaptured([
      'load',
      join(folder, 'rows.jsonl'),
      '--database',
      database,
      '--no-semantic',
    ]);
    expect([status, linesOf(error)]).toEqual([1, [expect.stringMatching(/cannot write .*missing\/skills\.db/)]]);
  });

  test('one that another load works on is told as such', async () => {
    const database = await catalogue();
    const rows = scratchFile('rows.jsonl');
    writeJsonLines(rows, [row('b')]);
    const other = new CatalogueWriter(database, undefined, true);
    const { status, out, error } = await runCaptured(['load', rows, '--database', database, '--no-semantic']);
    other.close();

    expect([status, out]).toEqual([1, '']);
    expect(linesOf(error)).toEqual([expect.stringMatching(/another load into .*skills\.db is running/)]);
    expect([...contentOf(database).keys()]).toEqual(['a']);
  });
});

describe('a source that cannot be used', () => {
  test.each([
    ['missing.jsonl', /there is no file or folder .*missing\.jsonl/],
    ['notes.txt', /notes\.txt is not of a kind that can be read/],
    ['SKILL.md', /SKILL\.md is a single SKILL\.md: give the folder/],
  ])('%s: one clear line, status 1, nothing written', async (name, message) => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'notes.txt'), 'notes');
    writeFileSync(join(folder, 'SKILL.md'), '# notes');
    const database = join(folder, 'skills.db');

    const { status, out, error } = await runCaptured([
      'load',
      join(folder, name),
      '--database',
      database,
      '--no-semantic',
    ]);
    expect([status, out]).toEqual([1, '']);
    expect(linesOf(error)).toEqual([expect.stringMatching(message)]);
    expect(filesBeside(join(folder, 'skills'))).toEqual([]);
  });
});

async function catalogue(): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ semantic: false, database, sources: [[row('a')]] });
  return database;
}
