export type { SourceWatch, WatchedChange, WatchOptions, WatchProblem } from './watch-options.js';
export { watchSources } from './watch-sources.js';
