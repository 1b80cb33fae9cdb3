// `npm run bench`: loads a catalogue and searches it, on generated data or on a file that is named, beside other search
// engines. See README.md here.
import { execSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { atMost, type Bar, round } from './bars.js';
import { writeGeneratedCatalogue } from './generated-catalogue.js';
import { GROWTH_HEAD, GROWTH_SIZES, growthPanels, growthRow, measureSize, type SizeFigures } from './growth.js';
import { growthPicture } from './growth-picture.js';
import { keywordBars, keywordTables } from './keyword-report.js';
import { measureKeyword } from './keyword-rounds.js';
import { loadBars, loadTable, measureLoads } from './loads.js';
import { machineName } from './machine.js';
import { markdownTable } from './markdown-table.js';
import { meaningBars, meaningTables, measureMeaning } from './meaning.js';
import { measureGeneratedVectors, vectorBar, vectorTable } from './million-vectors.js';
import { PEERS, peersNamed } from './peers/names.js';
import { askProgram, measureStart, poolOf } from './programs.js';
import { asKeywordQuestions, asSemanticQuestions, readQuestionFiles } from './question-files.js';
import { classesByStep, makeQuestions, sampleIds } from './questions.js';

const { values } = parseArgs({
  options: {
    'words-only': { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    catalogue: { type: 'string' },
    questions: { type: 'string', multiple: true, default: [] },
    size: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    peers: { type: 'string', default: PEERS.join(',') },
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
  const what = values.catalogue ?? `generated, ${size} skills, seed ${seed}`;
  const machine = machineName();
  print(`catalogue: ${what}\nmachine:   ${machine}\nrounds:    ${rounds}`);
  const catalogue = await measureCatalogue();
  const growth = values.full ? measureGrowth() : undefined;
  const figures = { what, machine, rounds, ...catalogue, ...(await growth), bars };
  print(
    '## To reach',
    markdownTable(
      ['what', 'to reach', 'measured', 'reached'],
      bars.map(({ what: bar, toReach, measured, reached }) => [
        bar,
        toReach,
        measured,
        reached === true ? 'yes' : 'no',
      ]),
    ),
  );
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'latest.json'), JSON.stringify(figures, undefined, 2));
  say('done');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureCatalogue(): Promise<object> {
  const source = await placeSource();
  const database = join(folder, 'skills.db');
  say('loading');
  const load = await measureLoads({ database, source, rounds, beside: peers.includes('minisearch') });
  print(
    loadTable(load),
    `catalogue on disk: ${round(sizeOf(database) / 1e6)} MB, its index of words: ${round(sizeOf(`${database}.keyword`) / 1e6)} MB`,
  );

  say('making questions');
  const ids = sampleIds(database);
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
  const keyword = await measureKeyword({ database, classes, rounds, peers, folder, say });
  print('## By words', ...keywordTables(keyword));
  bars.push(
    ...keywordBars(keyword),
    atMost(
      'process start to first answer, times `node -e 0`',
      start.ours / start.bare,
      3,
      '',
      ` (${round(start.ours)} to ${round(start.bare)} ms)`,
    ),
    ...loadBars(load, start),
    atMost('memory after 1,000 keyword questions', memory.rss / 1e6, 350, ' MB'),
  );
  if (!withMeaning) return { load, start, memory, keyword };
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
  return { load, start, memory, keyword, meaning };
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
        const measured = measureGeneratedVectors(join(place, 'skills.db'), join(place, 'generated.jsonl'), seed);
        vectors = { vectors: measured };
        print(vectorTable(measured));
        bars.push(vectorBar(measured));
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
