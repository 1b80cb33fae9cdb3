import { type Command, InvalidArgumentError, Option } from 'commander';
import { EVALUATION_MODES, GAIN_FUNCTIONS, MAX_DEPTH } from '../evaluation/index.js';
import { COPY_MODES } from '../index.js';
import { collectChoices, jsonOption, modelOption, parseInteger } from './common-options.js';
import { DEFAULT_DATABASE, type EvaluateFlags, evaluateBenchmark } from './evaluate-benchmark.js';
import type { SetUp } from './set-up.js';
import { addSharedOptions, sharedOptionsOf } from './shared-options.js';
import { stopWordsOption } from './stop-words-option.js';

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
