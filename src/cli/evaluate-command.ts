import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { checkDatabase, isCatalogueAddress, makeFolder } from '../core/index.js';
import {
  type Benchmark,
  type Comparison,
  type ConfidentShare,
  type Corpus,
  type CorpusOptions,
  EVALUATION_MODES,
  type EvaluateOptions,
  type Evaluation,
  type EvaluationMode,
  evaluate,
  extremesOf,
  GAIN_FUNCTIONS,
  MAX_DEPTH,
  type NamedRun,
  openCorpus,
  type QuestionDifference,
  type ReadBenchmarkOptions,
  type Reliability,
  readBenchmark,
  readRun,
  reportPage,
  summarise,
  writeRun,
} from '../evaluation/index.js';
import { COPY_MODES, SkillSearchError } from '../index.js';
import {
  addPlaceOptions,
  addReadingOptions,
  choiceOption,
  collect,
  jsonOption,
  modelOption,
  parseInteger,
  pick,
  placeOf,
  type ReadingFlags,
  readingOf,
  sayWaiting,
} from './options.js';
import { type Output, oneLine, printJson, printLines, untilInterrupted } from './output.js';
import { LoadProgressBar, ProgressBar } from './progress-bar.js';
import type { SetUp } from './run.js';
import { alignColumns, counted, fitColumns } from './text-columns.js';

/** The catalogue that is searched where nothing else is named. */
const DEFAULT_DATABASE = 'skills.db';

