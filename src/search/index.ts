export {
  DEFAULT_SHARED_INTERVAL,
  DEFAULT_SNAPSHOT_INTERVAL,
  type FollowedSearch,
  type FollowOptions,
  followCatalogue,
  type ReloadEvent,
} from './follow-catalogue.js';
export { openSkillSearch } from './open-catalogue.js';
export { type Decision, MOST_SHOWN } from './ranking/decision.js';
export type {
  MemorySearch,
  OpenOptions,
  SemanticOptions,
  SimilarOptions,
  SkillSearch,
  SuggestOptions,
  UsedOptions,
  WarmUpOptions,
} from './skill-search.js';
export {
  type CatalogueSearch,
  catalogueSearchOf,
  type WordCandidate,
} from './skill-search.js';
