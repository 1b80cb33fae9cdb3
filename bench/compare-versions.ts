// Compares this checkout with another one, both built, by words and by start:
//
//     npm run bench:compare -- OTHER OTHER_DATABASE DATABASE [ROUNDS]
//
// OTHER is the other checkout, the databases are the same sources loaded by each. Versions take turns, each in a
// process of its own, so the ratios hold on a machine that is not idle.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomNumbers } from '../src/evaluation/compare.js';
import { openSkillSearch, STOP_WORDS } from '../src/index.js';
import { markdownTable } from './markdown-table.js';
import { pick } from './random.js';
import { median, quantile } from './statistics.js';

const QUESTIONS_A_CLASS = 100;
const DESCRIPTIONS = 6000;

interface Version {
  readonly checkout: string;
  readonly database: string;
}

/** Questions by class, made of the descriptions of skills drawn at random, the same each time. */
async function makeQuestions(database: string): Promise<Record<string, string[]>> {
  await using search = await openSkillSearch({ database });
  const random = randomNumbers(1);
  const ids = search.ids();
  const descriptions = Array.from({ length: DESCRIPTIONS }, () => search.get(pick(random, ids))!.description);
  const frequencies = new Map<string, number>();
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  for (const description of descriptions) {
    for (const word of new Set(wordsOf(description))) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  }
  const byFrequency = [...frequencies].filter(([word]) => !STOP_WORDS.includes(word)).sort((a, b) => b[1] - a[1]);
  const wordsNotIn = (most: number): string[] =>
    byFrequency.filter(([, frequency]) => frequency <= most).map(([word]) => word);
  const runs = (length: number): string[] =>
    Array.from({ length: QUESTIONS_A_CLASS }, () => {
      let words: string[] = [];
      while (words.length <= length) words = wordsOf(pick(random, descriptions));
      const start = Math.floor(random() * (words.length - length));
      return words.slice(start, start + length).join(' ');
    });
  const misspell = (word: string): string => {
    const dropped = 2 + Math.floor(random() * (word.length - 4));
    return word.slice(0, dropped) + word.slice(dropped + 1);
  };
  const first = (words: readonly string[]): string[] => words.slice(0, QUESTIONS_A_CLASS);
  return {
    'one common word': first(byFrequency.map(([word]) => word)),
    'one rare word': first(wordsNotIn(2)),
    'two words': runs(2),
    'five words': runs(5),
    'a phrase': runs(2).map((words) => `"${words}"`),
    'a misspelt word': first(byFrequency.map(([word]) => word).filter((word) => word.length > 6)).map(misspell),
    '150 characters of a description': first(
      descriptions.map((text) => text.replaceAll('"', '').slice(20, 170)).filter((text) => /[a-z]{4}/.test(text)),
    ),
  };
}

function run(args: readonly string[]): { readonly output: string; readonly milliseconds: number } {
  const started = performance.now();
  const output = execFileSync(process.execPath, args, { encoding: 'utf8' });
  return { output, milliseconds: performance.now() - started };
}

const libraryOf = ({ checkout }: Version): string => join(checkout, 'dist/index.js');
const programOf = (name: string): string => fileURLToPath(new URL(`programs/${name}`, import.meta.url));

/** Runs something for each version, in turns. */
function inTurns<T>(versions: readonly Version[], rounds: number, work: (version: Version) => T): T[][] {
  const results: T[][] = versions.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [v, version] of versions.entries()) results[v]!.push(work(version));
  }
  return results;
}

const medianRatio = (before: readonly number[], after: readonly number[]): string =>
  median(before.map((figure, round) => after[round]! / figure)).toFixed(2);

function compareWords(versions: readonly Version[], rounds: number, file: string): string {
  type Times = Readonly<Record<string, readonly number[]>>;
  const [before, after] = inTurns(
    versions,
    rounds,
    (version): Times =>
      JSON.parse(run([programOf('ask-classes.mjs'), libraryOf(version), version.database, file]).output),
  );
  const rows = Object.keys(before![0]!).map((name) => {
    const at = (version: readonly Times[], share: number): number[] =>
      version.map((times) => quantile(times[name]!, share));
    const cell = (version: readonly Times[]): string =>
      `${median(at(version, 0.5)).toFixed(3)} / ${median(at(version, 0.99)).toFixed(2)}`;
    return [name, cell(before!), cell(after!), medianRatio(at(before!, 0.5), at(after!, 0.5))];
  });
  return markdownTable(['100 questions', 'before p50 / p99 ms', 'after p50 / p99 ms', 'ratio of p50'], rows);
}

function compareStarts(versions: readonly Version[], rounds: number): string {
  const programs: Record<string, (version: Version) => string[]> = {
    'node -e 0': () => ['-e', '0'],
    'help of the command line': ({ checkout }) => [join(checkout, 'dist/cli/main.js'), '--help'],
    'import of the library': (version) => ['--input-type=module', '-e', `await import('${libraryOf(version)}')`],
    'first answer': (version) => [programOf('first-answer.mjs'), libraryOf(version), version.database, 'react testing'],
  };
  const rows = Object.entries(programs).map(([name, argsOf]) => {
    const [before, after] = inTurns(versions, rounds, (version) => run(argsOf(version)).milliseconds);
    return [name, median(before!).toFixed(0), median(after!).toFixed(0), medianRatio(before!, after!)];
  });
  return markdownTable(['a process', 'before ms', 'after ms', 'ratio'], rows);
}

const [other, otherDatabase, database, rounds = '7'] = process.argv.slice(2);
if (other === undefined || otherDatabase === undefined || database === undefined) {
  console.error('usage: npm run bench:compare -- OTHER_CHECKOUT OTHER_DATABASE DATABASE [ROUNDS]');
  process.exit(2);
}
const versions: readonly Version[] = [
  { checkout: resolve(other), database: resolve(otherDatabase) },
  { checkout: fileURLToPath(new URL('..', import.meta.url)), database: resolve(database) },
];
const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-compare-'));
try {
  const file = join(folder, 'questions.json');
  writeFileSync(file, JSON.stringify(await makeQuestions(versions[1]!.database)));
  console.log(compareStarts(versions, 3 * Number(rounds)));
  console.log();
  console.log(compareWords(versions, Number(rounds), file));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
