export { ERROR_CODES, type ErrorCode, SkillSearchError } from './errors.js';
export type { SkillFilters, Time } from './filters.js';
export { STOP_WORDS } from './keyword/stop-words.js';
export { buildCatalogue } from './load/build-catalogue.js';
export { type CheckOptions, checkCatalogue } from './load/check-catalogue.js';
export type { CatalogueProblem, CheckReport } from './load/check-report.js';
export { type CopyOptions, copyCatalogue } from './load/copy-catalogue.js';
export type {
  BuildOptions,
  FolderDefaults,
  InstalledSource,
  LoadProgress,
  RowSource,
  SharedOptions,
  Source,
} from './load/load-options.js';
export type { FailedSource, LoadReport, LoadWarning, RejectedRow } from './load/load-report.js';
export { type RemoveOptions, removeSkills } from './load/remove-skills.js';
export { type UpdateOptions, updateSkills } from './load/update-skills.js';
export { type SnapshotOptions, type SnapshotReport, writeSnapshot } from './load/write-snapshot.js';
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
  type KeywordRecords,
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
  type ScoredField,
  type ScoreParts,
  type SemanticHit,
  type SemanticResult,
  type SimilarSkill,
  type Snippet,
  type Suggestion,
  type SuggestionKind,
} from './result.js';
export {
  DEFAULT_SHARED_INTERVAL,
  DEFAULT_SNAPSHOT_INTERVAL,
  type FollowedSearch,
  type FollowOptions,
  followCatalogue,
  type ReloadEvent,
} from './search/follow-catalogue.js';
export { openSkillSearch } from './search/open-skill-search.js';
export type { OpenOptions } from './search/search-options.js';
export type {
  CompleteIdsPage,
  SemanticOptions,
  SimilarOptions,
  SkillSearch,
  SuggestOptions,
  WarmUpOptions,
} from './search/skill-search.js';
export type { Embedder, EmbeddingPurpose, EmbedOptions } from './semantic/embedder.js';
export { BUNDLED_MODEL, inspectModel, type ModelFolder } from './semantic/model-folder.js';
export type { ModelOptions } from './semantic/model-options.js';
export type { ModelSettings, Pooling } from './semantic/settings/model-settings.js';
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
export type { SourceWatch, WatchedChange, WatchOptions, WatchProblem } from './watch/watch-options.js';
export { watchSources } from './watch/watch-sources.js';
