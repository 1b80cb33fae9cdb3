// Searches a catalogue of generated vectors by meaning, and prints times, memory and recall as JSON. A process of its
// own.
import { readFileSync } from 'node:fs';
import { openSkillSearch, type Ranking } from '../src/index.js';
import { embeddedText } from '../src/semantic/index.js';
import { Database } from '../src/store/sqlite.js';
import { spreadOf } from './engine.js';
import { GeneratedVectors, questionNear } from './generated-vectors.js';
import { sampleIds } from './questions.js';

const DEPTH = 10;
const QUESTIONS = 100;
const LONGEST = 1500;

const { database, seed } = JSON.parse(readFileSync(0, 'utf8')) as { database: string; seed: number };
const embedder = new GeneratedVectors(seed);
const started = performance.now();
const search = await openSkillSearch({ database, embedder, warmUp: true });
const openSeconds = (performance.now() - started) / 1000;
const questions = sampleIds(database)
  .map((id) => search.get(id))
  .flatMap((skill) => (skill === undefined ? [] : [embeddedText(skill.name, skill.description)]))
  .filter((text) => text.length < LONGEST)
  .slice(0, QUESTIONS)
  .map(questionNear);

const vector = await ask('vector');
const hybrid = await ask('hybrid');
const rss = process.memoryUsage.rss();
await search.close();
const truth = nearestOf(questions.map((q) => embedder.vectorOf(q)));
const found = vector.hits.map((ids, i) => ids.filter((id) => truth[i]?.includes(id)).length);
const recall = found.reduce((sum, count) => sum + count, 0) / (questions.length * DEPTH);
console.log(
  JSON.stringify({ openSeconds, rss, recall, vector: spreadOf(vector.times), hybrid: spreadOf(hybrid.times) }),
);

async function ask(ranking: Ranking): Promise<{ times: number[]; hits: string[][] }> {
  const [times, hits]: [number[], string[][]] = [[], []];
  for (const q of questions.slice(0, 10)) await search.semantic({ q, ranking, copies: 'keep' });
  for (const q of questions) {
    const before = performance.now();
    const result = await search.semantic({ q, ranking, copies: 'keep', limit: DEPTH });
    times.push(performance.now() - before);
    hits.push(result.hits.map(({ skill }) => skill.id));
  }
  return { times, hits };
}

/** Ids of the skills with the largest cosines, by computing all of them. */
function nearestOf(asked: readonly Float32Array[]): string[][] {
  const best = asked.map(() => [] as { id: string; cosine: number }[]);
  const connection = new Database(database, { readonly: true });
  const rows = connection
    .prepare<[], [string, Buffer]>(
      'SELECT skill.id, vector.embedding FROM skill JOIN vector ON vector.text_hash = skill.text_hash',
    )
    .raw()
    .iterate();
  for (const [id, bytes] of rows) {
    const values = new Float32Array(new Uint8Array(bytes).buffer);
    for (const [i, question] of asked.entries()) {
      let cosine = 0;
      for (let d = 0; d < values.length; d++) cosine += (values[d] as number) * (question[d] as number);
      const kept = best[i] as { id: string; cosine: number }[];
      if (kept.length === DEPTH && cosine <= (kept[DEPTH - 1]?.cosine ?? 0)) continue;
      kept.push({ id, cosine });
      kept.sort((a, b) => b.cosine - a.cosine);
      if (kept.length > DEPTH) kept.pop();
    }
  }
  connection.close();
  return best.map((kept) => kept.map(({ id }) => id));
}
