import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkDatabase, isCatalogueAddress, makeFolder } from '../core/index.js';
import {
  type Benchmark,
  type Corpus,
  EVALUATION_MODES,
  type Evaluation,
  type EvaluationMode,
  evaluate,
  type GainFunction,
  type NamedRun,
  openCorpus,
  readBenchmark,
  readRun,
  reportPage,
  summarise,
  writeRun,
} from '../evaluation/index.js';
import { type CopyMode, SkillSearchError } from '../index.js';
import { counted } from './counted.js';
import { comparisonLines, confidenceLines, meansLines, queryLines } from './evaluation-lines.js';
import { LoadProgressBar } from './load-progress-bar.js';
import { type Output, printJson, printLines } from './output.js';
import { ProgressBar } from './progress-bar.js';
import { sayWaiting } from './say-waiting.js';
import { type StopWordsFlags, stopWordsOf } from './stop-words-option.js';
import { oneLine } from './terminal-text.js';
import { untilInterrupted } from './until-interrupted.js';

/** The options of `evaluate`, as the command line gives them. */
export interface EvaluateFlags extends StopWordsFlags {
  readonly database?: string;
  readonly cache?: string | undefined;
  readonly passwordFile?: string | undefined;
  readonly catalogue?: string;
  readonly extra?: string;
  readonly extraFiles?: string;
  readonly without?: string;
  /** False for `--no-files`. */
  readonly files: boolean;
  readonly keep?: string;
  readonly model?: string;
  readonly qrels?: string;
  readonly filter?: RegExp;
  readonly ask?: string;
  readonly mode?: readonly EvaluationMode[];
  readonly run?: readonly string[];
  readonly compare?: string;
  readonly at?: readonly number[];
  readonly depth?: number;
  readonly gain?: GainFunction;
  readonly copies?: CopyMode;
  readonly abstention?: true;
  readonly seed?: number;
  readonly byQuery?: true;
  readonly saveRuns?: string;
  readonly html?: string;
  readonly json?: true;
}

/** The catalogue that is searched where nothing else is named. */
export const DEFAULT_DATABASE = 'skills.db';

/** Reads a benchmark, asks its questions, and prints and writes the figures. */
export async function evaluateBenchmark(path: string, flags: EvaluateFlags, output: Output): Promise<void> {
  await untilInterrupted(async (signal) => {
    const { qrels, filter, ask } = flags;
    const benchmark = await readBenchmark(path, { qrels, filter, ask });
    const runs = await readRuns(flags.run ?? []);
    const modes = flags.mode ?? (runs.length > 0 ? [] : EVALUATION_MODES);
    const names: readonly string[] = [...modes, ...runs.map(({ name }) => name)];
    const baseline = await baselineOf(flags, names);
    await using corpus = modes.length > 0 ? await openDocuments(benchmark, modes, flags, output, signal) : undefined;
    const remarks = [...benchmark.remarks, ...(corpus?.remarks ?? []), ...missingDocuments(benchmark, corpus)];
    for (const remark of remarks) output.error.write(`note: ${oneLine(remark)}\n`);

    const bar = new ProgressBar(output.error);
    const { at, depth, gain, copies, abstention, seed } = flags;
    const evaluation = await evaluate({
      benchmark,
      search: corpus?.search,
      modes,
      runs,
      baseline,
      at,
      depth,
      gain,
      copies,
      abstention,
      seed,
      signal,
      onProgress: ({ mode, done, total }) => {
        const payload = { mode, done: done.toLocaleString('en') };
        bar.show({ format: ASKING, value: done + modes.indexOf(mode) * total, total: total * modes.length, payload });
      },
    }).finally(() => bar.stop());
    print(evaluation, corpus, flags, output);
    await write(evaluation, modes, flags);
  });
}

const ASKING = ' {bar} {percentage}% | {mode}: {done} questions | {eta_formatted} left';

async function readRuns(paths: readonly string[]): Promise<NamedRun[]> {
  const runs: NamedRun[] = [];
  for (const path of paths) runs.push({ name: basename(path), run: await readRun(path) });
  return runs;
}

