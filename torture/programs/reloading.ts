/**
 * Follows a catalogue that is replaced again and again while questions are asked. Answers each message, a number of
 * reloads and a seed, when so many more reloads are done.
 *
 *     reloading.ts FOLDER stand-in|model
 *
 * `stand-in` embeds by the embedder that stands in for a model, `model` by the model of the library.
 */
import { copyFileSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { randomNumbers } from '../../src/evaluation/compare.js';
import { buildCatalogue, followCatalogue, SkillSearchError } from '../../src/index.js';
import { derivedFiles } from '../../src/store/files.js';
import { StandInEmbedder } from '../../test/semantic/stand-in-embedder.js';
import { answerMessages } from '../child-program.js';
import { trialRow } from '../loads.js';
import { oneOf, randomInteger } from '../trial.js';

const STATES = 3;
const NEVER = 2 ** 31 - 1;

const [folder = '', embeds] = process.argv.slice(2);
const database = join(folder, 'skills.db');
const embedder = new StandInEmbedder();
const model = embeds === 'model' ? {} : { embedder };
const skills = embeds === 'model' ? 20 : 200;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Every skill of a state tells the state in its author. */
for (let state = 0; state < STATES; state++) {
  const random = randomNumbers(1);
  const rows = Array.from({ length: skills }, (_, i) => ({ ...trialRow(random, i), author: `state${state}` }));
  await buildCatalogue({ database: fileOf(state), sources: [{ name: 'rows', rows }], ...model });
}
publish(0);
const search = await followCatalogue({ database, interval: NEVER, warmUp: true, ...model });

export interface ReloadOrder {
  readonly reloads: number;
  readonly seed: number;
}

export interface ReloadReport {
  /** Questions answered, all from one state each. */
  readonly answers: number;
  /** Reloads that found a damaged catalogue. */
  readonly damaged: number;
  /** Megabytes of resident memory, after collecting garbage. */
  readonly megabytes: number;
  readonly files: number;
  readonly threads: number;
  readonly broken: string | undefined;
}

answerMessages(async (message): Promise<ReloadReport> => {
  const { reloads, seed } = message as ReloadOrder;
  const random = randomNumbers(seed);
  const counts = { answers: 0, damaged: 0 };
  let broken: string | undefined;
  try {
    for (let left = reloads; left > 0; left--) await reloadUnderTraffic(random, counts);
  } catch (error) {
    broken = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  for (let i = 0; i < 3; i++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const megabytes = process.memoryUsage().rss / 2 ** 20;
  return { ...counts, megabytes, files: entries('fd'), threads: entries('task'), broken };
});

async function reloadUnderTraffic(random: () => number, counts: { answers: number; damaged: number }): Promise<void> {
  const present = stateOf(search.keyword({ q: 'testing' }).hits);
  const next = randomInteger(random, STATES);
  const isDamaged = randomInteger(random, 8) === 0;
  if (isDamaged) damage(random);
  else publish(next);
  const asked = Array.from({ length: 3 }, () => askByMeaning(random));
  const reloading = search.reload();
  asked.push(askByMeaning(random));
  let isOver = false;
  const over = reloading.then(
    () => undefined,
    (error: unknown) => error,
  );
  over.then(() => {
    isOver = true;
  });
  while (!isOver) {
    stateOf(search.keyword({ q: oneOf(random, ['react', 'data pipeline', '"release notes"', 'tests']) }).hits);
    counts.answers += 1;
    await new Promise(setImmediate);
  }
  const error = await over;
  await Promise.all(asked);
  counts.answers += asked.length;
  const now = stateOf(search.keyword({ q: 'testing' }).hits);
  if (!isDamaged && error !== undefined) throw error;
  if (!isDamaged && now !== `state${next}`) throw new Error(`answers from ${now} after a reload of state${next}`);
  if (!isDamaged) return;
  counts.damaged += 1;
  if (!(error instanceof SkillSearchError)) throw new Error(`a damaged catalogue was opened, or failed with ${error}`);
  if (now !== present) throw new Error(`answers from ${now}, not from ${present}, though the next state is damaged`);
}

async function askByMeaning(random: () => number): Promise<void> {
  const ranking = oneOf(random, ['hybrid', 'vector'] as const);
  const { hits } = await search.semantic({ q: oneOf(random, ['deploy a release', 'python tests']), ranking });
  stateOf(hits);
}

/** The state that all hits are of. */
function stateOf(hits: readonly { readonly skill: { readonly author: string } }[]): string {
  const states = new Set(hits.map(({ skill }) => skill.author));
  if (states.size !== 1) throw new Error(`an answer of ${[...states].join(' and ') || 'no state'}`);
  return [...states][0]!;
}

function fileOf(state: number): string {
  return join(folder, `state-${state}.db`);
}

/** Puts a state in place as a load does: the catalogue, then its derived files, each renamed. */
function publish(state: number): void {
  const from = [fileOf(state), ...derivedFiles(fileOf(state))];
  const to = [database, ...derivedFiles(database)];
  for (const [i, file] of from.entries()) {
    if (!existsSync(file)) continue;
    copyFileSync(file, `${to[i]}.part`);
    renameSync(`${to[i]}.part`, to[i]!);
  }
}

function damage(random: () => number): void {
  const bytes = Buffer.alloc(randomInteger(random, 3) * 4096 + 100, oneOf(random, [0, 1, 255]));
  writeFileSync(`${database}.part`, bytes);
  renameSync(`${database}.part`, database);
}

/** Open files, or threads; 0 where the system does not tell. */
function entries(what: 'fd' | 'task'): number {
  const path = `/proc/self/${what}`;
  return existsSync(path) ? readdirSync(path).length : 0;
}
