export * from './calls.js';
export type { CataloguePlace } from './catalogue-place.js';
export type * from './load-options.js';
export type {
  CatalogueProblem,
  CheckReport,
  FailedSource,
  LoadReport,
  LoadWarning,
  RejectedRow,
} from './reports.js';
