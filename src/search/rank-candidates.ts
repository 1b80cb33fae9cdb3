import { type Comparator, type DocumentNumber, inTurns, type Pieces, topOf } from '../core/index.js';
import type { Question } from '../keyword/index.js';
import type { ResolvedSemanticQuery } from '../query.js';
import type { ScoreParts } from '../result.js';
import { type CatalogueColumns, collapseCopies, copyPreference } from '../store/index.js';
import { type GatheredCandidates, gatherCandidates, type SemanticSources } from './gather-candidates.js';
import type { DocumentVectors } from './nearest-documents.js';
import type { Candidate } from './ranking/features.js';
import { COMPARED, HybridScorer, type QuestionContext, type ScoredCandidate } from './ranking/hybrid.js';
import { comparatorOf } from './ranking/ranks.js';

/** A document that is shown. */
export interface SemanticMatch {
  readonly document: DocumentNumber;
  /** 0 to 1. */
  readonly score: number;
  /** Works out what the score is made of. */
  readonly parts: () => Omit<ScoreParts, 'copies'>;
  /** How many documents it stands for, itself included. */
  readonly copies: number;
}

/** Scores the candidates, collapses copies, and puts what is left in order, the best first. */
export function rankCandidates(
  { context, candidates, groupSizes }: DescribedCandidates,
  query: ResolvedSemanticQuery,
  columns: CatalogueColumns,
): { readonly confident: boolean; readonly matches: readonly SemanticMatch[] } {
  const scorer = new HybridScorer(context);
  const byDocument = new Map(candidates.map((candidate) => [candidate.document, scorer.score(candidate)]));
  const of = (document: DocumentNumber): ScoredCandidate => byDocument.get(document)!;
  const byName: Comparator = (a, b) => of(b).nameRank - of(a).nameRank;
  const bySum = comparatorOf('relevance', columns, (document) => of(document).sum);
  const best: Comparator = (a, b) => byName(a, b) || bySum(a, b);
  // Copies may have different files, and vectors that differ a little. The best of them stands for all.
  const preference = copyPreference(columns);
  const all = [...byDocument.keys()];
  const { documents: distinct, counts } = collapseCopies(
    all,
    columns.copyGroup,
    (a, b) => byName(a, b) || of(b).sum - of(a).sum || preference(a, b),
  );
  const { scoreOf, partsOf, confident } = scorer.calibrate(topOf(distinct, best, 0, COMPARED).map(of));
  const isCollapsed = query.copies === 'collapse';
  const shown = (isCollapsed ? [...distinct] : all).filter((document) => scoreOf(of(document)) >= query.minScore);
  const matches = topOf(shown, best, 0, query.limit).map((document) => ({
    document,
    score: scoreOf(of(document)),
    parts: () => partsOf(of(document)),
    copies: isCollapsed ? (groupSizes.get(columns.copyGroup[document]!) ?? counts.get(document) ?? 1) : 1,
  }));
  return { confident, matches };
}

/** All that the scores of an answer depend on. */
export interface DescribedCandidates {
  readonly context: QuestionContext;
  /** By ascending document number. */
  readonly candidates: readonly Candidate[];
  /** See {@link GatheredCandidates.groupSizes}. */
  readonly groupSizes: ReadonlyMap<DocumentNumber, number>;
  /** Whether there was not enough work for all words. */
  readonly truncated: boolean;
  /** Documents without a cosine because their vector is damaged. */
  readonly damaged: readonly DocumentNumber[];
  /** Of the whole question; undefined by words. */
  readonly questionVector: Float32Array | undefined;
}

/**
 * Gathers the documents that compete for an answer, and describes each by words and by meaning, whichever of the two
 * found it.
 *
 * @param filter one byte a document, 0 if it may not be found
 * @throws {SkillSearchError} `EMBEDDER_FAILED`, `SERVICE_UNAVAILABLE`
 * @throws the signal's reason when aborted
 */
