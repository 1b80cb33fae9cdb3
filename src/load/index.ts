export * from './calls.js';
export type { CataloguePlace } from './catalogue-place.js';
export type * from './load-options.js';
export type * from './reports.js';
