// `npm run bench`: loads a catalogue and searches it, on generated data or on a file that is named, beside other search
// engines. See README.md here.
import { execSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openSkillSearch } from '../src/index.js';
import { derivedFiles } from '../src/store/files.js';
import { atMost, type Bar, round } from './bars.js';
import { measureCommandStarts, startsBars } from './command-starts.js';
import { writeGeneratedCatalogue } from './generated-catalogue.js';
import { GROWTH_HEAD, GROWTH_SIZES, growthPanels, growthRow, measureSize, type SizeFigures } from './growth.js';
import { growthPicture } from './growth-picture.js';
import { keywordBars, keywordTables } from './keyword-report.js';
import { measureKeyword } from './keyword-rounds.js';
import { type LoadResult, loadBars, loadTable, measureLoads } from './loads.js';
import { machineName } from './machine.js';
import { markdownTable } from './markdown-table.js';
import { replaceSection } from './marked-section.js';
import { meaningBars, meaningTables, measureMeaning } from './meaning.js';
import { measureGeneratedVectors, mixedBar, mixedTable, vectorBar, vectorTable } from './million-vectors.js';
import { PEERS, peersNamed } from './peers/names.js';
import { askProgram, measureStart, poolOf } from './programs.js';
import { asKeywordQuestions, asSemanticQuestions, readQuestionFiles } from './question-files.js';
import { classesByStep, descriptionsOf, makeQuestions, sampleIds } from './questions.js';
import { measureRowChanges, rowChangesTable } from './row-changes.js';
import { startsTable } from './starts.js';