export async function describeCandidates(
  sources: SemanticSources,
  query: ResolvedSemanticQuery,
  question: Question,
  filter: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<DescribedCandidates> {
  const gathered = await gatherCandidates(sources, query, question, filter, signal);
  const sentences = await gathered.meaning.sentences;
  return inTurns(describeInPieces(gathered, sentences, sources, query, question), signal);
}

function* describeInPieces(
  { documents, ranked, nameMatches, meaning, vectors, groupSizes, truncated }: GatheredCandidates,
  sentences: readonly Float32Array[],
  { columns }: SemanticSources,
  { ranking }: ResolvedSemanticQuery,
  question: Question,
): Pieces<DescribedCandidates> {
  const wordScores = ranked?.scoresOf(documents);
  yield;
  const cosines =
    meaning.whole === undefined ? NO_COSINES : (vectors?.cosines([meaning.whole, ...sentences]) ?? NO_COSINES);
  yield;
  const candidates: Candidate[] = [];
  for (const [i, document] of documents.entries()) {
    const [cosine, ...ofSentences] = cosines.get(document) ?? [];
    if (ranking === 'vector' && cosine === undefined) continue;
    candidates.push({
      document,
      nameMatch: nameMatches.get(document) ?? 'other',
      cosine,
      sentence: ofSentences.length === 0 ? undefined : Math.max(...ofSentences),
      feedback: undefined,
      stars: columns.stars[document]!,
      words: wordScores?.[i],
    });
  }
  const context: QuestionContext = {
    ranking,
    highest: ranked?.highest ?? 0,
    readable: meaning.readable,
    inModelLanguage: meaning.readsLanguage,
    usualCosine: medianOf([...cosines.values()].map(([cosine = 0]) => cosine)),
    usualFeedback: 0,
    skills: columns.size,
    words: question.looseWords.reduce((sum, { weight }) => sum + weight, 0),
  };
  const told = { groupSizes, truncated, damaged: vectors?.damaged ?? [], questionVector: meaning.whole };
  if (ranking !== 'hybrid' || vectors === undefined) return { context, candidates, ...told };
  yield;
  const fedBack =
    candidates.length < FEWEST_WITH_FEEDBACK
      ? withoutFeedback(candidates, context)
      : withFeedback(candidates, context, vectors, columns.copyGroup);
  return {
    context: { ...context, usualFeedback: fedBack.usualFeedback },
    candidates: fedBack.candidates,
    ...told,
  };
}

/** Each of few candidates would speak mostly for itself, whatever was asked. The question speaks in their place. */
function withoutFeedback(candidates: readonly Candidate[], { readable, usualCosine }: QuestionContext): FedBack {
  return {
    candidates: candidates.map((candidate) => {
      const { cosine } = candidate;
      return cosine === undefined ? candidate : { ...candidate, feedback: readable * cosine };
    }),
    usualFeedback: readable * usualCosine,
  };
}

const NO_COSINES: ReadonlyMap<DocumentNumber, readonly number[]> = new Map();

/** How many of the best candidates speak for the question. Those beyond would count next to nothing. */
const BEST = 20;

/**
 * How fast those count less: by e to the difference of sums, divided by this. Of .2, .3, .5, 1 and 2, and ten that
 * count the same, this gains most for graded requests at the least cost where one skill alone is right
 * (bench/README.md).
 */
const TEMPERATURE = 0.5;

/**
 * With fewer candidates the best ones are a good part of all there is, and say little of the question. As many as each
 * way of finding candidates gives in a large catalogue.
 */
const FEWEST_WITH_FEEDBACK = 100;

/** Candidates that know how near they are to the best of them. */
export interface FedBack {
  readonly candidates: readonly Candidate[];
  /** The median of {@link Candidate.feedback}; 0 if there is none. */
  readonly usualFeedback: number;
}

/**
 * Pseudo-relevance feedback: how near each candidate is to the mean vector of the best ones of a first ranking, taken
 * as right the more, the higher their sums (J. Rocchio, Relevance feedback in information retrieval, 1971). What many
 * of the best have in common, the question means; it moves up what says the same in other words, and down what shares a
 * word by chance. It counts by the share of the best that have a vector.
 *
 * @param candidates without feedback, in any order
 * @param copyGroup group of copies of each document; each group speaks once
 */
export function withFeedback(
  candidates: readonly Candidate[],
  context: QuestionContext,
  vectors: DocumentVectors,
  copyGroup: Uint32Array,
): FedBack {
  const scorer = new HybridScorer(context, 'first');
  const sums = new Map(candidates.map((candidate) => [candidate.document, scorer.score(candidate).sum]));
  const bySum: Comparator = (a, b) => sums.get(b)! - sums.get(a)! || a - b;
  const { documents } = collapseCopies([...sums.keys()], copyGroup, bySum);
  const best = topOf(documents, bySum, 0, BEST);
  const highest = sums.get(best[0] ?? -1) ?? 0;
  const weights = new Map(best.map((one) => [one, Math.exp((sums.get(one)! - highest) / TEMPERATURE)]));
  const mean = vectors.mean(weights);
  if (mean === undefined) return { candidates, usualFeedback: 0 };
  const cosines: ReadonlyMap<DocumentNumber, readonly number[]> = vectors.cosines([mean]);
  const [spoken, all] = [sumOf(weights, (one) => cosines.has(one)), sumOf(weights, () => true)];
  // The best may have no vector. Those that have one must not speak for them.
  const feedback = new Map(Array.from(cosines, ([document, [cosine = 0]]) => [document, (spoken / all) * cosine]));
  return {
    candidates: candidates.map((candidate) => ({ ...candidate, feedback: feedback.get(candidate.document) })),
    usualFeedback: medianOf([...feedback.values()]),
  };
}

function sumOf(weights: ReadonlyMap<DocumentNumber, number>, isMeant: (document: DocumentNumber) => boolean): number {
  let sum = 0;
  for (const [document, weight] of weights) if (isMeant(document)) sum += weight;
  return sum;
}

/** The median, the lower of two middle values; 0 if there are none. */
function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}
