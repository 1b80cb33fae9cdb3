import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Help } from 'commander';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/index.js';
import { buildCatalogue } from '../../src/index.js';
import { OpenLoad } from '../../src/store/writing.js';
import { changeIn, contentOf, filesBeside, traceOf } from '../catalogue-file.js';
import { fruitFolder } from '../evaluation/fruit.js';
import { row, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { loadItems } from '../store/store-items.js';
import { linesOf, outOf, runCaptured } from './run-captured.js';

/** What stands for a file or folder of the test in the words of a command. */
const PLACES: Readonly<Record<string, () => string | Promise<string>>> = {
  DB: () => catalogue(),
  FRUIT: () => fruitFolder(),
  EMPTY: () => scratchFolder(),
};

/** Words of a command line with blanks between; those in double quotes have blanks within. */
function wordsIn(line: string): Promise<string[]> {
  const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
  return Promise.all(words.map((word) => PLACES[word]?.() ?? word));
}

describe('wrong words on the command line', () => {
  const POSTGRES = 'postgres://u@127.0.0.1:1/d';

  test.each<[string, RegExp]>([
    ['frobnicate', /unknown command 'frobnicate'/],
    ['--frobnicate', /unknown option '--frobnicate'/],
    ['search pdf --colour', /unknown option '--colour'/],
    ['search', /missing required argument 'words'/],
    ['search ""', /q is empty/],
    ['search pdf --limit 0', /limit must be an integer from 1 to 50, got 0/],
    ['search pdf --limit 1.0', /--limit.*'1\.0'/],
    ['search pdf --sort newest', /--sort.*'newest'.*relevance, recent, stars/],
    ['search pdf --category "Data AI"', /category must be a slug.*"Data AI"/],
    ['search pdf --format xml', /--format.*'xml'.*available-skills, list/],
    ['search pdf --max-tokens 9', /'--max-tokens' needs --format/],
    ['search pdf --json --format list', /'--format' cannot be used with --json/],
    ['search pdf --min-stars -1', /--min-stars/],
    ['search pdf --updated-before 2026-02-30', /updatedBefore must be .*"2026-02-30"/],
    ['search pdf --facets author,tag', /--facets.*Allowed are category, occupation, author/],
    ['search pdf --mode semantic --facets author', /'--facets' needs --mode keyword/],
    ['search pdf --min-score 0.5', /'--min-score' needs --mode semantic/],
    ['search pdf --mode semantic --min-score high', /decimal number/],
    ['search pdf --mode semantic --limit 101', /limit must be an integer from 1 to 100/],
    ['list pdf', /too many arguments/],
    ['list --sort relevance', /--sort.*'relevance'.*recent, stars/],
    ['list --updated-after 20260131', /--updated-after.*'20260131'.*such as 2026-01-31/],
    ['list --cache folder', /--cache is for a catalogue/],
    ['list --database-password-file file', /--database-password-file is for a catalogue/],
    ['list --database postgres://u:zebra@h/d', /the address of --database has a password/],
    ['show', /missing required argument 'id'/],
    ['load', /missing required argument 'source' \(or --installed\)/],
    ['load . --agent codex', /--agent says whose installed skills are meant: add --installed/],
    ['load a --poll-interval 100', /add --watch/],
    ['load a --watch --strict', /--strict cannot be used with --watch/],
    ['watch -', /sources of a watch must be paths/],
    ['watch . --poll-interval 1', /pollInterval must be an integer from 50/],
    ['mcp --watch', /--watch needs the sources to watch/],
    ['mcp --watch . --database postgres://h/d', /load into a file/],
    ['serve --poll', /add --watch/],
    ['serve --port 99999', /--port.*'99999'/],
    ['serve --trust-proxy nonsense --database DB', /trustProxy/],
    ['serve --log-level loud', /--log-level.*'loud'/],
    ['serve --look-every 0', /It must be from 1 to 86400/],
    ['serve --look-every 5', /--look-every is for a catalogue/],
    ['serve --metrics-host x', /--metrics-host is for metrics/],
    ['serve --publish colour:red', /--publish.*'colour:red'/],
    ['serve --state-connections 2', /--state-connections is for a --state in PostgreSQL/],
    ['serve --allow-anonymous-if-quota-db-unavailable', /is for a --state in PostgreSQL/],
    ['snapshot', /required option '--to <folder>'/],
    ['snapshot --to x --database https://example.org/m.json', /path of a file here/],
    ['keys create mine', /too many arguments/],
    ['keys create --daily 2147483648', /daily must be an integer.*2147483648/],
    ['keys revoke', /missing required argument 'key'/],
    [`keys list --state ${POSTGRES} --database-password-file f`, /give --state-password-file/],
    ['keys list --database-password-file f', /--database-password-file is for keys in/],
    ['keys list --state mysql://u:zebra@h/d', /--state must be the path.* begins with mysql:/],
    ['evaluate', /missing required argument 'benchmark'/],
    ['evaluate FRUIT --filter ^nothing$', /no question .* fits \/\^nothing\$\//],
    ['evaluate FRUIT --depth 101 --mode bm25', /depth must be a whole number from 1 to 100/],
    ['evaluate FRUIT --compare nowhere.run', /--compare must be a TREC run or one of bm25/],
    ['evaluate FRUIT --database a --catalogue b', /'--catalogue' cannot be used with '--database'/],
    ['evaluate FRUIT --ask latin', /no question of .* has a text "latin": their texts are/],
    ['evaluate FRUIT --no-files --extra-files b', /'--extra-files' cannot be used with/],
    ['install', /missing required argument 'id'/],
    ['install a --agent nobody', /Agents are /],
    ['install a --agent codex --to x', /'--to <folder>' cannot be used with option '--agent <name>'/],
    ['agents --agent codex --all', /cannot be used with option/],
  ])('%s: one clear line, status 2', async (line, message) => {
    const words = await wordsIn(line);
    // Nothing is there: what is wrong is told before anything is opened.
    const takesNone = words.length < 2 || words.includes('--database') || /^(help|agents|evaluate)$/.test(words[0]!);
    const { status, out, error } = await runCaptured(
      takesNone ? words : [...words, '--database', scratchFile('none.db')],
    );
    expect(linesOf(error)).toEqual([expect.stringMatching(message)]);
    expect(error).toMatch(/^error: /);
    expect([status, out]).toEqual([2, '']);
    expect(error).not.toContain('zebra');
  });

  test.each<[string, RegExp]>([
    ['evaluate nowhere', /there is no file or folder nowhere/],
    ['evaluate EMPTY', /is not a benchmark: it lacks queries\.jsonl/],
    ['evaluate FRUIT --without nowhere.txt --mode bm25', /there is no file nowhere\.txt/],
    ['evaluate FRUIT --model nowhere', /no model folder at .*nowhere/],
    ['serve --port 0 --model nowhere --database DB', /no model folder at .*nowhere/],
    ['serve --port 0 --state postgres://u@127.0.0.1:1/d --database DB', /is PostgreSQL running/],
    ['load nowhere.jsonl --database DB', /there is no file or folder nowhere\.jsonl/],
    ['search pdf --database http://127.0.0.1:1/manifest.json', /cannot fetch the snapshot/],
    ['show nobody --database DB', /no skill has the id "nobody"/],
  ])('%s fails: one clear line, status 1', async (line, message) => {
    const { status, out, error } = await runCaptured(await wordsIn(line));
    expect(linesOf(error)).toEqual([expect.stringMatching(message)]);
    expect([status, out]).toEqual([1, '']);
  });

  test('no words at all show the help, as an error', async () => {
    const { status, out, error } = await runCaptured([]);
    expect([status, out]).toEqual([2, '']);
    expect(error).toMatch(/^Usage: skill-discovery/);
  });
});

test.each([
  [['--help'], /Usage: skill-discovery/],
  [['load', '--help'], /Usage: skill-discovery load.*\[source\.\.\.\]/],
  [['--version'], /^\d+\.\d+\.\d+\n$/],
])('help %j goes to standard output, status 0', async (words, text) => {
  const out = await outOf(words);
  expect(out).toMatch(text);
});

describe('a database that cannot be used', () => {
  const BAD: Record<string, { make: (path: string) => void; message: RegExp }> = {
    'a text file': { make: (path) => writeFileSync(path, 'notes\n'.repeat(300)), message: /is no database/ },
    'an empty file': { make: (path) => writeFileSync(path, ''), message: /not a catalogue/ },
    'a folder': { make: (path) => mkdirSync(path), message: /is not a file/ },
    'a database of another program': {
      make: (path) => {
        writeFileSync(path, '');
        changeIn(path, 'CREATE TABLE notes (text)');
      },
      message: /not a catalogue/,
    },
    'a catalogue of another format': {
      make: (path) => {
        loadItems(path, [], false);
        changeIn(path, 'PRAGMA user_version = 99');
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

  test('one that another load works on is told as such', async () => {
    const database = await catalogue();
    const rows = scratchFile('rows.jsonl');
    writeJsonLines(rows, [row('b')]);
    const other = new OpenLoad(database, true);
    const { status, out, error } = await runCaptured(['load', rows, '--database', database, '--no-semantic']);
    other.close();

    expect([status, out]).toEqual([1, '']);
    expect(linesOf(error)).toEqual([expect.stringMatching(/another load into .*skills\.db is running/)]);
    expect([...contentOf(database).keys()]).toEqual(['a']);
  });
});

async function catalogue(): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ semantic: false, database, sources: [[row('a')]] });
  return database;
}

describe('the table of commands', () => {
  const NO_OUTPUT = { out: process.stdout, error: process.stderr };

  test.each(COMMANDS)('lists $name as the command itself would', async ({ name, usage, file }) => {
    const command = new Command(name);
    (await file()).setUp(command, NO_OUTPUT);
    expect(`${name} ${usage}`.trimEnd()).toBe(new Help().subcommandTerm(command));
  });

  test('gives each command its summary, in its own help and in that of the program', async () => {
    const program = await runCaptured(['--help']);
    const listed = program.out.replace(/\s+/g, ' ');
    for (const { name, usage, summary } of COMMANDS) {
      expect(listed).toContain([name, usage, summary].filter((part) => part !== '').join(' '));
      const { status, out } = await runCaptured([name, '--help']);
      expect([status, out.split('\n')[2]]).toEqual([0, summary]);
    }
  });
});
