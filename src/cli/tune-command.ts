import { type Command, Option } from 'commander';
import {
  MAX_NEGATIVES,
  MAX_PER_SKILL,
  NEAREST_TO,
  type NearestTo,
  PAIR_KINDS,
  type PairKind,
  type PairReport,
  type TrainingPair,
  writePairs,
} from '../tuning/index.js';
import { addCatalogueOptions, type CataloguePlace, placeOf, withPlace } from './catalogue-option.js';
import { collectChoices, jsonOption, modelOption, parseInteger } from './common-options.js';
import { counted } from './counted.js';
import { columnsOf, type Output, printJson, printLines } from './output.js';
import { ProgressBar } from './progress-bar.js';
import type { SetUp } from './set-up.js';
import { oneLine } from './terminal-text.js';
import { alignColumns, fitColumns } from './text-columns.js';
import { untilInterrupted } from './until-interrupted.js';

/** The options of `tune pairs`, as the command line gives them. */
interface PairFlags extends CataloguePlace {
  readonly out: string;
  readonly without?: string;
  readonly requests?: string;
  readonly kind?: readonly PairKind[];
  readonly perSkill: number;
  readonly negatives: number;
  readonly nearestTo: NearestTo;
  readonly model?: string;
  readonly seed: number;
  readonly sample: number;
  readonly json?: true;
}

export const setUpTune: SetUp = (tune, output) => {
  const pairs: Command = addCatalogueOptions(
    tune.command('pairs').description('make pairs of a text and its skill, which a model can be trained with'),
  )
    .option('--out <file>', 'where to write the pairs: JSON Lines', 'pairs.jsonl')
    .option('--without <file>', 'ids of skills to hold out, with their copies, one a line')
    .option('--requests <file>', 'requests that people wrote: JSON Lines of skill, request, language and english')
    .addOption(
      new Option('--kind <kind>', 'make pairs of this kind; may be repeated (default: all)')
        .choices(PAIR_KINDS)
        .argParser(collectChoices(PAIR_KINDS)),
    )
    .option('--per-skill <n>', `pairs of each kind that a skill gives, 1 to ${MAX_PER_SKILL}`, parseInteger, 2)
    .option(
      '--negatives <n>',
      `skills that are near but not meant, for each pair, 0 to ${MAX_NEGATIVES}`,
      parseInteger,
      0,
    )
    .addOption(
      new Option('--nearest-to <what>', 'what these are near to: the right skill, or the text, which takes longer')
        .choices(NEAREST_TO)
        .default('skill'),
    )
    .addOption(modelOption())
    .option('--seed <n>', 'of the random numbers that decide what is chosen', parseInteger, 1)
    .option('--sample <n>', 'pairs of each kind to print', parseInteger, 3)
    .addOption(jsonOption());
  pairs.action((flags: PairFlags) => makePairs(withPlace(pairs, flags), output));
};

async function makePairs(flags: PairFlags, output: Output): Promise<void> {
  const { out, without, requests, kind: kinds, perSkill, negatives, nearestTo, model, seed, sample } = flags;
  await untilInterrupted(async (signal) => {
    const bar = new ProgressBar(output.error);
    const report = await writePairs(out, {
      ...placeOf(flags),
      without,
      requests,
      kinds,
      perSkill,
      negatives,
      nearestTo,
      model,
      seed,
      sample,
      signal,
      onProgress: ({ phase, done, total }) =>
        bar.show({
          format: READING,
          value: done,
          total,
          payload: { what: WHAT[phase], done: done.toLocaleString('en'), of: phase === 'requests' ? phase : 'skills' },
        }),
    }).finally(() => bar.stop());
    for (const note of notesOf(report, flags)) output.error.write(`note: ${oneLine(note)}\n`);
    if (flags.json === true) printJson(output, report);
    else printLines(output, reportLines(report, flags, columnsOf(output)));
  });
}

const READING = ' {bar} {percentage}% | {what}: {done} {of} | {eta_formatted} left';
const WHAT = { requests: 'writing pairs', counting: 'counting phrases', writing: 'writing pairs' } as const;

/** What somebody should know who expected more pairs. */
function notesOf({ leftOut, pairs, warnings }: PairReport, { without, requests }: PairFlags): string[] {
  const notes: string[] = [...warnings];
  const { unknownIds, damaged } = leftOut;
  if (unknownIds > 0)
    notes.push(`${counted(unknownIds, 'id')} of ${without} ${unknownIds === 1 ? 'is' : 'are'} not in the catalogue`);
  const { unknown, heldOut, repeated } = leftOut.requests;
  if (unknown > 0) notes.push(`${counted(unknown, 'request')} of ${requests} left out: the catalogue lacks the skill`);
  if (heldOut > 0) notes.push(`${counted(heldOut, 'request')} of ${requests} left out: the skill is held out`);
  if (repeated > 0) notes.push(`${counted(repeated, 'request')} of ${requests} left out: repeated`);
  if (damaged > 0) notes.push(`${counted(damaged, 'skill')} left out: damaged`);
  if (pairs === 0) notes.push('there is no pair: nothing could be learnt from this catalogue');
  return notes;
}

function reportLines(report: PairReport, { out, negatives }: PairFlags, columns: number): string[] {
  const { pairs, skills, byKind, byLanguage, withNegatives, leftOut, sample } = report;
  const languages = Object.entries(byLanguage).map(([language, count]) => `${language} ${count.toLocaleString('en')}`);
  const lines = [
    `${counted(pairs, 'pair')} of ${counted(skills, 'skill')}, in ${out}`,
    '',
    ...alignColumns([['kind', 'pairs'], ...PAIR_KINDS.map((kind) => [kind, byKind[kind].toLocaleString('en')])]),
    '',
    `languages: ${languages.join(', ') || 'none'}`,
  ];
  if (negatives > 0) lines.push(`with negatives: ${withNegatives.toLocaleString('en')}`);
  lines.push(
    `left out: ${counted(leftOut.heldOut, 'skill')} held out, ${counted(leftOut.frequent, 'text')} that more than three skills have`,
  );
  for (const kind of PAIR_KINDS) {
    const some = sample.filter((pair) => pair.kind === kind);
    if (some.length > 0) lines.push('', kind, ...some.flatMap((pair) => sampleLines(pair, columns)));
  }
  return lines;
}

function sampleLines({ text, document }: TrainingPair, columns: number): string[] {
  return [fitColumns(`  ${oneLine(text)}`, columns), fitColumns(`      ${oneLine(document)}`, columns)];
}
