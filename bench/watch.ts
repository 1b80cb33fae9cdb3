import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomNumbers } from '../src/evaluation/compare.js';
import { type FollowedSearch, followCatalogue, watchSources } from '../src/index.js';
import { machineName } from './machine.js';
import { markdownTable } from './markdown-table.js';
import { median } from './statistics.js';

// Watches a folder of generated skills, and measures how long changes take until a search finds them, and whether
// memory and handles grow with their number.
//
//     npm run bench:watch -- --skills 1000 --changes 10000

const { values } = parseArgs({
  options: {
    skills: { type: 'string', default: '1000' },
    changes: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '20' },
    polling: { type: 'boolean', default: false },
    meaning: { type: 'boolean', default: false },
  },
});
const [skills, changes, rounds] = [values.skills, values.changes, values.rounds].map(Number) as [
  number,
  number,
  number,
];

/** Longest wait for one change, in milliseconds. */
const PATIENCE = 600_000;
/** Changes between two looks at the memory. */
const STEP = 1000;
/** Changes that are written before their last one is waited for. */
const BURST = 50;

const random = randomNumbers(1);
const home = await mkdtemp(join(tmpdir(), 'watch-bench-'));
try {
  console.log(`${machineName()}\n`);
  await measure();
} finally {
  await rm(home, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const source = join(home, 'skills');
  for (let i = 0; i < skills; i++) await write(source, i, 'as generated');
  const database = join(home, 'skills.db');
  const started = performance.now();
  const problems: string[] = [];
  await using _watch = await watchSources({
    ...{ database, sources: [source], polling: values.polling, semantic: values.meaning ? undefined : false },
    onProblem: ({ message }) => problems.push(message),
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${skills.toLocaleString('en')} skills: first load after ${seconds} s\n`);
  await using search = await followCatalogue({ database });
  await printLatencies(search, source);
  await printGrowth(search, source);
  if (problems.length > 0) console.log(`\nproblems:\n${problems.join('\n')}`);
}

/** How long changes take, one after the other. */
async function printLatencies(search: FollowedSearch, source: string): Promise<void> {
  const kinds: Record<string, (round: number) => Promise<number>> = {
    added: (round) => timed(search, `added${round}x`, true, () => write(source, skills + round, `added${round}x`)),
    changed: (round) =>
      timed(search, `changed${round}x`, true, () => write(source, skills + round, `changed${round}x`)),
    removed: (round) =>
      timed(search, `changed${round}x`, false, () => rm(folderOf(source, skills + round), { recursive: true })),
  };
  const rows: string[][] = [];
  for (const [kind, change] of Object.entries(kinds)) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await change(round));
    rows.push([kind, ...[median(times), Math.max(...times)].map((time) => (time / 1000).toFixed(2))]);
  }
  console.log(markdownTable(['a skill is', 'found after, median (s)', 'at most (s)'], rows));
}

/** What many changes leave in memory and in the system. */
async function printGrowth(search: FollowedSearch, source: string): Promise<void> {
  const rows: string[][] = [];
  const look = (done: number): void => {
    globalThis.gc?.();
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
    const memory = [rss, heapUsed, arrayBuffers].map((bytes) => (bytes / 1e6).toFixed(0));
    rows.push([done, ...memory, openFiles(), inotifyWatches(), process.getActiveResourcesInfo().length].map(String));
  };
  look(0);
  for (let done = 0; done < changes; ) {
    for (let i = 0; i < BURST; i++, done++) {
      const word = `change${done}x`;
      const skill = Math.floor(random() * skills);
      if (i < BURST - 1) await write(source, skill, word);
      else await timed(search, word, true, () => write(source, skill, word));
    }
    if (done % STEP === 0) look(done);
  }
  const columns = ['changes', 'RSS (MB)', 'heap (MB)', 'buffers (MB)', 'open files', 'inotify watches', 'resources'];
  console.log(`\n${markdownTable(columns, rows)}`);
}

async function timed(
  search: FollowedSearch,
  word: string,
  isFound: boolean,
  change: () => Promise<void>,
): Promise<number> {
  await change();
  const started = performance.now();
  // A word that is not there may be read as another.
  const isThere = (): boolean => search.keyword({ q: word }).hits.some(({ skill }) => skill.description.includes(word));
  while (isThere() !== isFound) {
    if (performance.now() - started > PATIENCE) throw new Error(`${word} is not found`);
    await sleep(10);
  }
  return performance.now() - started;
}

function folderOf(source: string, skill: number): string {
  return join(source, `group-${skill % 300}`, `skill-${skill}`);
}

async function write(source: string, skill: number, word: string): Promise<void> {
  const folder = folderOf(source, skill);
  if (!existsSync(folder)) await mkdir(join(folder, 'scripts'), { recursive: true });
  await writeFile(join(folder, 'scripts/run.py'), `print(${skill})\n`);
  const text = `---\nname: skill-${skill}\ndescription: Does thing ${skill}, ${word}.\n---\n\n${'Text of a skill. '.repeat(50)}\n`;
  await writeFile(join(folder, 'SKILL.md'), text);
}

function openFiles(): number {
  return existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0;
}

function inotifyWatches(): number {
  if (!existsSync('/proc/self/fdinfo')) return 0;
  let count = 0;
  for (const name of readdirSync('/proc/self/fdinfo')) {
    try {
      count += readFileSync(`/proc/self/fdinfo/${name}`, 'utf8').match(/^inotify wd/gm)?.length ?? 0;
    } catch {
      // Closed meanwhile.
    }
  }
  return count;
}
