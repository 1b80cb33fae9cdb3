export { ERROR_CODES, type ErrorCode, SkillSearchError } from './core/index.js';
export type { SkillFilters, Time } from './filters.js';
export { STOP_WORDS } from './keyword/index.js';
export type {
  BuildOptions,
  CatalogueProblem,
  CheckReport,
  FailedSource,
  FolderDefaults,
  InstalledSource,
  LoadProgress,
  LoadReport,
  LoadWarning,
  RejectedRow,
  RowSource,
  SharedOptions,
  Source,
} from './load/index.js';
export {
  buildCatalogue,
  type CheckOptions,
  type CopyOptions,
  checkCatalogue,
  copyCatalogue,
  type RemoveOptions,
  removeSkills,
  type SnapshotOptions,
  type SnapshotReport,
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
  type ScoredField,
  type ScoreParts,
  type SemanticHit,
  type SemanticResult,
  type SimilarSkill,
  type Snippet,
  type Suggestion,
  type SuggestionKind,
} from './result.js';
export type {
  OpenOptions,
  SemanticOptions,
  SimilarOptions,
  SkillSearch,
  SuggestOptions,
  WarmUpOptions,
} from './search/index.js';
export {
  DEFAULT_SHARED_INTERVAL,
  DEFAULT_SNAPSHOT_INTERVAL,
  type FollowedSearch,
  type FollowOptions,
  followCatalogue,
  openSkillSearch,
  type ReloadEvent,
} from './search/index.js';
export type {
  Embedder,
  EmbeddingPurpose,
  EmbedOptions,
  ModelOptions,
  ModelSettings,
  Pooling,
} from './semantic/index.js';
export { BUNDLED_MODEL, inspectModel, type ModelFolder } from './semantic/index.js';
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
export type { SourceWatch, WatchedChange, WatchOptions, WatchProblem } from './watch/index.js';
export { watchSources } from './watch/index.js';
