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
export {
  type BootstrapOptions,
  bootstrapIntervals,
  type CompareOptions,
  type Comparison,
  compareFigures,
  extremesOf,
  type Interval,
  type QuestionDifference,
  type RandomisationOptions,
  randomisationTest,
  randomNumbers,
} from './compare.js';
export type { CorpusOptions } from './corpus.js';
export { type Corpus, openCorpus } from './corpus.js';
export {
  EVALUATION_MODES,
  type EvaluateOptions,
  type Evaluation,
  type EvaluationMode,
  type EvaluationProgress,
  evaluate,
  MAX_DEPTH,
  type NamedRun,
  type RankOptions,
  rankQuestions,
} from './evaluate.js';
export type { Confidence, ConfidentShare, ModeEvaluation, Reliability } from './measures.js';
export {
  averagePrecision,
  calibrationError,
  type Figures,
  judgedShare,
  type MeasureOptions,
  measureRanking,
  ndcg,
  precision,
  recall,
  recallByDepth,
  reciprocalRank,
  reliability,
  reliabilityBins,
  type Separation,
  separation,
  usefulShare,
} from './measures.js';
export {
  type ComparisonSummary,
  type EvaluationSummary,
  reportPage,
  type SummaryOptions,
  summarise,
} from './report.js';
