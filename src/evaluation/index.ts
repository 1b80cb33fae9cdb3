export { type Separation, separation } from './auroc.js';
export {
  type Benchmark,
  GAIN_FUNCTIONS,
  type GainFunction,
  type Gains,
  type Question,
  type RankedDocument,
  type Run,
} from './benchmark.js';
export { type BootstrapOptions, bootstrapIntervals, type Interval } from './bootstrap.js';
export {
  type CompareOptions,
  type Comparison,
  compareFigures,
  extremesOf,
  type QuestionDifference,
} from './compare.js';
export type { Confidence, ConfidentShare, Reliability } from './confidence.js';
export { type Corpus, openCorpus } from './corpus.js';
export type { CorpusOptions } from './corpus-options.js';
export {
  type EvaluateOptions,
  type Evaluation,
  type EvaluationProgress,
  evaluate,
  type NamedRun,
} from './evaluate.js';
export { type Figures, type MeasureOptions, measureRanking, recallByDepth } from './measure.js';
export type { ModeEvaluation } from './measure-run.js';
export { averagePrecision, judgedShare, ndcg, precision, recall, reciprocalRank, usefulShare } from './metrics.js';
export { type RandomisationOptions, randomisationTest } from './randomisation-test.js';
export {
  EVALUATION_MODES,
  type EvaluationMode,
  MAX_DEPTH,
  type RankOptions,
  rankQuestions,
} from './rank-questions.js';
export { type ReadBenchmarkOptions, readBenchmark } from './read-benchmark.js';
export { reportPage } from './report-page.js';
export { type ComparisonSummary, type EvaluationSummary, type SummaryOptions, summarise } from './summary.js';
export { readRun, writeRun } from './trec-run.js';
