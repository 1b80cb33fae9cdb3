export {
  DEFAULT_SHARED_INTERVAL,
  DEFAULT_SNAPSHOT_INTERVAL,
  type FollowedSearch,
  type FollowOptions,
  followCatalogue,
  type ReloadEvent,
} from './follow-catalogue.js';
export { localPathsOf } from './local-paths-of.js';
export { openSkillSearch } from './open-catalogue.js';
export { questionVectorOf } from './question-vector-of.js';
export type {
  CompleteIdsPage,
  OpenOptions,
  SemanticOptions,
  SimilarOptions,
  SkillSearch,
  SuggestOptions,
  WarmUpOptions,
} from './skill-search.js';
export { type WordCandidate, wordCandidatesOf } from './word-candidates.js';
