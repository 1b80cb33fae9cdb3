import { EVALUATION_MODES, type RankedDocument, type Run, rankQuestions } from '../../src/evaluation/index.js';
import type { SkillSearch } from '../../src/index.js';
import type { AskedSet } from './asked-set.js';
import type { EngineName, RowName } from './names.js';
import { fuseRuns } from './reciprocal-ranks.js';
import { type IndexedEngine, runEngine } from './run-engine.js';

/** Documents that each engine gives for a question; of so many, too, those are fused that are. */
const DEPTH = 100;

const FUSED = ['minisearch', 'minilm'] as const;

/** What a set found, by engine. */
export type Runs = Map<RowName, Run>;

export interface AskedCatalogue {
  /** Path of the catalogue whose names and descriptions are indexed. */
  readonly database: string;
  /** Folder of the published model, and the same catalogue with vectors of it. */
  readonly published: { readonly model: string; readonly database: string } | undefined;
}

/**
 * Asks an engine the questions of sets that are all asked of the same catalogue: it is built once.
 *
 * @returns a run for each set
 * @throws if it needs the published model and there is none
 */
export function askEngine(
  engine: IndexedEngine,
  sets: readonly AskedSet[],
  { database, published }: AskedCatalogue,
): Run[] {
  if (engine === 'minilm' && published === undefined)
    throw new Error('minilm and rrf need the published model (--published)');
  const texts = sets.flatMap(({ questions }) => questions.map(({ text }) => text));
  const from = engine === 'minilm' ? (published?.database ?? database) : database;
  const found = runEngine({ engine, database: from, model: published?.model ?? '', texts, depth: DEPTH });
  let at = 0;
  return sets.map(({ questions }) => new Map(questions.map(({ id }) => [id, found[at++] ?? []])));
}

/** Adds the fused run to what its parts found, and takes away parts that are not wanted themselves. */
export function fuseWanted(runs: Runs, engines: readonly EngineName[]): void {
  if (!engines.includes('rrf')) return;
  runs.set('rrf', fuseRuns([runs.get('minisearch') ?? new Map(), runs.get('minilm') ?? new Map()], DEPTH));
  for (const engine of FUSED) if (!engines.includes(engine)) runs.delete(engine);
}

/** Asks our own search the questions of a set in all modes. */
export async function askOurs(search: SkillSearch, { questions, collapse }: AskedSet): Promise<Runs> {
  const copies = collapse ? 'collapse' : 'keep';
  const runs: Runs = new Map();
  for (const mode of EVALUATION_MODES) {
    const run = new Map<string, RankedDocument[]>();
    for await (const [{ id }, found] of rankQuestions(search, questions, { mode, depth: DEPTH, copies })) {
      run.set(id, found);
    }
    runs.set(mode, run);
  }
  return runs;
}

/** Those with an index of their own, also the parts of what is only fused. */
export function indexedOf(engines: readonly EngineName[]): IndexedEngine[] {
  const named = engines.filter((engine) => engine !== 'rrf');
  return [...new Set([...named, ...(engines.includes('rrf') ? FUSED : [])])];
}