export const setUp: SetUp = (command, output) => {
  command
    .argument(
      '<benchmark>',
      'folder in the BEIR layout (queries.jsonl, qrels.tsv or qrels/test.tsv, corpus.jsonl; each also .gz), or JSON Lines of {"query": "…", "relevant": ["id", …]} or {"query": "…", "grades": {"id": 3, …}}',
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
    .option('--mode <mode>', `${EVALUATION_MODES.join(', ')}; may be repeated (default: all)`, collectModes)
    .option('--run <file>', 'measure a TREC run too; may be repeated', collect)
    .option('--compare <run>', 'test the difference to a TREC run, or to one of the modes')
    .option('--at <k>', 'depth of nDCG, MRR, recall and precision; may be repeated (default: 10)', collectIntegers)
    .option('--depth <n>', `documents looked at for each question, 1 to ${MAX_DEPTH}`, parseInteger, MAX_DEPTH)
    .addOption(
      choiceOption(
        '--gain <how>',
        'what a grade counts in nDCG: itself, or 2^grade - 1 (default: linear, exponential for a file with grades)',
        GAIN_FUNCTIONS,
      ),
    )
    .addOption(choiceOption('--copies <mode>', 'count copies as one document, or keep them (the default)', COPY_MODES))
    .option('--abstention', 'ask each question also with its right answers taken out: area under the ROC curve (auroc)')
    .option('--seed <n>', 'of the random numbers that intervals and tests draw', parseInteger, 1)
    .option('--by-query', 'tell the figures of each question')
    .option('--save-runs <folder>', 'write a TREC run for each mode')
    .option('--html <file>', 'write a page with pictures')
    .addOption(modelOption());
  addReadingOptions(command)
    .addOption(jsonOption())
    .action((path: string, flags: EvaluateFlags) => {
      const isNamed = command.getOptionValueSource('database') !== 'default';
      for (const name of ['catalogue', 'keep'] as const) {
        if (!isNamed || flags[name] === undefined) continue;
        const why = name === 'keep' ? 'that is a catalogue already' : 'what is searched is one of them';
        command.error(`error: option '--${name}' cannot be used with '--database': ${why}`);
      }
      if (!flags.files && flags.extraFiles !== undefined) {
        command.error("error: option '--extra-files' cannot be used with '--no-files'");
      }
      const { database, ...shared } = placeOf(command, flags);
      return evaluateBenchmark(path, { ...flags, ...shared, database: isNamed ? database : undefined }, output);
    });
  addPlaceOptions(
    command,
    `search this catalogue, as a file or an address; it is not changed (default: the folder's corpus, else ${DEFAULT_DATABASE})`,
  );
};

function collectModes(value: string, previous: readonly EvaluationMode[] = []): EvaluationMode[] {
  const mode = EVALUATION_MODES.find((one) => one === value);
  if (mode === undefined) throw new InvalidArgumentError(`Allowed choices are ${EVALUATION_MODES.join(', ')}.`);
  return [...new Set([...previous, mode])];
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

/** Flags that are options of the library under the same names. */
const [OF_BENCHMARK, OF_CORPUS, OF_EVALUATION] = [
  ['qrels', 'filter', 'ask'],
  ['catalogue', 'extra', 'extraFiles', 'without', 'files', 'keep', 'model'],
  ['at', 'depth', 'gain', 'copies', 'abstention', 'seed'],
] as const;

interface EvaluateFlags
  extends ReadingFlags,
    Pick<ReadBenchmarkOptions, (typeof OF_BENCHMARK)[number]>,
    Pick<CorpusOptions, Exclude<(typeof OF_CORPUS)[number], 'files'>>,
    Pick<EvaluateOptions, (typeof OF_EVALUATION)[number]> {
  readonly database: string;
  /** False for `--no-files`. */
  readonly files: boolean;
  readonly mode?: readonly EvaluationMode[];
  readonly run?: readonly string[];
  readonly compare?: string;
  readonly byQuery?: true;
  readonly saveRuns?: string;
  readonly html?: string;
  readonly json?: true;
}

/** The flags, with the catalogue that was named, if one was. */
type Flags = Omit<EvaluateFlags, 'database'> & Pick<CorpusOptions, 'database' | 'cache' | 'passwordFile'>;

/** Reads a benchmark, asks its questions, and prints and writes the figures. */
async function evaluateBenchmark(path: string, flags: Flags, output: Output): Promise<void> {
  await untilInterrupted(async (signal) => {
    const benchmark = await readBenchmark(path, pick(flags, ...OF_BENCHMARK));
    const runs: NamedRun[] = [];
    for (const file of flags.run ?? []) runs.push({ name: basename(file), run: await readRun(file) });
    const modes = flags.mode ?? (runs.length > 0 ? [] : EVALUATION_MODES);
    const baseline = await baselineOf(flags, [...modes, ...runs.map(({ name }) => name)]);
    await using corpus = modes.length > 0 ? await openDocuments(benchmark, modes, flags, output, signal) : undefined;
    const remarks = [...benchmark.remarks, ...(corpus?.remarks ?? []), ...missingDocuments(benchmark, corpus)];
    for (const remark of remarks) output.error.write(`note: ${oneLine(remark)}\n`);

    const bar = new ProgressBar(output.error);
    const evaluation = await evaluate({
      ...{ benchmark, search: corpus?.search, modes, runs, baseline, signal },
      ...pick(flags, ...OF_EVALUATION),
      onProgress: ({ mode, done, total }) => {
        const payload = { mode, done: done.toLocaleString('en') };
        bar.show({ format: ASKING, value: done + modes.indexOf(mode) * total, total: total * modes.length, payload });
      },
    }).finally(() => bar.stop());
    if (flags.json === true) printJson(output, summarise(evaluation, { byQuery: flags.byQuery }));
    else printLines(output, linesOf(evaluation, corpus, flags.byQuery === true));
    await write(evaluation, modes, flags);
  });
}

const ASKING = ' {bar} {percentage}% | {mode}: {done} questions | {eta_formatted} left';

/** What `--compare` names. For a page without it the first mode, so that it has a picture of differences. */
async function baselineOf({ compare, html }: Flags, names: readonly string[]): Promise<string | NamedRun | undefined> {
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
  flags: Flags,
  output: Output,
  signal: AbortSignal,
): Promise<Corpus> {
  const documents = flags.database === undefined && flags.catalogue === undefined ? corpus : undefined;
  const isLoaded = documents !== undefined || flags.catalogue !== undefined;
  const database = flags.database ?? (isLoaded ? undefined : DEFAULT_DATABASE);
  if (database !== undefined && !isCatalogueAddress(database) && !existsSync(checkDatabase(database))) {
    const why = flags.database === undefined ? `${name} has no documents of its own, and ` : '';
    const message = `${why}there is no catalogue at ${database}: name one (--database), or what to load (--catalogue)`;
    throw new SkillSearchError('DATABASE_NOT_FOUND', message, { path: database });
  }
  const bar = new LoadProgressBar(output.error);
  try {
    const opening = openCorpus({
      ...pick(flags, ...OF_CORPUS, 'cache', 'passwordFile'),
      ...{ documents, database, ...(await readingOf(flags)), signal },
      semantic: modes.includes('vector') || modes.includes('hybrid'),
      onProgress: (progress) => bar.showLoad(progress),
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

function linesOf(evaluation: Evaluation, corpus: Corpus | undefined, byQuery: boolean): string[] {
  const { benchmark, comparisons, gain, copies } = evaluation;
  const questions = counted(benchmark.questions.length, 'question');
  const over = corpus === undefined ? '' : ` over ${corpus.search.stats().skills.toLocaleString('en')} documents`;
  const unusual = [...(gain === 'linear' ? [] : [`, ${gain} gain`]), ...(copies === 'keep' ? [] : [', copies as one'])];
  return [
    oneLine(`${benchmark.name}: ${questions}${over}${unusual.join('')}`),
    '',
    ...meansLines(evaluation),
    ...confidenceLines(evaluation),
    ...comparisons.flatMap((comparison) => ['', ...comparisonLines(comparison)]),
    ...(byQuery ? ['', ...queryLines(evaluation)] : []),
  ];
}

async function write(
  evaluation: Evaluation,
  modes: readonly EvaluationMode[],
  { saveRuns, html }: Flags,
): Promise<void> {
  if (html !== undefined) await writeFile(html, reportPage(evaluation));
  if (saveRuns === undefined) return;
  makeFolder(saveRuns);
  for (const [i, mode] of modes.entries()) {
    await writeFile(
      join(saveRuns, `${evaluation.benchmark.name}.${mode}.run`),
      writeRun(evaluation.modes[i]!.run, mode),
    );
  }
}

const MAX_TEXT = 90;
const EXTREMES = 5;

/** A table of the means: a line for each mode, and below it the intervals. */
function meansLines({ modes }: Evaluation): string[] {
  const figures = Object.keys(modes[0]?.figures ?? {});
  const rows = modes.flatMap(({ name, figures: means, intervals }) => [
    [oneLine(name), ...figures.map((figure) => means[figure]!.toFixed(4))],
    ['', ...figures.map((figure) => intervals[figure]?.map(short).join('-') ?? '')],
  ]);
  return [...alignColumns([['', ...figures], ...rows]), '', '(below each mean its 95 % interval)'];
}

/** How confident the answers of each mode are, and how far its scores are probabilities; nothing if not measured. */
function confidenceLines({ modes }: Evaluation): string[] {
  const shares = modes.flatMap(({ name, confident }) => {
    if (confident === undefined) return [];
    const both = [confident.served, confident.unserved];
    const kinds = Object.entries(confident.byKind ?? {});
    return [
      [oneLine(name), ...both.map(shareOf)],
      ['', ...both.map(({ interval, questions }) => (questions === 0 ? '' : interval.map(short).join('-')))],
      ...kinds.map(([kind, { served, unserved }]) => [`  ${oneLine(kind)}`, shareOf(served), shareOf(unserved)]),
    ];
  });
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

function calibrationLine(name: string, { score, useful, error, questions }: Reliability): string {
  const both = `mean score ${score.toFixed(4)}, useful ${useful.toFixed(4)}`;
  return `first hits of ${name}: ${both}, calibration error ${error.toFixed(4)} (${questions} questions)`;
}

/** The difference of two rankings, how likely it is chance, and the questions that differ most. */
function comparisonLines(comparison: Comparison): string[] {
  const { name, baseline, metric, difference, interval, p, won, lost, tied } = comparison;
  const most = extremesOf(comparison, EXTREMES);
  return [
    `${oneLine(name)} against ${oneLine(baseline)}: ${metric} ${signed(difference)} (${signed(interval[0])} to ${signed(interval[1])}), p = ${p.toFixed(4)}; ${won} won, ${lost} lost, ${tied} equal`,
    ...extremeLines('won most', most.won),
    ...extremeLines('lost most', most.lost),
  ];
}

/** A table with a line for each question and mode. */
function queryLines({ benchmark, modes }: Evaluation): string[] {
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
