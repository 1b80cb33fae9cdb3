export {
  type Benchmark,
  GAIN_FUNCTIONS,
  type GainFunction,
  type Gains,
  type Question,
  type RankedDocument,
  type ReadBenchmarkOptions,
  type Run,
  readBenchmark,
  readRun,
  writeRun,
} from './benchmark.js';
export * from './compare.js';
export { type Corpus, type CorpusOptions, openCorpus } from './corpus.js';
export * from './evaluate.js';
export * from './measures.js';
export * from './report.js';
