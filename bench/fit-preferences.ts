// Fits what counts among skills that answer alike (`evidence` of data/ranking.json) to which of two equally useful
// skills readers would rather be shown, and tells how often the better liked of two comes first.
import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { openSkillSearch, type SkillSearch } from '../src/index.js';
import { readQuestion } from '../src/keyword/index.js';
import { askerOf, type EvidenceWeights, evidenceValues, factsOf } from '../src/search/ranking/alike.js';
import { RANKING_MODEL, type RankingModel } from '../src/search/ranking/features.js';
import { readRequests } from './judging/requests.js';
import { solve } from './ranking/solve.js';

const NAMES = ['language', 'english', 'owner', 'stars', 'description'] as const satisfies (keyof EvidenceWeights)[];

/**
 * How much evidence counts beside the sum of a hit, for an even chance of e to 1 that it is preferred. Chosen by hand:
 * of .02 to 1, with more the graded requests lose.
 */
const BESIDE_SUM = 0.2;

/** Holds large weights against a fit. */
const RIDGE = 0.003;
const STEPS = 20;

interface Pair {
  readonly q: string;
  readonly preferred: string;
  readonly other: string;
}

await new Command('fit-preferences')
  .description('fit what counts among skills that answer alike, and tell how often the preferred one comes first')
  .requiredOption('--database <file>', 'loaded catalogue')
  .option('--write', 'write the weights to data/ranking.json')
  .action(main)
  .parseAsync();

async function main({ database, write }: { readonly database: string; readonly write?: true }): Promise<void> {
  await using search = await openSkillSearch({ database });
  const weights = fitted(pairsOf('fit').map((pair) => difference(search, pair)));
  console.log('logits:', weights.map((weight, i) => `${NAMES[i]} ${weight.toFixed(2)}`).join(', '));
  const evidence = Object.fromEntries(NAMES.map((name, i) => [name, Number((BESIDE_SUM * weights[i]!).toFixed(2))]));
  if (write) {
    const model = JSON.parse(readFileSync(RANKING_MODEL, 'utf8')) as RankingModel;
    writeFileSync(RANKING_MODEL, `${JSON.stringify({ ...model, evidence }, undefined, 2)}\n`);
  }
  for (const half of ['fit', 'report'] as const) {
    const pairs = pairsOf(half);
    let first = 0;
    for (const pair of pairs) if (await isFirst(search, pair)) first += 1;
    console.log(`${half}: the preferred one comes first in ${(first / pairs.length).toFixed(3)} of ${pairs.length}`);
  }
}

function pairsOf(half: 'fit' | 'report'): Pair[] {
  const folder = new URL(`requests/${half}/`, import.meta.url);
  const texts = new Map(readRequests([new URL('queries.jsonl', folder).pathname]).map(({ _id, text }) => [_id, text]));
  const [, ...lines] = readFileSync(new URL('preferences.tsv', folder), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [request = '', preferred = '', other = ''] = line.split('\t');
    return { q: texts.get(request)!, preferred, other };
  });
}

/** By how much more the preferred skill of a pair has of each value. */
function difference(search: SkillSearch, { q, preferred, other }: Pair): number[] {
  const asker = askerOf(readQuestion(q), undefined);
  const [one, two] = [preferred, other].map((id) => evidenceValues(factsOf(search.get(id)!), asker));
  return NAMES.map((name) => one![name] - two![name]);
}

/** Logistic regression of pairs (R. Bradley and M. Terry, Rank analysis of incomplete block designs, 1952), by Newton. */
function fitted(differences: readonly number[][]): readonly number[] {
  let weights = NAMES.map(() => 0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map((weight) => RIDGE * differences.length * weight);
    const hessian = NAMES.map((_, i) => NAMES.map((__, j) => (i === j ? RIDGE * differences.length : 0)));
    for (const values of differences) {
      const missed = 1 / (1 + Math.exp(values.reduce((sum, value, i) => sum + value * weights[i]!, 0)));
      for (const [i, value] of values.entries()) {
        gradient[i]! -= missed * value;
        for (const [j, other] of values.entries()) hessian[i]![j]! += missed * (1 - missed) * value * other;
      }
    }
    const direction = solve(Float64Array.from(hessian.flat()), Float64Array.from(gradient));
    weights = weights.map((weight, i) => weight - direction[i]!);
  }
  return weights;
}

async function isFirst(search: SkillSearch, { q, preferred, other }: Pair): Promise<boolean> {
  const { hits } = await search.semantic({ q, limit: 100 });
  const [one, two] = [preferred, other].map((id) => hits.findIndex(({ skill }) => skill.id === id));
  return one! >= 0 && (two! < 0 || one! < two!);
}
