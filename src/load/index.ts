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
} from './calls.js';
export type { CataloguePlace } from './catalogue-place.js';
export type {
  BuildOptions,
  FolderDefaults,
  FoundInstalledSource,
  InstalledSource,
  LoadProgress,
  RowSource,
  SharedOptions,
  Source,
} from './load-options.js';
export type {
  CatalogueProblem,
  CheckReport,
  FailedSource,
  LoadReport,
  LoadWarning,
  RejectedRow,
} from './reports.js';
