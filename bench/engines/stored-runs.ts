import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Run, readRun, writeRun } from '../../src/evaluation/index.js';
import type { Runs } from './ask-engines.js';
import type { AskedSet } from './asked-set.js';

/** Writes a TREC run for each engine. */
export function storeRuns({ name }: AskedSet, runs: Runs, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [engine, run] of runs) writeFileSync(pathOf(folder, name, engine), writeRun(run, engine));
}

/** The runs of an engine that were stored before; undefined unless all sets have one. */
export async function storedRuns(
  sets: readonly AskedSet[],
  engine: string,
  folder: string | undefined,
): Promise<Run[] | undefined> {
  if (folder === undefined) return undefined;
  const paths = sets.map(({ name }) => pathOf(folder, name, engine));
  if (!paths.every((path) => existsSync(path))) return undefined;
  const runs: Run[] = [];
  for (const path of paths) runs.push(await readRun(path));
  return runs;
}

function pathOf(folder: string, set: string, engine: string): string {
  return join(folder, `${set}.${engine}.run`);
}
