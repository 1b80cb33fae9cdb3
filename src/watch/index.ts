export * from './watch-sources.js';
