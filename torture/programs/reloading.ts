/**
 * Follows a catalogue that is replaced again and again while questions are asked. Answers each message, a number of
 * reloads and a seed, when so many more reloads are done.
 *
 *     reloading.ts FOLDER
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

const REVISIONS = 3;
const SKILLS = 200;
const NEVER = 2 ** 31 - 1;

const [folder = ''] = process.argv.slice(2);
const database = join(folder, 'skills.db');
const embedder = new StandInEmbedder();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Every skill tells its revision in its author. */
for (let revision = 0; revision < REVISIONS; revision++) {
  const random = randomNumbers(1);
  const rows = Array.from({ length: SKILLS }, (_, i) => ({ ...trialRow(random, i), author: `revision${revision}` }));
  await buildCatalogue({ database: fileOf(revision), sources: [{ name: 'rows', rows }], embedder });
}
publish(0);
const search = await followCatalogue({ database, interval: NEVER, warmUp: true, embedder });

export interface ReloadOrder {
  readonly reloads: number;
  readonly seed: number;
}

export interface ReloadReport {
  /** Questions answered, all from one revision each. */
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
  const present = revisionOf(search.keyword({ q: 'testing' }).hits);
  const next = randomInteger(random, REVISIONS);
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
    revisionOf(search.keyword({ q: oneOf(random, ['react', 'data pipeline', '"release notes"', 'tests']) }).hits);
    counts.answers += 1;
    await new Promise(setImmediate);
  }
  const error = await over;
  await Promise.all(asked);
  counts.answers += asked.length;
  const now = revisionOf(search.keyword({ q: 'testing' }).hits);
  if (!isDamaged && error !== undefined) throw error;
  if (!isDamaged && now !== `revision${next}`) throw new Error(`answers from ${now} after a reload of revision${next}`);
  if (!isDamaged) return;
  counts.damaged += 1;
  if (!(error instanceof SkillSearchError)) throw new Error(`a damaged catalogue was opened, or failed with ${error}`);
  if (now !== present) throw new Error(`answers from ${now}, not from ${present}, though the next revision is damaged`);
}

async function askByMeaning(random: () => number): Promise<void> {
  const ranking = oneOf(random, ['hybrid', 'vector'] as const);
  const { hits } = await search.semantic({ q: oneOf(random, ['deploy a release', 'python tests']), ranking });
  revisionOf(hits);
}

/** The revision that all hits are of. */
function revisionOf(hits: readonly { readonly skill: { readonly author: string } }[]): string {
  const revisions = new Set(hits.map(({ skill }) => skill.author));
  if (revisions.size !== 1) throw new Error(`an answer of ${[...revisions].join(' and ') || 'no revision'}`);
  return [...revisions][0]!;
}

function fileOf(revision: number): string {
  return join(folder, `revision-${revision}.db`);
}

/** Puts a revision in place as a load does: the catalogue, then its index files, each renamed. */
function publish(revision: number): void {
  const from = [fileOf(revision), ...derivedFiles(fileOf(revision))];
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
