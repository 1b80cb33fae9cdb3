export {
  type SourceWatch,
  type WatchedChange,
  type WatchOptions,
  type WatchProblem,
  watchSources,
} from './watch-sources.js';