/** What `--compare` names. For a page without it the first mode, so that it has a picture of differences. */
async function baselineOf(
  { compare, html }: EvaluateFlags,
  names: readonly string[],
): Promise<string | NamedRun | undefined> {
  if (compare === undefined) return html !== undefined && names.length > 1 ? names[0] : undefined;
  if (names.includes(compare)) return compare;
  if (!existsSync(compare)) {
    const message = `--compare must be a TREC run or one of ${names.join(', ')}; there is no file ${compare}`;
    throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'compare' });
  }
  return { name: basename(compare), run: await readRun(compare) };
}

async function openDocuments(
  { corpus, name }: Benchmark,
  modes: readonly EvaluationMode[],
  flags: EvaluateFlags,
  output: Output,
  signal: AbortSignal,
): Promise<Corpus> {
  const { cache, passwordFile, catalogue, extra, extraFiles, without, files, keep, model } = flags;
  const documents = flags.database === undefined && catalogue === undefined ? corpus : undefined;
  const fallback = documents === undefined && catalogue === undefined ? DEFAULT_DATABASE : undefined;
  const database = flags.database ?? fallback;
  if (database !== undefined && !isCatalogueAddress(database) && !existsSync(checkDatabase(database))) {
    const why = flags.database === undefined ? `${name} has no documents of its own, and ` : '';
    const message = `${why}there is no catalogue at ${database}: name one (--database), or what to load (--catalogue)`;
    throw new SkillSearchError('DATABASE_NOT_FOUND', message, { path: database });
  }
  const stopWords = await stopWordsOf(flags);
  const bar = new LoadProgressBar(output.error);
  try {
    const opening = openCorpus({
      documents,
      catalogue,
      database,
      cache,
      passwordFile,
      extra,
      extraFiles,
      without,
      files,
      keep,
      model,
      stopWords,
      semantic: modes.includes('vector') || modes.includes('hybrid'),
      signal,
      onProgress: (progress) => bar.show(progress),
    });
    return await sayWaiting(database, output, opening);
  } finally {
    bar.stop();
  }
}

/** Judged documents that do not exist: wrong ids in the judgements look like a bad ranking. */
function missingDocuments({ questions, gains }: Benchmark, corpus: Corpus | undefined): string[] {
  if (corpus === undefined) return [];
  const present = new Set(corpus.search.ids());
  const judged = new Set(questions.flatMap(({ id }) => [...(gains.get(id)?.keys() ?? [])]));
  const missing = [...judged].filter((id) => !present.has(id));
  if (missing.length === 0) return [];
  const shown = missing.slice(0, 3).map((id) => JSON.stringify(id));
  const more = missing.length > 3 ? ', …' : '';
  return [`${missing.length} of ${judged.size} right answers are not among the documents: ${shown.join(', ')}${more}`];
}

function print(
  evaluation: Evaluation,
  corpus: Corpus | undefined,
  { json, byQuery }: EvaluateFlags,
  output: Output,
): void {
  if (json === true) {
    printJson(output, summarise(evaluation, { byQuery }));
    return;
  }
  const { benchmark, comparisons, gain, copies } = evaluation;
  const questions = counted(benchmark.questions.length, 'question');
  const over = corpus === undefined ? '' : ` over ${corpus.search.stats().skills.toLocaleString('en')} documents`;
  const unusual = [...(gain === 'linear' ? [] : [`, ${gain} gain`]), ...(copies === 'keep' ? [] : [', copies as one'])];
  printLines(output, [
    oneLine(`${benchmark.name}: ${questions}${over}${unusual.join('')}`),
    '',
    ...meansLines(evaluation),
    ...confidenceLines(evaluation),
    ...comparisons.flatMap((comparison) => ['', ...comparisonLines(comparison)]),
    ...(byQuery === true ? ['', ...queryLines(evaluation)] : []),
  ]);
}

async function write(
  evaluation: Evaluation,
  modes: readonly EvaluationMode[],
  { saveRuns, html }: EvaluateFlags,
): Promise<void> {
  if (html !== undefined) await writeFile(html, reportPage(evaluation));
  if (saveRuns === undefined) return;
  makeFolder(saveRuns);
  for (const mode of modes) {
    const measured = evaluation.modes.find(({ name }) => name === mode);
    if (measured === undefined) continue;
    await writeFile(join(saveRuns, `${evaluation.benchmark.name}.${mode}.run`), writeRun(measured.run, mode));
  }
}
