import type { DocumentNumber } from '../core/index.js';
import { type Comparator, topOf } from '../core/index.js';
import type { ResolvedSemanticQuery } from '../query.js';
import type { ScoreParts } from '../result.js';
import type { CatalogueColumns } from '../store/index.js';
import { collapseCopies, copyPreference } from '../store/index.js';
import type { DescribedCandidates } from './describe-candidates.js';
import { COMPARED } from './ranking/calibration.js';
import { HybridScorer, type ScoredCandidate } from './ranking/hybrid.js';
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
