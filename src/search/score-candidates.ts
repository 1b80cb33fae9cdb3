import type { Question } from '../keyword/question.js';
import type { DocumentNumber } from '../numbers.js';
import type { ResolvedSemanticQuery } from '../query.js';
import { HybridScorer, type QuestionContext, type ScoredCandidate } from '../ranking/hybrid.js';
import { gatherCandidates, type SemanticSources } from './gather-candidates.js';

export interface ScoredCandidates {
  readonly context: QuestionContext;
  readonly scorer: HybridScorer;
  readonly byDocument: ReadonlyMap<DocumentNumber, ScoredCandidate>;
}

/**
 * Gathers the documents that compete for an answer, and scores each by words and by meaning, whichever of the two found it.
 *
 * @param filter one byte a document, 0 if it may not be found
 * @throws {SkillSearchError} `EMBEDDER_FAILED`, `SERVICE_UNAVAILABLE`
 * @throws the signal's reason when aborted
 */
export async function scoreCandidates(
  sources: SemanticSources,
  query: ResolvedSemanticQuery,
  question: Question,
  filter: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<ScoredCandidates> {
  const gathered = await gatherCandidates(sources, query, question, filter, signal);
  const { documents, ranked, nameMatches, meaning } = gathered;
  const { ranking } = query;
  const cosines = meaning.cosinesOf([...documents]);
  const context: QuestionContext = {
    ranking,
    highest: ranked?.highest ?? 0,
    readable: meaning.readable,
    usualCosine: medianOf([...cosines.values()].map(([cosine = 0]) => cosine)),
    skills: sources.columns.size,
    words: question.looseWords.reduce((sum, { weight }) => sum + weight, 0),
  };
  const scorer = new HybridScorer(context);
  const byDocument = new Map<DocumentNumber, ScoredCandidate>();
  const wordScores = ranked?.scoresOf(documents);
  for (const [i, document] of documents.entries()) {
    const [cosine, ...ofSentences] = cosines.get(document) ?? [];
    if (ranking === 'vector' && cosine === undefined) continue;
    const sentence = ofSentences.length === 0 ? undefined : Math.max(...ofSentences);
    const candidate = { document, cosine, sentence, words: wordScores?.[i] };
    byDocument.set(document, scorer.score(candidate, nameMatches.get(document) ?? 'other'));
  }
  return { context, scorer, byDocument };
}

/** The median, the lower of two middle values; 0 if there are none. */
function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}
