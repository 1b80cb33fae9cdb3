import { allPieces } from '../core/index.js';
import { FIELD_WEIGHTS, readQuestion, Work } from '../keyword/index.js';
import { resolveSemanticQuery, type SemanticQuery } from '../query.js';
import type { FieldScores } from '../result.js';
import type { Skill } from '../skill.js';
import { collapseCopies, copyPreference } from '../store/index.js';
import { CatalogueSearch } from './catalogue-search.js';
import { copyIds } from './hits.js';
import type { OpenState } from './open-state.js';
import { filterMask } from './ranking/filter-mask.js';
import type { SkillSearch } from './skill-search.js';

/** A skill that has some word of a question. */
export interface WordCandidate {
  readonly skill: Pick<Skill, 'id' | 'name' | 'description' | 'skillUrl' | 'codehostUrl'>;
  /** BM25 of each field by itself. */
  readonly fields: FieldScores;
  /** Share of the question's words that it has in any field, each weighted by its idf: 0 to 1. */
  readonly coverage: number;
  /** Ids of all its copies, its own included. */
  readonly copies: () => readonly string[];
}

/**
 * The skills that have most of a question's words, each group of copies once, for parts of this library that put them
 * in an order of their own.
 *
 * @param limit how many documents are looked at
 * @returns none for a search that is not of this library
 * @throws {SkillSearchError} as `SkillSearch.semantic`
 */
export function wordCandidatesOf(search: SkillSearch, query: SemanticQuery, limit: number): readonly WordCandidate[] {
  return search instanceof CatalogueSearch ? search.onNewest((state) => candidates(state, query, limit)) : [];
}

function candidates(
  { reader, keywordIndex, stopWords }: OpenState,
  query: SemanticQuery,
  limit: number,
): readonly WordCandidate[] {
  const resolved = resolveSemanticQuery(query);
  const { columns } = reader;
  const ranked = allPieces(
    keywordIndex.rank(readQuestion(resolved.q, stopWords), {
      weights: FIELD_WEIGHTS,
      limit,
      filter: filterMask(columns, resolved),
      work: Work.forQuestion(columns.size),
    }),
  );
  const { documents } = collapseCopies(ranked.documents, columns.copyGroup, copyPreference(columns));
  const ascending = documents.slice().sort();
  return ranked.scoresOf(ascending).map(({ fields, coverage }, i) => ({
    skill: JSON.parse(reader.record(ascending[i]!)) as WordCandidate['skill'],
    fields,
    coverage,
    copies: () => copyIds(reader, ascending[i]!, 0, columns.size),
  }));
}
