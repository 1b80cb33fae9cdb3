import type { RankedDocument } from '../../src/evaluation/index.js';
import { LARGE_HEAP, runChild } from '../child.js';
import type { EngineName } from './names.js';

/** An engine with an index of its own. */
export type IndexedEngine = Exclude<EngineName, 'rrf'>;

export interface EngineJob {
  readonly engine: IndexedEngine;
  /** The catalogue whose skills it indexes; for a model one that has its vectors. */
  readonly database: string;
  /** Folder of the published model. */
  readonly model: string;
  /** Questions; each is cut as our own search cuts it. */
  readonly texts: readonly string[];
  readonly depth: number;
}

/** What each question found, in their order. */
export type EngineRun = [id: string, score: number][][];

/** Builds an engine in a process of its own, which ends with the last question. */
export function runEngine(job: EngineJob): RankedDocument[][] {
  const run = runChild<EngineRun>('engine-run-child.ts', job, LARGE_HEAP);
  return run.map((ranking) => ranking.map(([id, score]) => ({ id, score })));
}
