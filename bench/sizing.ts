// `npm run bench:sizing -- [--database FILE]… [--sizes N,N] [--no-vectors]`: what catalogues take on disk, file by
// file, and in the memory of a server. Needs a build. See README.md here.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSkillSearch } from '../src/index.js';
import { BUNDLED_MODEL, inspectModel } from '../src/semantic/index.js';
import { derivedFiles } from '../src/store/files.js';
import { round } from './bars.js';
import { runChild } from './child.js';
import { writeGeneratedCatalogue } from './generated-catalogue.js';
import { machineName } from './machine.js';
import { markdownTable } from './markdown-table.js';
import type { EmbeddingLoad } from './meaning.js';
import { loadProgram, poolOf } from './programs.js';
import { makeQuestions, sampleIds } from './questions.js';
import { measureServing, type ServingMemory } from './serving-memory.js';

const QUESTIONS = 1000;
const SEED = 1;

const { values } = parseArgs({
  options: {
    database: { type: 'string', multiple: true, default: [] },
    sizes: { type: 'string', default: '' },
    'no-vectors': { type: 'boolean', default: false },
  },
});

/** Bytes of each file of a catalogue, by what it ends with. */
type FileSizes = ReadonlyMap<string, number>;

interface Sizes {
  readonly name: string;
  readonly skills: number;
  readonly files: FileSizes;
  readonly words: ServingMemory;
  readonly meaning: ServingMemory | undefined;
  readonly loads: string;
}

console.log(`machine: ${machineName()}; load average ${loadavg()[0]?.toFixed(1)}\n`);
const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-sizing-'));
const all: Sizes[] = [];
try {
  for (const database of values.database) all.push(await measure(database, 'given', '-'));
  for (const size of values.sizes.split(',').filter(Boolean).map(Number)) {
    all.push(await measureGenerated(size));
    // A run takes long: what is known by now is shown, whatever becomes of the rest.
    print(all);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (values.sizes === '') print(all);

/**
 * Loads first without vectors, then with generated ones under the name of the bundled model, so that it can be served.
 */
async function measureGenerated(size: number): Promise<Sizes> {
  const [source, database] = [join(folder, 'generated.jsonl'), join(folder, `${size}.db`)];
  await writeGeneratedCatalogue(source, size, SEED);
  const first = loadProgram(database, source);
  tell(`${size} skills: loaded in ${round(first.total)} s`);
  let loads = `${round(first.total)} s, ${megabytes(first.peakBytes)} MB`;
  if (!values['no-vectors']) {
    const { id: model } = await inspectModel(BUNDLED_MODEL);
    const job = { database, source, seed: SEED, model };
    const second = runChild<EmbeddingLoad>('vectors-load-child.ts', job);
    tell(`${size} skills: vectors in ${round(second.total)} s`);
    loads += `; vectors ${round(second.total)} s, ${megabytes(second.peakBytes)} MB`;
  }
  const sizes = await measure(database, 'generated', loads);
  for (const path of [source, database, ...derivedFiles(database)]) rmSync(path, { force: true });
  return sizes;
}

async function measure(database: string, name: string, loads: string): Promise<Sizes> {
  const paths = [database, ...derivedFiles(database)].filter((path) => existsSync(path));
  const files = new Map(paths.map((path) => [path.slice(database.length), statSync(path).size]));
  const { skills, vectors } = await statsOf(database);
  const questions = poolOf(await makeQuestions(database, sampleIds(database)), QUESTIONS);
  tell(`${skills} skills: ${questions.length} questions by words`);
  const words = await measureServing(database, questions, 'words', folder);
  tell(`${skills} skills: ${questions.length} questions by words and by meaning`);
  const meaning = vectors === 0 ? undefined : await measureServing(database, questions, 'meaning', folder);
  return { name, skills, files, words, meaning, loads };
}

async function statsOf(database: string): Promise<{ readonly skills: number; readonly vectors: number }> {
  await using search = await openSkillSearch({ database });
  return search.stats();
}

function print(sizes: readonly Sizes[]): void {
  const endings = [...new Set(sizes.flatMap(({ files }) => [...files.keys()]))];
  console.log(
    markdownTable(
      ['MB on disk (bytes a skill)', ...endings.map((ending) => `\`skills.db${ending}\``), 'together'],
      sizes.map(({ name, skills, files }) => {
        const cell = (bytes: number): string => `${megabytes(bytes)} (${Math.round(bytes / skills)})`;
        const together = [...files.values()].reduce((sum, bytes) => sum + bytes, 0);
        return [
          `${skills.toLocaleString('en')}, ${name}`,
          ...endings.map((ending) => (files.has(ending) ? cell(files.get(ending) ?? 0) : '')),
          cell(together),
        ];
      }),
    ),
  );
  const kinds = ['words', 'meaning'] as const;
  const rows = sizes.flatMap((one) =>
    kinds.flatMap((kind) => {
      const serving = one[kind];
      if (serving === undefined) return [];
      const { opened, asked, reloading, openSeconds, reloadSeconds } = serving;
      const cells = [opened, asked, reloading].map((bytes) => (bytes === undefined ? '-' : megabytes(bytes)));
      const perSkill = Math.round(asked / one.skills).toLocaleString('en');
      return [
        [
          `${one.skills.toLocaleString('en')}, ${one.name}`,
          kind,
          ...cells,
          perSkill,
          round(openSeconds),
          round(reloadSeconds),
        ],
      ];
    }),
  );
  const head = ['skills', 'asked by', 'opened MB', `after ${QUESTIONS} questions MB`, 'peak with a reload MB'];
  console.log(`\n${markdownTable([...head, 'bytes a skill after questions', 'start s', 'reload s'], rows)}`);
  console.log(
    `\n${markdownTable(
      ['skills', 'first load, peak'],
      sizes.map(({ skills, loads }) => [String(skills), loads]),
    )}`,
  );
}

function megabytes(bytes: number): string {
  return round(bytes / 1e6);
}

function tell(text: string): void {
  console.error(text);
}