const { values } = parseArgs({
  options: {
    'words-only': { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    catalogue: { type: 'string' },
    database: { type: 'string' },
    write: { type: 'boolean', default: false },
    questions: { type: 'string', multiple: true, default: [] },
    size: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    peers: { type: 'string', default: PEERS.join(',') },
    starts: { type: 'string', default: '11' },
    'no-peers': { type: 'boolean', default: false },
    'growth-sizes': { type: 'string', default: GROWTH_SIZES.join(',') },
  },
});
const [size, seed, rounds] = [Number(values.size), Number(values.seed), Number(values.rounds)];
const peers = values['no-peers'] ? [] : peersNamed(values.peers);
const withMeaning = !values['words-only'];

/** Given questions that are asked, of all files together. */
const GIVEN = 500;
const QUESTIONS_FOR_MEMORY = 1000;
const CHANGES = 5;
const README = fileURLToPath(new URL('README.md', import.meta.url));
const RESULTS = fileURLToPath(new URL('results/', import.meta.url));

const begun = performance.now();
const bars: Bar[] = [];
const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-bench-'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leave(130));
try {
  say('building the library');
  execSync('npm run build', {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const file = values.database ?? values.catalogue;
  const what = file === undefined ? `generated, ${size} skills, seed ${seed}` : basename(file);
  const machine = machineName();
  const busyAtFirst = loadavg()[0] as number;
  print(`catalogue: ${what}\nmachine:   ${machine}\nrounds:    ${rounds}`);
  const catalogue = await measureCatalogue();
  const growth = values.full ? measureGrowth() : undefined;
  const figures = { what, machine, rounds, ...catalogue, ...(await growth), bars };
  const reached = markdownTable(
    ['what', 'to reach', 'measured', 'reached'],
    bars.map(({ what: bar, toReach, measured, reached: yes }) => [bar, toReach, measured, yes === true ? 'yes' : 'no']),
  );
  print('## To reach', reached);
  if (values.write) {
    const text = `${headOf(what, machine, catalogue.skills, [busyAtFirst, loadavg()[0] as number])}\n\n${reached}`;
    const page = replaceSection(readFileSync(README, 'utf8'), 'bars', text);
    writeFileSync(README, replaceSection(page, 'classes', catalogue.tables.join('\n\n')));
  }
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'latest.json'), JSON.stringify(figures, undefined, 2));
  say('done');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** When, where and over what a run was made. */
function headOf(what: string, machine: string, skills: number, busy: readonly [first: number, last: number]): string {
  const loads = busy.map((load) => load.toFixed(1)).join(' at first and ');
  const idle = Math.max(...busy) < 1 + cpus().length;
  const words = process.argv.slice(2).filter((word, i, all) => word !== '--write' && !isFile(word, all[i - 1]));
  const machineLine = `${new Date().toISOString().slice(0, 10)}, ${machine}; load average ${loads} at the end:\n${
    idle
      ? 'nothing else to speak of ran.'
      : '**the machine was busy** with other work, so times are upper bounds and ratios count.'
  }`;
  return `${machineLine}\n\n${skills.toLocaleString('en')} skills, ${what};\n\`npm run bench -- ${words.join(' ')}\`.`;
}

/** Where files lie is nothing of a reader's. */
function isFile(word: string, before: string | undefined): boolean {
  const options = ['--catalogue', '--database', '--questions'];
  return options.includes(word) || (before !== undefined && options.includes(before));
}

interface CatalogueFigures {
  readonly skills: number;
  /** Of keyword search, in Markdown. */
  readonly tables: readonly string[];
  readonly [figures: string]: unknown;
}

async function measureCatalogue(): Promise<CatalogueFigures> {
  const database = join(folder, 'skills.db');
  const source = values.database === undefined ? await placeSource() : undefined;
  const load = source === undefined ? undefined : await measureLoading(database, source);
  if (values.database !== undefined) copyCatalogue(values.database, database);

  say('making questions');
  const ids = sampleIds(database);
  const descriptions = await descriptionsOf(database, ids);
  const skills = await countOf(database);
  const given = readQuestionFiles(values.questions, GIVEN);
  const classes = [
    ...(await makeQuestions(database, ids)),
    ...(await classesByStep(database, 'given', asKeywordQuestions(given))),
  ];
  const pool = poolOf(classes, QUESTIONS_FOR_MEMORY);
  say('starting processes');
  const start = await measureStart(database, pool[0]?.q ?? 'a');
  const memory = askProgram(database, pool, 'words', folder);
  print(
    `opening: ${round(memory.openSeconds)} s; memory (RSS) then ${round(memory.openedRss / 1e6)} MB, after ${QUESTIONS_FOR_MEMORY} questions ${round(memory.rss / 1e6)} MB`,
  );
  say('asking by words');
  const keyword = await measureKeyword({ database, classes, descriptions, rounds, peers, folder, say });
  const tables = keywordTables(keyword);
  print('## By words', ...tables);
  say('starting commands');
  const starts = await measureCommandStarts(database, { rounds: Number(values.starts), semantic: withMeaning });
  say('changing rows');
  const changes = await measureRowChanges(database, { rounds: CHANGES, semantic: false });
  print('## Starts and changes', startsTable(starts), rowChangesTable(changes));
  bars.push(
    ...keywordBars(keyword),
    atMost(
      'process start to first answer, times `node -e 0`',
      start.ours / start.bare,
      3,
      '',
      ` (${round(start.ours)} to ${round(start.bare)} ms)`,
    ),
    ...startsBars(starts, skills),
    ...(load === undefined ? [] : loadBars(load, start)),
    atMost('memory after 1,000 keyword questions', memory.rss / 1e6, 350, ' MB'),
  );
  const figures = {
    skills,
    tables: [...tables, startsTable(starts), rowChangesTable(changes)],
    load,
    start,
    memory,
    keyword,
    starts,
    changes,
  };
  if (!withMeaning || source === undefined) return figures;
  const meaning = await measureMeaning({
    database,
    source,
    ids,
    given: asSemanticQuestions(given),
    rounds,
    folder,
    say,
  });
  print('## By meaning', ...meaningTables(meaning));
  bars.push(...meaningBars(meaning));
  return { ...figures, meaning };
}

async function measureLoading(database: string, source: string): Promise<LoadResult> {
  say('loading');
  const load = await measureLoads({ database, source, rounds, beside: peers.includes('minisearch') });
  print(
    loadTable(load),
    `catalogue on disk: ${round(sizeOf(database) / 1e6)} MB, its index of words: ${round(sizeOf(`${database}.keyword`) / 1e6)} MB`,
  );
  return load;
}

/** A catalogue that is loaded already, and its files; nothing of it is changed. */
function copyCatalogue(from: string, to: string): void {
  if (!existsSync(from)) throw new Error(`there is no file ${from}`);
  copyFileSync(from, to);
  for (const [i, file] of derivedFiles(from).entries()) {
    if (existsSync(file)) copyFileSync(file, derivedFiles(to)[i] as string);
  }
}

async function countOf(database: string): Promise<number> {
  await using search = await openSkillSearch({ database });
  return search.ids().length;
}

/** The catalogue, in the folder: where a source is, relative to the database, tells a load which one it is. */
async function placeSource(): Promise<string> {
  const { catalogue } = values;
  if (catalogue === undefined) {
    say('generating');
    const source = join(folder, 'catalogue.jsonl');
    await writeGeneratedCatalogue(source, size, seed);
    return source;
  }
  if (!existsSync(catalogue)) throw new Error(`there is no file ${catalogue}`);
  const source = join(folder, `catalogue.jsonl${catalogue.endsWith('.gz') ? '.gz' : ''}`);
  copyFileSync(catalogue, source);
  return source;
}

async function measureGrowth(): Promise<object> {
  const sizes = values['growth-sizes'].split(',').map(Number);
  const growth: SizeFigures[] = [];
  let vectors: object = {};
  for (const skills of sizes) {
    say(`${skills.toLocaleString('en')} generated skills`);
    const place = join(folder, `growth-${skills}`);
    const figures = await measureSize(skills, seed, place);
    growth.push(figures);
    if (skills === sizes.at(-1)) {
      bars.push(...lastSizeBars(figures));
      if (withMeaning) {
        say(`${skills.toLocaleString('en')} generated vectors`);
        const measured = await measureGeneratedVectors(join(place, 'skills.db'), join(place, 'generated.jsonl'), seed);
        vectors = { vectors: measured };
        print(vectorTable(measured), mixedTable(measured));
        bars.push(vectorBar(measured), mixedBar(measured));
      }
    }
    rmSync(place, { recursive: true });
  }
  print('## Growth', markdownTable(GROWTH_HEAD, growth.map(growthRow)));
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'growth.svg'), growthPicture(growthPanels(growth)));
  return { growth, ...vectors };
}

function lastSizeBars({ size: skills, loadSeconds, p99, rss, start }: SizeFigures): Bar[] {
  const title = `${skills.toLocaleString('en')} generated skills`;
  return [
    atMost(`${title}, load`, loadSeconds, 360, ' s'),
    atMost(`${title}, keyword p99`, p99, 20, ' ms'),
    atMost(`${title}, memory after 1,000 questions`, rss / 1e6, 1200, ' MB'),
    atMost(`${title}, process start to first answer`, start.ours / 1000, 2, ' s'),
  ];
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** A large catalogue and its copies are some gigabytes: nothing of them stays where a run is broken off. */
function leave(code: number): never {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}

/** What is being done, for who waits; the tables alone go to standard output. */
function say(phase: string): void {
  process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(0).padStart(5)} s  ${phase}\n`);
}

function print(...parts: readonly string[]): void {
  for (const part of parts) process.stdout.write(`${part}\n\n`);
}
