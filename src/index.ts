import { type MemorySearch, type OpenOptions, openSkillSearch as openFile, type SkillSearch } from './search/index.js';

export { ERROR_CODES, type ErrorCode, SkillSearchError } from './core/index.js';
export type { SkillFilters, Time } from './filters.js';
export { STOP_WORDS } from './keyword/index.js';
export {
  type BuildOptions,
  buildCatalogue,
  type CatalogueProblem,
  type CheckOptions,
  type CheckReport,
  type CopyOptions,
  checkCatalogue,
  copyCatalogue,
  type FailedSource,
  type FolderDefaults,
  type InstalledSource,
  type LoadProgress,
  type LoadReport,
  type LoadWarning,
  type RejectedRow,
  type RemoveOptions,
  type RowSource,
  removeSkills,
  type SharedOptions,
  type SnapshotOptions,
  type SnapshotReport,
  type Source,
  type UpdateOptions,
  updateSkills,
  writeSnapshot,
} from './load/index.js';
export {
  COPY_MODES,
  type CopyMode,
  type KeywordQuery,
  LIST_ORDERS,
  type ListOrder,
  type ListQuery,
  type SemanticQuery,
  SORT_ORDERS,
  type SortOrder,
} from './query.js';
export {
  type AgentCount,
  type AuthorCount,
  type CatalogueStats,
  type CorrectedWord,
  type DamagedSkill,
  FACETS,
  type Facet,
  type FacetCount,
  type FacetCounts,
  type FeatureShare,
  type FieldScores,
  type KeywordHit,
  type KeywordResult,
  type KeywordStep,
  type LabelCount,
  type ListHit,
  type ListResult,
  type MatchedTerms,
  type Pagination,
  RANKINGS,
  type Ranking,
  type RankingFeature,
  type RowProblems,
  type ScoredField,
  type ScoreParts,
  type SemanticHit,
  type SemanticResult,
  type SimilarSkill,
  type Snippet,
  type Suggestion,
  type SuggestionKind,
  type TranslatedWords,
  type UsageEffect,
} from './result.js';
export {
  DEFAULT_SHARED_INTERVAL,
  DEFAULT_SNAPSHOT_INTERVAL,
  type FollowedSearch,
  type FollowOptions,
  followCatalogue,
  type MemorySearch,
  type OpenOptions,
  type ReloadEvent,
  type SemanticOptions,
  type SimilarOptions,
  type SkillSearch,
  type SuggestOptions,
  type UsedOptions,
  type WarmUpOptions,
} from './search/index.js';
export {
  BUNDLED_MODEL,
  type Embedder,
  type EmbeddingPurpose,
  type EmbedOptions,
  inspectModel,
  type ModelFolder,
  type ModelOptions,
  type ModelSettings,
  type Pooling,
} from './semantic/index.js';
export {
  type ContentFile,
  SKILL_SCOPES,
  type Skill,
  type SkillContents,
  type SkillDetails,
  type SkillFile,
  type SkillInstallation,
  type SkillProperties,
  type SkillScope,
} from './skill.js';
export {
  type SourceWatch,
  type WatchedChange,
  type WatchOptions,
  type WatchProblem,
  watchSources,
} from './watch/index.js';

/**
 * Opens a catalogue for searching: a file that `buildCatalogue` made, or skills that are held in memory, which can be
 * added and removed. The search of a file answers from the state that it opened, also after a load; see
 * `followCatalogue` for one that reloads.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `DATABASE_NOT_FOUND`, `DATABASE_NOT_READABLE`, `NOT_A_CATALOGUE`,
 *   `UNSUPPORTED_FORMAT`; with `warmUp` also as `SkillSearch.warmUp`
 * @throws the signal's reason when aborted
 * @example
 * await using search = await openSkillSearch({ database: 'skills.db' });
 * const { hits } = search.keyword({ q: 'react testing', category: 'testing', limit: 10 });
 */
export function openSkillSearch(
  options: OpenOptions & { readonly skills: Iterable<unknown> | AsyncIterable<unknown> },
): Promise<MemorySearch>;
export function openSkillSearch(options: OpenOptions): Promise<SkillSearch>;
export async function openSkillSearch(options: OpenOptions): Promise<SkillSearch> {
  if (options?.skills === undefined) return openFile(options);
  // What only skills in memory need is imported with them.
  const [{ openInMemory }, { readRowsForMemory }] = await Promise.all([
    import('./search/memory-search.js'),
    import('./load/ingest.js'),
  ]);
  return openInMemory(options, readRowsForMemory);
}
