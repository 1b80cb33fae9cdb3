/**
 * Measures ranking on a benchmark folder in the BEIR layout, by nDCG@10 as trec_eval computes it (linear gain):
 *
 *     npm run bench:relevance -- FOLDER [--database FILE] [--model FOLDER] [--filter REGEXP]… [--ranking hybrid|vector]…
 *
 * The corpus is the folder's `corpus.jsonl.gz`, held in memory, or a catalogue that was loaded before. Copies are kept.
 */
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createGunzip, gunzipSync } from 'node:zlib';
import { openSkillSearch, RANKINGS, type Ranking, type SkillSearch } from '../src/index.js';

const DEPTH = 10;

interface Query {
  readonly _id: string;
  readonly text: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    database: { type: 'string' },
    model: { type: 'string' },
    filter: { type: 'string', multiple: true, default: [''] },
    ranking: { type: 'string', multiple: true, default: [...RANKINGS] },
  },
});
const folder = positionals[0] ?? fail('name a benchmark folder');
const queries = readQueries();
const judgements = readJudgements();

const { database, model } = values;
await using search = await openSkillSearch(
  database === undefined ? { skills: corpus(join(folder, 'corpus.jsonl.gz')), model } : { database, model },
);
console.log(`${folder}: ${queries.length} queries over ${search.stats().skills.toLocaleString('en')} documents`);
for (const [filter, ranking] of values.filter.flatMap((one) => values.ranking.map((other) => [one, other] as const))) {
  const asked = queries.filter(({ _id }) => new RegExp(filter).test(_id));
  const figures = await measure(search, asked, ranking as Ranking);
  console.log(
    `${filter} (${asked.length}) ${ranking}: nDCG@10 ${figures.ndcg.toFixed(4)}  recall@10 ${figures.recall.toFixed(4)}`,
  );
}

async function measure(
  opened: SkillSearch,
  asked: readonly Query[],
  ranking: Ranking,
): Promise<{ ndcg: number; recall: number }> {
  let [ndcg, recall] = [0, 0];
  for (const { _id, text } of asked) {
    const { hits } = await opened.semantic({ q: text.slice(0, 2000), ranking, limit: DEPTH, copies: 'keep' });
    const gains = judgements.get(_id) ?? new Map<string, number>();
    const found = hits.map(({ skill }) => gains.get(skill.id) ?? 0);
    const ideal = [...gains.values()].sort((a, b) => b - a).slice(0, DEPTH);
    ndcg += discounted(ideal) === 0 ? 0 : discounted(found) / discounted(ideal);
    recall +=
      found.filter((gain) => gain > 0).length / Math.max(1, [...gains.values()].filter((gain) => gain > 0).length);
  }
  return { ndcg: ndcg / asked.length, recall: recall / asked.length };
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
}

async function* corpus(path: string): AsyncGenerator<unknown> {
  for await (const line of createInterface({ input: createReadStream(path).pipe(createGunzip()) })) {
    const { _id, title, text } = JSON.parse(line) as { _id: string; title: string; text: string };
    yield { id: _id, name: title || text.slice(0, 80) || _id, description: text || title || _id };
  }
}

function readQueries(): Query[] {
  const path = join(folder, 'queries.jsonl');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : gunzipSync(readFileSync(`${path}.gz`)).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Query);
}

function readJudgements(): Map<string, Map<string, number>> {
  const all = new Map<string, Map<string, number>>();
  for (const line of readFileSync(join(folder, 'qrels.tsv'), 'utf8').split('\n').slice(1)) {
    const [query, document, gain] = line.split('\t');
    if (query === undefined || document === undefined) continue;
    const gains = all.get(query) ?? new Map<string, number>();
    all.set(query, gains.set(document, Number(gain)));
  }
  return all;
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
