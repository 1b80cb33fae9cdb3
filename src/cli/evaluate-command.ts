import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type Benchmark,
  type Corpus,
  EVALUATION_MODES,
  type Evaluation,
  type EvaluationMode,
  evaluate,
  MAX_DEPTH,
  type NamedRun,
  openCorpus,
  readBenchmark,
  readRun,
  reportPage,
  summarise,
  writeRun,
} from '../evaluation/index.js';
import { SkillSearchError } from '../index.js';
import type { SetUp } from './commands.js';
import { jsonOption, modelOption, parseInteger } from './common-options.js';
import { comparisonLines, meansLines, queryLines } from './evaluation-lines.js';
import { LoadProgressBar } from './load-progress-bar.js';
import { type Output, printJson, printLines } from './output.js';
import { ProgressBar } from './progress-bar.js';
import { type StopWordsFlags, stopWordsOf, stopWordsOption } from './stop-words-option.js';
import { oneLine } from './terminal-text.js';

interface EvaluateFlags extends StopWordsFlags {
  readonly database?: string;
  readonly catalogue?: string;
  readonly extra?: string;
  readonly extraFiles?: string;
  readonly without?: string;
  /** False by --no-files. */
  readonly files: boolean;
  readonly keep?: string;
  readonly model?: string;
  readonly qrels?: string;
  readonly filter?: RegExp;
  readonly mode?: readonly EvaluationMode[];
  readonly run?: readonly string[];
  readonly compare?: string;
  readonly at?: readonly number[];
  readonly depth?: number;
  readonly abstention?: true;
  readonly seed?: number;
  readonly byQuery?: true;
  readonly saveRuns?: string;
  readonly html?: string;
  readonly json?: true;
}

const DEFAULT_DATABASE = 'skills.db';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export const setUpEvaluate: SetUp = (command, output) => {
  command
    .argument(
      '<benchmark>',
      'folder in the BEIR layout (queries.jsonl, qrels.tsv or qrels/test.tsv, corpus.jsonl; each also .gz), or JSON Lines of {"query": "…", "relevant": ["id", …]}',
    )
    .option(
      '--database <file>',
      `search this catalogue; it is not changed (default: the folder's corpus, else ${DEFAULT_DATABASE})`,
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
    .addOption(
      new Option('--mode <mode>', 'bm25 (any word), vector, hybrid or keyword; may be repeated (default: all)')
        .choices(EVALUATION_MODES)
        .argParser(collectModes),
    )
    .option('--run <file>', 'measure a TREC run too; may be repeated', collect)
    .option('--compare <run>', 'test the difference to a TREC run, or to one of the modes')
    .option('--at <k>', 'depth of nDCG, MRR, recall and precision; may be repeated (default: 10)', collectIntegers)
    .option('--depth <n>', `documents looked at for each question, 1 to ${MAX_DEPTH}`, parseInteger, MAX_DEPTH)
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
      return evaluateBenchmark(path, flags, output);
    });
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

async function evaluateBenchmark(path: string, flags: EvaluateFlags, output: Output): Promise<void> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('interrupted'));
  // Both, so that what is temporary is removed.
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    const benchmark = await readBenchmark(path, { qrels: flags.qrels, filter: flags.filter });
    const runs = await readRuns(flags.run ?? []);
    const modes = flags.mode ?? (runs.length > 0 ? [] : EVALUATION_MODES);
    const names: readonly string[] = [...modes, ...runs.map(({ name }) => name)];
    const baseline = await baselineOf(flags, names);
    await using corpus = modes.length > 0 ? await open(benchmark, modes, flags, output, stop.signal) : undefined;
    const remarks = [...benchmark.remarks, ...(corpus?.remarks ?? []), ...missingDocuments(benchmark, corpus)];
    for (const remark of remarks) output.error.write(`note: ${oneLine(remark)}\n`);

    const bar = new ProgressBar(output.error);
    const { at, depth, abstention, seed } = flags;
    const evaluation = await evaluate({
      benchmark,
      search: corpus?.search,
      modes,
      runs,
      baseline,
      at,
      depth,
      abstention,
      seed,
      signal: stop.signal,
      onProgress: ({ mode, done, total }) => {
        const payload = { mode, done: done.toLocaleString('en') };
        bar.show({ format: ASKING, value: done + modes.indexOf(mode) * total, total: total * modes.length, payload });
      },
    }).finally(() => bar.stop());
    print(evaluation, corpus, flags, output);
    await write(evaluation, modes, flags);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

const ASKING = ' {bar} {percentage}% | {mode}: {done} questions | {eta_formatted} left';

async function readRuns(paths: readonly string[]): Promise<NamedRun[]> {
  const runs: NamedRun[] = [];
  for (const path of paths) runs.push({ name: basename(path), run: await readRun(path) });
  return runs;
}

/** A page has a picture of differences wherever there are two to compare. */
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

async function open(
  { corpus, name }: Benchmark,
  modes: readonly EvaluationMode[],
  flags: EvaluateFlags,
  output: Output,
  signal: AbortSignal,
): Promise<Corpus> {
  const { catalogue, extra, extraFiles, without, files, keep, model } = flags;
  const documents = flags.database === undefined && catalogue === undefined ? corpus : undefined;
  const fallback = documents === undefined && catalogue === undefined ? DEFAULT_DATABASE : undefined;
  const database = flags.database ?? fallback;
  if (database !== undefined && !existsSync(database)) {
    const why = flags.database === undefined ? `${name} has no documents of its own, and ` : '';
    const message = `${why}there is no catalogue at ${database}: name one (--database), or what to load (--catalogue)`;
    throw new SkillSearchError('DATABASE_NOT_FOUND', message, { path: database });
  }
  const stopWords = await stopWordsOf(flags);
  const bar = new LoadProgressBar(output.error);
  try {
    return await openCorpus({
      documents,
      catalogue,
      database,
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
  } finally {
    bar.stop();
  }
}

/** A wrong id in the judgements looks like a bad ranking. */
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
  const { benchmark, comparisons } = evaluation;
  const questions = `${benchmark.questions.length.toLocaleString('en')} ${benchmark.questions.length === 1 ? 'question' : 'questions'}`;
  const over = corpus === undefined ? '' : ` over ${corpus.search.stats().skills.toLocaleString('en')} documents`;
  printLines(output, [
    oneLine(`${benchmark.name}: ${questions}${over}`),
    '',
    ...meansLines(evaluation),
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
  await mkdir(saveRuns, { recursive: true });
  for (const mode of modes) {
    const made = evaluation.modes.find(({ name }) => name === mode);
    if (made !== undefined)
      await writeFile(join(saveRuns, `${evaluation.benchmark.name}.${mode}.run`), writeRun(made.run, mode));
  }
}

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

function collectModes(value: string, previous: readonly EvaluationMode[] = []): EvaluationMode[] {
  const mode = EVALUATION_MODES.find((one) => one === value);
  if (mode === undefined) throw new InvalidArgumentError(`Allowed choices are ${EVALUATION_MODES.join(', ')}.`);
  return previous.includes(mode) ? [...previous] : [...previous, mode];
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
