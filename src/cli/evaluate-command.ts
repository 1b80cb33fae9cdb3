import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { checkDatabase, isCatalogueAddress, makeFolder } from '../core/index.js';
import {
  type Benchmark,
  type Comparison,
  type ConfidentShare,
  type Corpus,
  EVALUATION_MODES,
  type Evaluation,
  type EvaluationMode,
  evaluate,
  extremesOf,
  GAIN_FUNCTIONS,
  type GainFunction,
  MAX_DEPTH,
  type NamedRun,
  openCorpus,
  type QuestionDifference,
  type Reliability,
  readBenchmark,
  readRun,
  reportPage,
  summarise,
  writeRun,
} from '../evaluation/index.js';
import { COPY_MODES, type CopyMode, SkillSearchError } from '../index.js';
import {
  addSharedOptions,
  collectChoices,
  jsonOption,
  modelOption,
  parseInteger,
  type StopWordsFlags,
  sayWaiting,
  sharedOptionsOf,
  stopWordsOf,
  stopWordsOption,
} from './options.js';
import type { SetUp } from './output.js';
import { type Output, oneLine, printJson, printLines, untilInterrupted } from './output.js';
import { LoadProgressBar, ProgressBar } from './progress-bar.js';
import { alignColumns, counted, fitColumns } from './text-columns.js';

export const setUpEvaluate: SetUp = (command, output) => {
  command
    .argument(
      '<benchmark>',
      'folder in the BEIR layout (queries.jsonl, qrels.tsv or qrels/test.tsv, corpus.jsonl; each also .gz), or JSON Lines of {"query": "…", "relevant": ["id", …]} or {"query": "…", "grades": {"id": 3, …}}',
    )
    .option(
      '--database <file>',
      `search this catalogue, as a file or an address; it is not changed (default: the folder's corpus, else ${DEFAULT_DATABASE})`,
    )
    .option('--catalogue <source>', 'search what is loaded from this file or folder')
    .option(
      '--keep <folder>',
      'keep what is loaded from a corpus or --catalogue here: the next run embeds nothing again',
    )
    .option('--extra <file>', 'more documents: JSON Lines of _id, title and text')
    .option('--extra-files <file>', 'text of their files: JSON Lines of _id and text')
    .option('--without <file>', 'ids of documents to leave out, one a line')
    .option('--no-files', 'do without the text of files')
    .option('--qrels <file>', "judgements other than the folder's")
    .option('--filter <regexp>', 'only questions whose id it fits', parseRegExp)
    .option('--ask <field>', 'ask this text of each question, such as its translation')
    .addOption(
      new Option('--mode <mode>', 'bm25 (any word), vector, hybrid or keyword; may be repeated (default: all)')
        .choices(EVALUATION_MODES)
        .argParser(collectChoices(EVALUATION_MODES)),
    )
    .option('--run <file>', 'measure a TREC run too; may be repeated', collect)
    .option('--compare <run>', 'test the difference to a TREC run, or to one of the modes')
    .option('--at <k>', 'depth of nDCG, MRR, recall and precision; may be repeated (default: 10)', collectIntegers)
    .option('--depth <n>', `documents looked at for each question, 1 to ${MAX_DEPTH}`, parseInteger, MAX_DEPTH)
    .addOption(
      new Option(
        '--gain <how>',
        'what a grade counts in nDCG: itself, or 2^grade - 1 (default: linear, exponential for a file with grades)',
      ).choices(GAIN_FUNCTIONS),
    )
    .addOption(
      new Option('--copies <mode>', 'count copies as one document, or keep them (the default)').choices(COPY_MODES),
    )
    .option('--abstention', 'ask each question also with its right answers taken out: area under the ROC curve (auroc)')
    .option('--seed <n>', 'of the random numbers that intervals and tests draw', parseInteger, 1)
    .option('--by-query', 'tell the figures of each question')
    .option('--save-runs <folder>', 'write a TREC run for each mode')
    .option('--html <file>', 'write a page with pictures')
    .addOption(modelOption())
    .addOption(stopWordsOption())
    .addOption(jsonOption())
    .action((path: string, flags: EvaluateFlags) => {
      refuseTogether(flags, command);
      const shared = sharedOptionsOf(command, { ...flags, database: flags.database ?? DEFAULT_DATABASE });
      return evaluateBenchmark(path, { ...flags, ...shared }, output);
    });
  addSharedOptions(command);
};

