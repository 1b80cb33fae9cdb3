import { MAX_SEMANTIC_QUERY_LENGTH } from '../../src/core/index.js';
import { fitQuestion, LEAST_USEFUL } from '../../src/evaluation/benchmark.js';
import { makeCorpusFile } from '../../src/evaluation/corpus.js';
import { type Benchmark, readBenchmark } from '../../src/evaluation/index.js';
import { glossQuestion, readQuestion } from '../../src/keyword/question.js';
import { type CopyMode, resolveSemanticQuery } from '../../src/query.js';
import { RANKING_FEATURES, type RankingFeature } from '../../src/result.js';
import { openCatalogue } from '../../src/search/open-catalogue.js';
import type { OpenState } from '../../src/search/open-state.js';
import { type DescribedCandidates, describeCandidates } from '../../src/search/rank-candidates.js';
import { featuresOf, lengthOf, sizeOf } from '../../src/search/ranking/features.js';
import { openSources } from '../../src/search/semantic-search.js';
import type { JudgedSet } from './judged-sets.js';

/** A number that is fitted: what a feature counts, and by how much more in large catalogues and long questions. */
export interface Term {
  readonly feature: RankingFeature;
  readonly part: 'weight' | 'bySize' | 'byLength';
}

/**
 * What depends on catalogue or question is fitted for what counts most only: more numbers found nothing on other sets.
 */
const VARYING: ReadonlySet<RankingFeature> = new Set(['cosine', 'feedback', 'words', 'description', 'coverage']);

/** A full file says that a skill is a real one, and stars that many use it, where there are many of all kinds. */
const BY_SIZE_ONLY: ReadonlySet<RankingFeature> = new Set(['fileText', 'stars']);

/**
 * Judged questions say little of labels, which most skills have none of or got by a guess; what is fitted is chance.
 */
const NOT_FITTED: ReadonlySet<RankingFeature> = new Set(['labels']);

export const TERMS: readonly Term[] = RANKING_FEATURES.flatMap((feature): Term[] => {
  if (NOT_FITTED.has(feature)) return [];
  if (BY_SIZE_ONLY.has(feature)) return [{ feature, part: 'bySize' }];
  const parts = VARYING.has(feature) ? (['weight', 'bySize', 'byLength'] as const) : (['weight'] as const);
  return parts.map((part) => ({ feature, part }));
});

/** Features of meaning: unknown where the model cannot read. */
const OF_MEANING: ReadonlySet<RankingFeature> = new Set(['cosine', 'sentence', 'feedback']);

/**
 * What is fitted for questions that the model was not made for. What meaning tells apart, a full file then would have
 * to.
 */
export const FOREIGN_TERMS: readonly Term[] = TERMS.filter(
  ({ feature }) => feature !== 'fileText' && feature !== 'stars',
);

/** The candidates of one question. */
export interface JudgedQuestion {
  readonly set: string;
  /** What its set counts beside the others. */
  readonly weight: number;
  readonly id: string;
  /** Whether it is in a language, or in letters, that the model was not made for. */
  readonly foreign: boolean;
  /** Whether it is in another language, and read in English, too. */
  readonly glossed: boolean;
  /** Whether the judgements are grades: then a gain is 2^grade - 1. */
  readonly graded: boolean;
  /** Of the catalogue and of itself, see `sizeOf` and `lengthOf` of features.ts. */
  readonly size: number;
  readonly length: number;
  /** Values of {@link TERMS}, candidate by candidate. */
  readonly values: Float64Array;
  /** What each candidate is worth, 0 or more. */
  readonly gains: Float64Array;
  /** Whether somebody judged the candidate: 1, or 0. In sets without grades all count as judged. */
  readonly judged: Uint8Array;
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
  set: JudgedSet,
  benchmark: Benchmark,
  onProgress: GatherOptions['onProgress'],
): Promise<JudgedQuestion[]> {
  const { grades } = benchmark;
  // Who asks for what nothing fits wants to be told so.
  const chosen = evenly(
    [...benchmark.questions, ...(grades === undefined ? [] : (benchmark.unserved ?? []))],
    set.most,
  );
  const gathered: JudgedQuestion[] = [];
  for (const [done, { id, text }] of chosen.entries()) {
    onProgress(done, chosen.length);
    const q = fitQuestion(text, MAX_SEMANTIC_QUERY_LENGTH);
    if (q === undefined) continue;
    const gains = benchmark.gains.get(id) ?? new Map<string, number>();
    gathered.push(await gatherQuestion(state, { set, id, q, gains, grades: grades?.get(id) }));
  }
  return gathered;
}

