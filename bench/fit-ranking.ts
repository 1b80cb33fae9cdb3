// Fits the weights of data/ranking.json to judged questions, and tells how well they do on questions they were not
// fitted to.
import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { RANKING_FEATURES } from '../src/result.js';
import { RANKING_MODEL, type RankingModel } from '../src/search/ranking/features.js';
import { fittedTo } from './ranking/fitted.js';
import { gatherQuestions, isServed, type JudgedQuestion, TERMS } from './ranking/judged-questions.js';
import { type JudgedSet, readSets, setsOfFolders } from './ranking/judged-sets.js';
import { weightTable } from './ranking/report.js';

interface Flags {
  readonly sets?: string;
  readonly root?: string;
  readonly database?: string;
  readonly keep?: string;
  readonly out?: string;
}

await new Command('fit-ranking')
  .description('fit the weights of the hybrid score to questions with known answers')
  .argument('[folders...]', 'benchmark folders with a corpus of their own')
  .option('--sets <file>', 'JSON list of sets, as bench/ranking-sets.json')
  .option('--root <folder>', 'where the folders of --sets are (default: beside that file)')
  .option('--database <file>', 'loaded catalogue that sets without a corpus are asked of')
  .option('--keep <folder>', 'keep loaded corpora here')
  .option('--out <file>', 'write the weights to this file instead of data/ranking.json')
  .action(main)
  .parseAsync();

async function main(folders: readonly string[], flags: Flags): Promise<void> {
  const listed = flags.sets === undefined ? [] : await readSets(flags.sets, flags);
  const sets = [...setsOfFolders(folders), ...listed];
  if (sets.length === 0) throw new Error('name benchmark folders, or a file of sets (--sets)');
  const questions = await gatherAll(sets, flags.keep);
  const fitted = fittedTo(questions);
  for (const [kind, title] of [
    ['readable', 'English'],
    ['glossed', 'other languages'],
  ] as const) {
    const of = questions.filter((one) => !one.foreign && one.glossed === (kind === 'glossed') && isServed(one));
    if (of.length === 0) continue;
    print(
      `${title}: nDCG@10 of sums by weight, names aside`,
      weightTable(of, { before: weightsOf(RANKING_MODEL, kind), weights: fitted[kind] }),
    );
  }

  const facts = { sets: sets.map(({ name }) => name), questions: questions.length };
  const weights = {
    // Set by hand.
    first: modelIn(RANKING_MODEL).weights.first,
    readable: namedWeights(fitted.readable),
    glossed: namedWeights(fitted.glossed),
    foreign: namedWeights(fitted.foreign),
  };
  // The others are fitted to these weights, each by a command of its own.
  const { evidence, decision } = modelIn(RANKING_MODEL);
  const text = JSON.stringify({ weights, evidence, decision, fitted: facts }, rounded, 2);
  writeFileSync(flags.out ?? RANKING_MODEL, `${text}\n`);
  console.log(`written: ${flags.out ?? 'data/ranking.json'}`);
}

async function gatherAll(sets: readonly JudgedSet[], keep: string | undefined): Promise<JudgedQuestion[]> {
  const questions: JudgedQuestion[] = [];
  for (const set of sets) {
    const onProgress = (done: number, all: number): void => {
      if (done % 100 === 0) process.stderr.write(`${set.name}: ${done} of ${all}\n`);
    };
    questions.push(...(await gatherQuestions(set, { keep, onProgress })));
  }
  return questions;
}

function modelIn(path: URL): RankingModel {
  return JSON.parse(readFileSync(path, 'utf8')) as RankingModel;
}

/** The weights of a file; 0 for what it has none of, such as a feature that is new. */
function weightsOf(path: URL, kind: 'readable' | 'glossed'): Float64Array {
  const { weights } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly weights?: { readonly [kind in 'readable' | 'glossed']?: Record<string, Record<string, number>> };
  };
  return Float64Array.from(TERMS, ({ feature, part }) => weights?.[kind]?.[feature]?.[part] ?? 0);
}

function namedWeights(weights: Float64Array): object {
  const parts = { weight: 0, bySize: 0, byLength: 0 };
  const of = (feature: string): object => {
    const fitted = TERMS.flatMap((term, i) => (term.feature === feature ? [[term.part, weights[i]]] : []));
    return { ...parts, ...Object.fromEntries(fitted) };
  };
  return Object.fromEntries(RANKING_FEATURES.map((feature) => [feature, of(feature)]));
}

/** More digits say nothing, and would differ from machine to machine. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}

function print(title: string, table: string): void {
  console.log(`${title}\n\n${table}\n`);
}