function refuseTogether(flags: EvaluateFlags, command: Command): void {
  const { database, catalogue, keep, extraFiles, files } = flags;
  if (database !== undefined && catalogue !== undefined) {
    command.error("error: option '--catalogue' cannot be used with '--database': what is searched is one of them");
  }
  if (database !== undefined && keep !== undefined) {
    command.error("error: option '--keep' cannot be used with '--database': that is a catalogue already");
  }
  if (!files && extraFiles !== undefined) {
    command.error("error: option '--extra-files' cannot be used with '--no-files'");
  }
}

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

function collectIntegers(value: string, previous: readonly number[] = []): number[] {
  return [...previous, parseInteger(value)];
}

function parseRegExp(value: string): RegExp {
  try {
    return new RegExp(value, 'u');
  } catch (error) {
    throw new InvalidArgumentError(`It must be a regular expression (${(error as Error).message}).`);
  }
}

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

const MAX_TEXT = 90;
const EXTREMES = 5;

/** A table of the means: a line for each mode, and below it the intervals. */
export function meansLines({ modes }: Evaluation): string[] {
  const figures = Object.keys(modes[0]?.figures ?? {});
  const rows = modes.flatMap(({ name, figures: means, intervals }) => [
    [oneLine(name), ...figures.map((figure) => means[figure]!.toFixed(4))],
    ['', ...figures.map((figure) => intervals[figure]?.map(short).join('-') ?? '')],
  ]);
  return [...alignColumns([['', ...figures], ...rows]), '', '(below each mean its 95 % interval)'];
}

/** How confident the answers of each mode are, and how far its scores are probabilities; nothing if not measured. */
export function confidenceLines({ modes }: Evaluation): string[] {
  const shares = modes.flatMap(({ name, confident }) =>
    confident === undefined
      ? []
      : [
          [oneLine(name), ...[confident.served, confident.unserved].map(shareOf)],
          ['', ...[confident.served, confident.unserved].map(intervalOf)],
        ],
  );
  const calibrations = modes.flatMap(({ name, reliability }) =>
    reliability === undefined ? [] : [calibrationLine(oneLine(name), reliability)],
  );
  return [
    ...(shares.length === 0 ? [] : ['', ...alignColumns([['', 'confident if served', 'if unserved'], ...shares])]),
    ...(calibrations.length === 0 ? [] : ['', ...calibrations]),
  ];
}

function shareOf({ share, confident, questions }: ConfidentShare): string {
  return questions === 0 ? 'none asked' : `${share.toFixed(4)} (${confident} of ${questions})`;
}

function intervalOf({ interval, questions }: ConfidentShare): string {
  return questions === 0 ? '' : interval.map(short).join('-');
}

function calibrationLine(name: string, { score, useful, error, questions }: Reliability): string {
  const both = `mean score ${score.toFixed(4)}, useful ${useful.toFixed(4)}`;
  return `first hits of ${name}: ${both}, calibration error ${error.toFixed(4)} (${questions} questions)`;
}

/** The difference of two rankings, how likely it is chance, and the questions that differ most. */
export function comparisonLines(comparison: Comparison): string[] {
  const { name, baseline, metric, difference, interval, p, won, lost, tied } = comparison;
  const most = extremesOf(comparison, EXTREMES);
  return [
    `${oneLine(name)} against ${oneLine(baseline)}: ${metric} ${signed(difference)} (${signed(interval[0])} to ${signed(interval[1])}), p = ${p.toFixed(4)}; ${won} won, ${lost} lost, ${tied} equal`,
    ...extremeLines('won most', most.won),
    ...extremeLines('lost most', most.lost),
  ];
}

/** A table with a line for each question and mode. */
export function queryLines({ benchmark, modes }: Evaluation): string[] {
  const figures = Object.keys(modes[0]?.byQuestion.values().next().value ?? {});
  const rows = benchmark.questions.flatMap(({ id }) =>
    modes.map(({ name, byQuestion }) => [
      oneLine(id),
      oneLine(name),
      ...figures.map((figure) => byQuestion.get(id)?.[figure]?.toFixed(4) ?? ''),
    ]),
  );
  return alignColumns([['query', 'mode', ...figures], ...rows]);
}

function extremeLines(caption: string, questions: readonly QuestionDifference[]): string[] {
  if (questions.length === 0) return [];
  const lines = questions.map(({ id, text, figure, baseline }) =>
    fitColumns(`    ${signed(figure - baseline)}  ${oneLine(id)}  ${oneLine(text)}`, MAX_TEXT),
  );
  return [`  ${caption}`, ...lines];
}

function short(value: number): string {
  return value.toFixed(3).replace(/^0/, '');
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(4)}`;
}
