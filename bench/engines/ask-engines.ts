import { makeCorpusFile } from '../../src/evaluation/corpus.js';
import {
  EVALUATION_MODES,
  type EvaluationMode,
  type RankedDocument,
  type Run,
  rankQuestions,
} from '../../src/evaluation/index.js';
import { openSkillSearch } from '../../src/index.js';
import type { AskedOf, AskedSet } from './asked-set.js';
import type { EngineName } from './names.js';
import { fuseRuns } from './reciprocal-ranks.js';
import { type IndexedEngine, runEngine } from './run-engine.js';

/** Documents that each engine gives for a question; of so many, too, those are fused that are. */
export const DEPTH = 100;

/** Folder of the published model, and the catalogue with its vectors that `--database` has with ours. */
export interface Published {
  readonly model: string;
  readonly database: string | undefined;
}

export interface AskOptions {
  readonly engines: readonly EngineName[];
  /** Whether to ask our own search. */
  readonly ours: boolean;
  readonly published: Published | undefined;
  /** Folder where loaded documents are kept. */
  readonly keep: string | undefined;
  readonly say: (what: string) => void;
}

/** The runs over a set, by engine; ours by mode. */
export type Runs = ReadonlyMap<EngineName | EvaluationMode, Run>;

/** Asks every engine the questions of sets that are all of the same documents: each is built once. */
export async function askEngines(sets: readonly AskedSet[], options: AskOptions): Promise<Runs[]> {
  const { engines, ours, keep, say } = options;
  const of = sets[0]?.of ?? {};
  const runs = sets.map(() => new Map<EngineName | EvaluationMode, Run>());
  await using documents = await openDocuments(of, undefined, keep);
  if (ours) {
    say('our own');
    await using search = await openSkillSearch({ database: documents.path, warmUp: true });
    for (const mode of EVALUATION_MODES) {
      for (const [i, { questions }] of sets.entries()) {
        const run = new Map<string, readonly RankedDocument[]>();
        for await (const [{ id }, found] of rankQuestions(search, questions, { mode, depth: DEPTH }))
          run.set(id, found);
        runs[i]?.set(mode, run);
      }
    }
  }
  for (const engine of indexedOf(engines)) {
    say(engine);
    const found = await askIndexed(engine, sets, of, documents.path, options);
    for (const [i, run] of found.entries()) runs[i]?.set(engine, run);
  }
  if (engines.includes('rrf')) {
    for (const of of runs)
      of.set('rrf', fuseRuns([of.get('minisearch') ?? new Map(), of.get('minilm') ?? new Map()], DEPTH));
  }
  return runs;
}

/** Those with an index, and those that are fused. */
function indexedOf(engines: readonly EngineName[]): IndexedEngine[] {
  const fused: IndexedEngine[] = engines.includes('rrf') ? ['minisearch', 'minilm'] : [];
  return [...new Set([...engines.filter((engine) => engine !== 'rrf'), ...fused])];
}

async function askIndexed(
  engine: IndexedEngine,
  sets: readonly AskedSet[],
  of: AskedOf,
  path: string,
  { published, keep }: AskOptions,
): Promise<Run[]> {
  if (engine === 'minilm' && published === undefined)
    throw new Error('minilm needs the folder of the model: --published');
  const model = published?.model ?? '';
  await using documents = engine === 'minilm' ? await openDocuments(of, published, keep) : undefined;
  const texts = sets.flatMap(({ questions }) => questions.map(({ text }) => text));
  const found = runEngine({ engine, database: documents?.path ?? path, model, texts, depth: DEPTH });
  let at = 0;
  return sets.map(({ questions }) => new Map(questions.map(({ id }) => [id, found[at++] ?? []])));
}

/** The catalogue of a set's documents, with vectors of the published model or of ours. */
async function openDocuments(
  { database, documents, ...changes }: AskedOf,
  published: Published | undefined,
  keep: string | undefined,
): Promise<AsyncDisposable & { readonly path: string }> {
  const base = published === undefined ? database : (published.database ?? database);
  if (database !== undefined && published !== undefined && published.database === undefined) {
    throw new Error(`minilm over ${database} needs it once more, loaded with that model: --published-database`);
  }
  const { path, clear } = await makeCorpusFile({
    ...(base === undefined || documents !== undefined ? { documents, keep } : { database: base, ...changes }),
    ...(published === undefined ? {} : { model: published.model }),
  });
  return { path, [Symbol.asyncDispose]: clear };
}
