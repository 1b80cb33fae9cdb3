import { makeCorpusFile } from '../../src/evaluation/corpus.js';
import { type Benchmark, readBenchmark } from '../../src/evaluation/index.js';
import { fitQuestion } from '../../src/evaluation/rank-questions.js';
import { readQuestion } from '../../src/keyword/question.js';
import { resolveSemanticQuery } from '../../src/query.js';
import { featuresOf } from '../../src/ranking/features.js';
import { lengthOf, sizeOf } from '../../src/ranking/fusion.js';
import { RANKING_FEATURES, type RankingFeature } from '../../src/result.js';
import { type DescribedCandidates, describeCandidates } from '../../src/search/describe-candidates.js';
import { openCatalogue } from '../../src/search/open-catalogue.js';
import type { OpenState } from '../../src/search/open-state.js';
import { openSources } from '../../src/search/semantic-search.js';
import type { JudgedSet } from './judged-sets.js';

/** A number that is fitted: what a feature counts, and by how much more in large catalogues and long questions. */
export interface Term {
  readonly feature: RankingFeature;
  readonly part: 'weight' | 'bySize' | 'byLength';
}

/** What depends on catalogue or question is fitted for what counts most only: more numbers found nothing on other sets. */
const VARYING: ReadonlySet<RankingFeature> = new Set(['cosine', 'words', 'description', 'coverage']);

/** A full file says that a skill is a real one, where there are many of all kinds; of four tools it says nothing. */
const BY_SIZE_ONLY: ReadonlySet<RankingFeature> = new Set(['fileText']);

/** Judged questions say little of labels, which most skills have none of or got by a guess; what is fitted is chance. */
const NOT_FITTED: ReadonlySet<RankingFeature> = new Set(['labels']);

export const TERMS: readonly Term[] = RANKING_FEATURES.flatMap((feature): Term[] => {
  if (NOT_FITTED.has(feature)) return [];
  if (BY_SIZE_ONLY.has(feature)) return [{ feature, part: 'bySize' }];
  const parts = VARYING.has(feature) ? (['weight', 'bySize', 'byLength'] as const) : (['weight'] as const);
  return parts.map((part) => ({ feature, part }));
});

/**
 * What is fitted for questions that the model cannot read. There are none among those that are fitted to: the same questions
 * are taken, as if their meaning were not known. What meaning tells apart, a full file then would have to.
 */
export const UNREADABLE_TERMS: readonly Term[] = TERMS.filter(
  ({ feature }) => feature !== 'cosine' && feature !== 'sentence' && feature !== 'fileText',
);

/** The candidates of one question. */
export interface JudgedQuestion {
  readonly set: string;
  readonly id: string;
  /** Of the catalogue and of itself, see `sizeOf` and `lengthOf` of fusion.ts. */
  readonly size: number;
  readonly length: number;
  /** Values of {@link TERMS}, candidate by candidate. */
  readonly values: Float64Array;
  /** What each candidate is worth, 0 or more. */
  readonly gains: Float64Array;
  /** The same for copies of each other. */
  readonly groups: readonly number[];
  /** What `ranking: 'vector'` and `'words'` put them in order by. */
  readonly cosines: Float64Array;
  readonly words: Float64Array;
  /** The gains of all that is relevant, whether a candidate or not. */
  readonly wanted: readonly number[];
}

export interface GatherOptions {
  /** Folder where loaded corpora are kept. */
  readonly keep?: string | undefined;
  readonly onProgress: (done: number, all: number) => void;
}

/** Asks the questions of a set and takes down all candidates. */
export async function gatherQuestions(set: JudgedSet, { keep, onProgress }: GatherOptions): Promise<JudgedQuestion[]> {
  const { name, folder, database, extra, extraFiles, without, filter } = set;
  const benchmark = await readBenchmark(folder, { filter });
  const documents = database === undefined ? benchmark.corpus : undefined;
  if (documents === undefined && database === undefined) throw new Error(`${name} has no corpus of its own`);
  const corpus = await makeCorpusFile({
    documents,
    database,
    extra,
    extraFiles,
    without,
    ...(database === undefined ? { keep } : {}),
  });
  try {
    const state = await openCatalogue({ database: corpus.path, warmUp: true });
    try {
      return await gatherAll(state, set, benchmark, onProgress);
    } finally {
      await state.close();
    }
  } finally {
    await corpus.clear();
  }
}

async function gatherAll(
  state: OpenState,
  { name, most }: JudgedSet,
  benchmark: Benchmark,
  onProgress: GatherOptions['onProgress'],
): Promise<JudgedQuestion[]> {
  const chosen = evenly(benchmark.questions, most);
  const gathered: JudgedQuestion[] = [];
  for (const [done, { id, text }] of chosen.entries()) {
    onProgress(done, chosen.length);
    const q = fitQuestion(text, 'hybrid');
    if (q === undefined) continue;
    const gains = benchmark.gains.get(id) ?? new Map<string, number>();
    gathered.push(await gatherQuestion(state, { set: name, id, q, gains }));
  }
  return gathered;
}

interface BenchmarkQuestion {
  readonly set: string;
  readonly id: string;
  readonly q: string;
  /** What documents are worth, by id; those that are not here are worth nothing. */
  readonly gains: ReadonlyMap<string, number>;
}

async function gatherQuestion(state: OpenState, { set, id, q, gains }: BenchmarkQuestion): Promise<JudgedQuestion> {
  const { context, candidates } = await candidatesOf(state, q);
  const { copyGroup } = state.reader.columns;
  const documents = candidates.map(({ document }) => document);
  const ids = state.reader.idsOf(documents);
  const [size, length] = [sizeOf(context), lengthOf(context)];
  const factor = { weight: 1, bySize: size, byLength: length };
  const values = candidates.map((candidate) => featuresOf(candidate, context));
  return {
    set,
    id,
    size,
    length,
    values: Float64Array.from(values.flatMap((of) => TERMS.map(({ feature, part }) => of[feature] * factor[part]))),
    gains: Float64Array.from(ids, (document) => Math.max(0, gains.get(document) ?? 0)),
    groups: documents.map((document) => copyGroup[document]!),
    cosines: Float64Array.from(candidates, ({ cosine = 0 }) => Math.max(0, cosine)),
    words: Float64Array.from(values, ({ words }) => words),
    wanted: [...gains.values()].filter((gain) => gain > 0),
  };
}

/** All documents that compete for an answer, copies kept. */
async function candidatesOf(state: OpenState, q: string): Promise<DescribedCandidates> {
  const query = resolveSemanticQuery({ q, copies: 'keep' });
  const sources = await openSources(state, query, state.closing);
  return describeCandidates(sources, query, readQuestion(query.q, state.stopWords), undefined, state.closing);
}

export function evenly<T>(all: readonly T[], most = all.length): readonly T[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)] as T);
}
