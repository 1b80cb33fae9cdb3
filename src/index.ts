export { buildCatalogue, removeSkills } from './build-catalogue.js';
export { ERROR_CODES, type ErrorCode, SkillSearchError } from './errors.js';
export type { FailedSource, LoadReport, LoadWarning, RejectedRow } from './load-report.js';
export type { BuildOptions, FolderDefaults, LoadProgress, OpenOptions, RowSource, Source } from './options.js';
export {
  COPY_MODES,
  type CopyMode,
  DEFAULT_LIMIT,
  type KeywordQuery,
  MAX_KEYWORD_QUERY_LENGTH,
  MAX_LIMIT,
  MAX_PAGE,
  type ResolvedKeywordQuery,
  resolveKeywordQuery,
  SORT_ORDERS,
  type SortOrder,
} from './query.js';
export {
  type CatalogueStats,
  KEYWORD_STEPS,
  type KeywordHit,
  type KeywordResult,
  type KeywordStep,
  type LabelCount,
  type MatchedTerms,
  type Pagination,
  type Snippet,
} from './result.js';
export type { Skill, SkillDetails, SkillFile, SkillProperties } from './skill.js';
export { openSkillSearch, type SkillSearch } from './skill-search.js';
