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
export {
  type CatalogueSearch,
  catalogueSearchOf,
  type MemorySearch,
  type OpenOptions,
  type SemanticOptions,
  type SimilarOptions,
  type SkillSearch,
  type SuggestOptions,
  type UsedOptions,
  type WarmUpOptions,
  type WordCandidate,
} from './skill-search.js';
