import type { DocumentNumber, Pieces } from '../core/index.js';
import { inTurns } from '../core/index.js';
import type { Question } from '../keyword/index.js';
import type { ResolvedSemanticQuery } from '../query.js';
import { FEWEST_WITH_FEEDBACK, type FedBack, withFeedback } from './feedback.js';
import { type GatheredCandidates, gatherCandidates, type SemanticSources } from './gather-candidates.js';
import { medianOf } from './median.js';
import type { Candidate } from './ranking/features.js';
import type { QuestionContext } from './ranking/hybrid.js';

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