interface BenchmarkQuestion {
  readonly set: JudgedSet;
  readonly id: string;
  readonly q: string;
  /** What documents are worth, by id; those that are not here are worth nothing. */
  readonly gains: ReadonlyMap<string, number>;
  /** All that was judged, in a graded set. */
  readonly grades: ReadonlyMap<string, number> | undefined;
}

async function gatherQuestion(
  state: OpenState,
  { set, id, q, gains, grades }: BenchmarkQuestion,
): Promise<JudgedQuestion> {
  const graded = grades !== undefined;
  const { context, candidates } = await candidatesOf(state, q, graded ? 'collapse' : 'keep');
  const { copyGroup } = state.reader.columns;
  const documents = candidates.map(({ document }) => document);
  const ids = state.reader.idsOf(documents);
  const [size, length] = [sizeOf(context), lengthOf(context)];
  const factor = { weight: 1, bySize: size, byLength: length };
  const values = candidates.map((candidate) => featuresOf(candidate, context));
  const gainOf = (document: string): number => {
    const gain = Math.max(0, gains.get(document) ?? 0);
    return graded ? 2 ** gain - 1 : gain;
  };
  return {
    set: set.name,
    weight: set.weight,
    id,
    foreign: set.foreign || !context.inModelLanguage,
    glossed: context.glossed === true,
    graded,
    size,
    length,
    values: Float64Array.from(values.flatMap((of) => TERMS.map(({ feature, part }) => of[feature] * factor[part]))),
    gains: Float64Array.from(ids, gainOf),
    judged: Uint8Array.from(ids, (document) => (grades === undefined || grades.has(document) ? 1 : 0)),
    groups: documents.map((document) => copyGroup[document]!),
    cosines: Float64Array.from(candidates, ({ cosine = 0 }) => Math.max(0, cosine)),
    words: Float64Array.from(values, ({ words }) => words),
    wanted: [...gains.keys()].map(gainOf).filter((gain) => gain > 0),
  };
}

/** All documents that compete for an answer. */
async function candidatesOf(state: OpenState, q: string, copies: CopyMode): Promise<DescribedCandidates> {
  const query = resolveSemanticQuery({ q, copies });
  const sources = await openSources(state, query, state.closing);
  const question = readQuestion(query.q, state.how.stopWords);
  return describeCandidates({
    sources,
    query,
    question,
    gloss: glossQuestion(query.q, question),
    filter: undefined,
    signal: state.closing,
  });
}

export function evenly<T>(all: readonly T[], most = all.length): readonly T[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)] as T);
}

/** A question as if its meaning were not known, to fit what words are worth by themselves. */
export function withoutMeaning(question: JudgedQuestion): JudgedQuestion {
  const { values } = question;
  return {
    ...question,
    values: values.map((value, i) => (OF_MEANING.has(TERMS[i % TERMS.length]!.feature) ? 0 : value)),
  };
}

/** Whether a skill with this gain is right; of a graded set, useful. */
function isRight(gain: number, { graded }: Pick<JudgedQuestion, 'graded'>): boolean {
  return graded ? gain >= LEAST_USEFUL_GAIN : gain > 0;
}

/** Whether any skill is right. */
export function isServed(question: Pick<JudgedQuestion, 'wanted' | 'graded'>): boolean {
  return question.wanted.some((gain) => isRight(gain, question));
}

/** {@link JudgedQuestion.gains} has 2^grade - 1. */
const LEAST_USEFUL_GAIN = 2 ** LEAST_USEFUL - 1;
