export { buildCatalogue } from './build-catalogue.js';
export type { CataloguePlace } from './catalogue-place.js';
export { type CheckOptions, checkCatalogue } from './check-catalogue.js';
export type { CatalogueProblem, CheckReport } from './check-report.js';
export { type CopyOptions, copyCatalogue } from './copy-catalogue.js';
export {
  type BuildOptions,
  FILE_BUILD_OPTION_NAMES,
  type FolderDefaults,
  type FoundInstalledSource,
  type InstalledSource,
  type LoadProgress,
  type RowSource,
  type SharedOptions,
  type Source,
} from './load-options.js';
export type { FailedSource, LoadReport, LoadWarning, RejectedRow, RowProblems } from './load-report.js';
export { type RemoveOptions, removeSkills } from './remove-skills.js';
export { textsWithoutVector } from './texts-without-vector.js';
export { type UpdateOptions, updateSkills } from './update-skills.js';
export { updateSources } from './update-sources.js';
export { type SnapshotOptions, type SnapshotReport, writeSnapshot } from './write-snapshot.js';
