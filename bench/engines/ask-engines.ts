import { EVALUATION_MODES, type RankedDocument, type Run, rankQuestions } from '../../src/evaluation/index.js';
import type { CopyMode, SkillSearch } from '../../src/index.js';
import type { AskedSet } from './asked-set.js';
import type { EngineName, RowName } from './names.js';
import { fuseRuns } from './reciprocal-ranks.js';
import { type IndexedEngine, runEngine } from './run-engine.js';

/** Documents that each engine gives for a question; of so many, too, those are fused that are. */
const DEPTH = 100;

/** What a set found, by engine. */
export type Runs = Map<RowName, Run>;

export interface AskedCatalogue {
  /** Path of the catalogue whose names and descriptions are indexed. */
  readonly database: string;
  /** Folder of the published model, and the same catalogue with vectors of it. */
  readonly published: { readonly model: string; readonly database: string } | undefined;
}

/**
 * Asks engines the questions of sets that are all asked of the same catalogue: each engine is built once.
 *
 * @param engines none that needs the published model where there is none
 */
export function askEngines(
  sets: readonly AskedSet[],
  engines: readonly EngineName[],
  { database, published }: AskedCatalogue,
  say: (what: string) => void,
): Runs[] {
  const runs = sets.map((): Runs => new Map());
  const texts = sets.flatMap(({ questions }) => questions.map(({ text }) => text));
  for (const engine of indexedOf(engines)) {
    say(engine);
    const from = engine === 'minilm' ? (published?.database ?? database) : database;
    const found = runEngine({ engine, database: from, model: published?.model ?? '', texts, depth: DEPTH });
    let at = 0;
    for (const [i, { questions }] of sets.entries()) {
      runs[i]?.set(engine, new Map(questions.map(({ id }): [string, RankedDocument[]] => [id, found[at++] ?? []])));
    }
  }
  for (const of of runs) {
    const [words, meaning] = [of.get('minisearch'), of.get('minilm')];
    if (words === undefined || meaning === undefined || !engines.includes('rrf')) continue;
    of.set('rrf', fuseRuns([words, meaning], DEPTH));
    for (const engine of ['minisearch', 'minilm'] as const) if (!engines.includes(engine)) of.delete(engine);
  }
  return runs;
}

/** Asks our own search the questions of a set in all modes. */
export async function askOurs(search: SkillSearch, { questions }: AskedSet, copies: CopyMode): Promise<Runs> {
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

/** Those with an index of their own, also of what is only fused. */
function indexedOf(engines: readonly EngineName[]): IndexedEngine[] {
  const fused: IndexedEngine[] = engines.includes('rrf') ? ['minisearch', 'minilm'] : [];
  return [...new Set([...engines.filter((engine) => engine !== 'rrf'), ...fused])];
}
