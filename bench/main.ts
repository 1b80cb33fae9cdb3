// `npm run bench`: loads a catalogue and searches it, on generated data or on a file that is named. See README.md here.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type LoadReport, openSkillSearch } from '../src/index.js';
import { writeGeneratedCatalogue } from './generated-catalogue.js';
import { sampleIds } from './questions.js';

interface LoadFigures {
  readonly added: number;
  readonly unchanged: number;
  readonly embedded: number;
  readonly seconds: LoadReport['seconds'];
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

interface Times {
  readonly p50: number;
  readonly p95: number;
}

interface SemanticFigures {
  readonly warmUpSeconds: number;
  readonly rss: number;
  readonly model: Times;
  readonly nearest: { readonly graph?: Times; readonly scan: Times };
  readonly recalls: { readonly graph?: number; readonly scan: number };
  readonly byRanking: Readonly<Record<string, Times & { readonly longestBlock: number }>>;
}

/** Questions in plain language that are asked by meaning, and texts that the peer of the embedding phase gets. */
const MEANING_QUESTIONS = 100;
const PIPELINE_TEXTS = 1500;

const { values } = parseArgs({
  options: {
    'words-only': { type: 'boolean', default: false },
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

  const semantic = !values['words-only'];
  const load = child<LoadFigures>('load-child.ts', { database, source, semantic });
  const again = child<LoadFigures>('load-child.ts', { database, source, semantic });
  const ids = sampleIds(database);
  const pipeline = semantic
    ? child<{ rate: number }>('pipeline-child.ts', { database, ids: ids.slice(0, PIPELINE_TEXTS) })
    : undefined;
  const meaning = semantic
    ? child<SemanticFigures>('semantic-child.ts', {
        database,
        questions: await questionsInPlainLanguage(database, ids),
      })
    : undefined;
  const search = child<SearchFigures>('search-child.ts', {
    database,
    ids,
    questionFile: values.questions,
  });
  const what = values.catalogue ?? `generated, ${values.size} skills, seed ${values.seed}`;
  const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${gigabytes(totalmem())}, Node ${process.version}`;
  const megabytesOnDisk = statSync(database).size;

  print(`catalogue: ${what}`, `machine:   ${machine}`, '');
  print(
    '| load | skills | seconds | reading | storing | embedding | publishing | indexing | peak memory |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
  );
  print(
    loadLine('first', load),
    loadLine('again, unchanged', again),
    '',
    `catalogue on disk: ${megabytes(megabytesOnDisk)}`,
  );
  if (pipeline !== undefined) {
    const rate = load.embedded / load.seconds.embedding;
    const ratio = (rate / pipeline.rate).toFixed(2);
    print(
      `embedding: ${load.embedded} texts, ${rate.toFixed(0)} a second; one pipeline called text by text: ${pipeline.rate.toFixed(0)} a second; ratio ${ratio}`,
    );
  }
  print(`opening: ${search.openSeconds.toFixed(1)} s; memory (RSS) after all questions: ${megabytes(search.rss)}`, '');
  print('| questions | order | number | p50 ms | p99 ms | answered by |', '| --- | --- | --- | --- | --- | --- |');
  for (const row of search.rows) {
    const steps = Object.entries(row.steps).map(([step, count]) => `${step} ${count}`);
    print(
      `| ${row.name} | ${row.sortBy} | ${row.questions} | ${row.p50.toFixed(2)} | ${row.p99.toFixed(2)} | ${steps.join(', ')} |`,
    );
  }
  if (meaning !== undefined) printMeaning(meaning);
  const results = fileURLToPath(new URL('results/', import.meta.url));
  mkdirSync(results, { recursive: true });
  writeFileSync(
    join(results, 'latest.json'),
    JSON.stringify({ what, machine, load, again, pipeline, search, meaning }, undefined, 2),
  );
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

/** Those of the file that is named, spread over it; else the descriptions of some skills, cut short. */
async function questionsInPlainLanguage(database: string, ids: readonly string[]): Promise<string[]> {
  if (values.questions !== undefined) {
    const all = readFileSync(values.questions, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '');
    const step = Math.max(1, Math.floor(all.length / MEANING_QUESTIONS));
    const some = all.filter((_, i) => i % step === 0).slice(0, MEANING_QUESTIONS);
    return some.map((line) => (JSON.parse(line) as { text: string }).text.slice(0, 2000));
  }
  await using search = await openSkillSearch({ database, keywordIndex: false });
  return ids.slice(-MEANING_QUESTIONS).map((id) => search.get(id)?.description.slice(0, 80) ?? id);
}

function printMeaning({ warmUpSeconds, rss, model, nearest, recalls, byRanking }: SemanticFigures): void {
  print(
    '',
    `warm-up of semantic search: ${warmUpSeconds.toFixed(1)} s; memory (RSS) after all questions: ${megabytes(rss)}`,
    '',
  );
  print(
    '| by meaning | p50 ms | p95 ms | longest block of the event loop, ms | recall@10 |',
    '| --- | --- | --- | --- | --- |',
  );
  const line = (name: string, { p50, p95 }: Times, block = '', recall = ''): string =>
    `| ${name} | ${p50.toFixed(2)} | ${p95.toFixed(2)} | ${block} | ${recall} |`;
  print(line('the model alone', model));
  if (nearest.graph !== undefined) print(line('candidates by graph', nearest.graph, '', recalls.graph?.toFixed(4)));
  print(line('candidates by scan', nearest.scan, '', recalls.scan.toFixed(4)));
  for (const [ranking, times] of Object.entries(byRanking)) {
    print(line(`search.semantic, ${ranking}`, times, times.longestBlock.toFixed(1)));
  }
}

function loadLine(name: string, { added, unchanged, total, seconds, peakBytes }: LoadFigures): string {
  const { reading, storing, embedding, publishing, indexing } = seconds;
  const times = [total, reading, storing, embedding, publishing, indexing].map((time) => time.toFixed(1)).join(' | ');
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
