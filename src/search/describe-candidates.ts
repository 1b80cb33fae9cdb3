import type { Question } from '../keyword/question.js';
import type { DocumentNumber } from '../numbers.js';
import type { ResolvedSemanticQuery } from '../query.js';
import type { Candidate } from '../ranking/features.js';
import type { QuestionContext } from '../ranking/hybrid.js';
import { gatherCandidates, type SemanticSources } from './gather-candidates.js';

/** All that the scores of an answer depend on. */
export interface DescribedCandidates {
  readonly context: QuestionContext;
  /** By ascending document number. */
  readonly candidates: readonly Candidate[];
  /** Whether there was not enough work for all words. */
  readonly truncated: boolean;
  /** Documents without a cosine because their vector is damaged. */
  readonly damaged: readonly DocumentNumber[];
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
  const { documents, ranked, nameMatches, meaning, truncated } = gathered;
  const { ranking } = query;
  const { cosines, damaged } = meaning.cosinesOf([...documents]);
  const wordScores = ranked?.scoresOf(documents);
  const candidates: Candidate[] = [];
  for (const [i, document] of documents.entries()) {
    const [cosine, ...ofSentences] = cosines.get(document) ?? [];
    if (ranking === 'vector' && cosine === undefined) continue;
    candidates.push({
      document,
      nameMatch: nameMatches.get(document) ?? 'other',
      cosine,
      sentence: ofSentences.length === 0 ? undefined : Math.max(...ofSentences),
      words: wordScores?.[i],
    });
  }
  const context: QuestionContext = {
    ranking,
    highest: ranked?.highest ?? 0,
    readable: meaning.readable,
    language: question.language,
    inModelLanguage: meaning.readsLanguage,
    usualCosine: medianOf([...cosines.values()].map(([cosine = 0]) => cosine)),
    skills: sources.columns.size,
    words: question.looseWords.reduce((sum, { weight }) => sum + weight, 0),
  };
  return { context, candidates, truncated, damaged };
}

/** The median, the lower of two middle values; 0 if there are none. */
function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}
