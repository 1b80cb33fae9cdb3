/**
 * Opens catalogues whose derived files an enemy has written, with right checksums, and asks them. Answers each message,
 * a seed, with what happened; dies of what native code does with a wrong file.
 *
 *     enemy-reader.ts FOLDER
 */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readArrayFile, WORD_RULES, writeArrayFile } from '../../src/core/index.js';
import { randomNumbers } from '../../src/evaluation/compare.js';
import { buildCatalogue, openSkillSearch, SkillSearchError } from '../../src/index.js';
import { buildVectorFiles } from '../../src/semantic/index.js';
import { derivedFiles, filesBeside } from '../../src/store/files.js';
import { openStoredVectors } from '../../src/store/read/stored-vectors.js';
import { StandInEmbedder } from '../../test/semantic/stand-in-embedder.js';
import { answerMessages } from '../child-program.js';
import { QUESTIONS, trialRows } from '../loads.js';
import { oneOf, randomInteger } from '../trial.js';
import { spoilArrays, spoilGraph } from '../trials/enemy-files.js';

const SKILLS = 200;
const QUESTIONS_EACH = 4;
/** Megabytes beyond what it took before that one attempt may take. The catalogue takes less than one. */
const MOST_MEGABYTES = 200;

const folder = process.argv[2]!;
const database = join(folder, 'skills.db');
const embedder = new StandInEmbedder();
const rows = trialRows(randomNumbers(1), SKILLS);
const ids = new Set(rows.map(({ id }) => id));
const files = filesBeside(database);

await buildCatalogue({ database, sources: [{ name: 'rows', rows }], embedder });
const { stamp, vectors, close } = openStoredVectors(database);
const origin = { stamp, model: vectors.model ?? '' };
await buildVectorFiles({ files, ...origin, vectors: await vectors.all(), graphFrom: 100 });
close();
const saved = [database, ...derivedFiles(database)].filter((path) => existsSync(path));
for (const path of saved) copyFileSync(path, `${path}.good`);
const keywordIdentity = { kind: 'keywords', origin: { wordRules: WORD_RULES, stamp } } as const;
const vectorIdentity = { kind: 'vectors', origin } as const;
const keywordTree = (await readArrayFile(files.keyword, keywordIdentity))!;
const vectorTree = (await readArrayFile(files.vectors, vectorIdentity))!;
const graphs = files.graphs.filter((path) => existsSync(path)).map((path) => readFileSync(path));

export interface EnemyAnswer {
  /** What was done to which file. */
  readonly done: string;
  /** Answers and coded errors. */
  readonly answers: number;
  readonly errors: number;
  /** Whatever must not happen. */
  readonly broken: string | undefined;
}

answerMessages(async (message): Promise<EnemyAnswer> => {
  const random = randomNumbers(message as number);
  for (const path of saved) copyFileSync(`${path}.good`, path);
  const done = spoil(random);
  const before = memory();
  const counts = { answers: 0, errors: 0 };
  try {
    await askAll(random, counts);
    if (randomInteger(random, 10) === 0) await loadAgain(random);
    const grown = memory() - before;
    const broken = grown > MOST_MEGABYTES ? `took ${Math.round(grown)} MB` : undefined;
    return { done, ...counts, broken };
  } catch (error) {
    return { done, ...counts, broken: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
});

function spoil(random: () => number): string {
  const which = oneOf(random, ['keywords', 'keywords', 'keywords', 'vectors', 'graph'] as const);
  if (which === 'graph') {
    const slice = randomInteger(random, graphs.length);
    const { bytes, done } = spoilGraph(graphs[slice]!, random);
    writeFileSync(files.graphs[slice]!, bytes);
    const sizes = Float64Array.from(graphs, ({ length }, i) => (i === slice ? bytes.length : length));
    const crcs = Uint32Array.from(graphs, (graph, i) => crc32(i === slice ? bytes : graph));
    writeArrayFile(files.vectors, vectorIdentity, { ...vectorTree, graphs: { sizes, crcs } });
    return done;
  }
  const { tree, done } = spoilArrays(which === 'keywords' ? keywordTree : vectorTree, random);
  if (which === 'keywords') writeArrayFile(files.keyword, keywordIdentity, tree);
  else writeArrayFile(files.vectors, vectorIdentity, tree);
  return done;
}

/** Resident memory and buffers, in megabytes. */
function memory(): number {
  const { rss, arrayBuffers } = process.memoryUsage();
  return Math.max(rss, arrayBuffers) / 2 ** 20;
}

async function askAll(random: () => number, counts: { answers: number; errors: number }): Promise<void> {
  const ask = async (question: () => unknown): Promise<void> => {
    try {
      check(await question());
      counts.answers += 1;
    } catch (error) {
      if (!(error instanceof SkillSearchError)) throw error;
      counts.errors += 1;
    }
  };
  await ask(async () => {
    await using search = await openSkillSearch({ database, embedder });
    for (let left = QUESTIONS_EACH; left > 0; left--) {
      const q = oneOf(random, QUESTIONS);
      await ask(() => search.keyword({ q }));
      await ask(() => search.keyword({ q, category: 'web', sortBy: 'recent', copies: 'keep', limit: 50 }));
      await ask(() => search.semantic({ q, explain: true }));
      await ask(() => search.semantic({ q, ranking: 'vector', limit: 100, category: 'data' }));
    }
    await ask(() => search.categories());
    await ask(() => search.stats());
  });
}

/** An answer has skills of the catalogue only. */
function check(answer: unknown): void {
  const { hits = [], total = 0 } = (answer ?? {}) as { hits?: { skill: { id: string } }[]; total?: number };
  for (const { skill } of hits) if (!ids.has(skill.id)) throw new Error(`found ${skill.id}, which is no skill`);
  if (!Number.isInteger(total) || total < 0) throw new Error(`a total of ${total}`);
}

/** A load that changes nothing, or little, takes over what it can use of the derived files. */
async function loadAgain(random: () => number): Promise<void> {
  const changed = randomInteger(random, 2) === 0 ? rows : [...rows.slice(5), ...trialRows(random, 5)];
  const { warnings } = await buildCatalogue({ database, sources: [{ name: 'rows', rows: changed }], embedder });
  if (warnings.length > 0) throw new Error(warnings[0]!.message);
  const counts = { answers: 0, errors: 0 };
  await askAll(random, counts);
  if (counts.errors > 0) throw new Error('a load left derived files that cannot be asked');
}
