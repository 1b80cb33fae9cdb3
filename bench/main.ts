// `npm run bench`: loads a catalogue and searches it, on generated data or on a file that is named. See README.md here.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Database } from '../src/store/database.js';
import { writeGeneratedCatalogue } from './generated-catalogue.js';

interface LoadFigures {
  readonly added: number;
  readonly unchanged: number;
  readonly seconds: { readonly reading: number; readonly storing: number; readonly publishing: number };
  readonly total: number;
  readonly peakBytes: number;
}

interface SearchFigures {
  readonly openSeconds: number;
  readonly rss: number;
  readonly rows: readonly {
    readonly name: string;
    readonly sortBy: string;
    readonly questions: number;
    readonly p50: number;
    readonly p99: number;
    readonly steps: Readonly<Record<string, number>>;
  }[];
}

const { values } = parseArgs({
  options: {
    catalogue: { type: 'string' },
    questions: { type: 'string' },
    size: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-bench-'));
try {
  const source = values.catalogue ?? join(folder, 'generated.jsonl');
  if (values.catalogue === undefined) await writeGeneratedCatalogue(source, Number(values.size), Number(values.seed));
  else if (!existsSync(source)) throw new Error(`there is no file ${source}`);
  const database = join(folder, 'skills.db');

  const load = child<LoadFigures>('load-child.ts', { database, source });
  const again = child<LoadFigures>('load-child.ts', { database, source });
  const search = child<SearchFigures>('search-child.ts', {
    database,
    ids: sampleIds(database),
    questionFile: values.questions,
  });
  const what = values.catalogue ?? `generated, ${values.size} skills, seed ${values.seed}`;
  const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${gigabytes(totalmem())}, Node ${process.version}`;
  const megabytesOnDisk = statSync(database).size;

  print(`catalogue: ${what}`, `machine:   ${machine}`, '');
  print(
    '| load | skills | seconds | reading | storing | publishing | peak memory |',
    '| --- | --- | --- | --- | --- | --- | --- |',
  );
  print(
    loadLine('first', load),
    loadLine('again, unchanged', again),
    '',
    `catalogue on disk: ${megabytes(megabytesOnDisk)}`,
  );
  print(`opening: ${search.openSeconds.toFixed(1)} s; memory (RSS) after all questions: ${megabytes(search.rss)}`, '');
  print('| questions | order | number | p50 ms | p99 ms | answered by |', '| --- | --- | --- | --- | --- | --- |');
  for (const row of search.rows) {
    const steps = Object.entries(row.steps).map(([step, count]) => `${step} ${count}`);
    print(
      `| ${row.name} | ${row.sortBy} | ${row.questions} | ${row.p50.toFixed(2)} | ${row.p99.toFixed(2)} | ${steps.join(', ')} |`,
    );
  }
  const results = fileURLToPath(new URL('results/', import.meta.url));
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, 'latest.json'), JSON.stringify({ what, machine, load, again, search }, undefined, 2));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function child<T>(script: string, job: unknown): T {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const words = ['--import', 'tsx', path];
  const input = JSON.stringify(job);
  return JSON.parse(
    execFileSync(process.execPath, words, {
      input,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
}

/** Ids spread over the catalogue; the same ones for the same catalogue. */
function sampleIds(database: string): string[] {
  const connection = new Database(database, { readonly: true });
  try {
    const ids = connection
      .prepare<[], string>('SELECT id FROM skill ORDER BY substr(copy_key, 1, 8), id LIMIT 3000')
      .pluck()
      .all();
    return ids;
  } finally {
    connection.close();
  }
}

function loadLine(name: string, { added, unchanged, total, seconds, peakBytes }: LoadFigures): string {
  const { reading, storing, publishing } = seconds;
  const times = [total, reading, storing, publishing].map((time) => time.toFixed(1)).join(' | ');
  return `| ${name} | ${added + unchanged} | ${times} | ${megabytes(peakBytes)} |`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

function gigabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 30)} GiB`;
}

function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
