export { minePairs } from './mine-pairs.js';
export {
  MAX_NEGATIVES,
  MAX_PER_SKILL,
  MAX_SAMPLE,
  NEAREST_TO,
  type NearestTo,
  type PairOptions,
  type PairProgress,
} from './pair-options.js';
export type { LeftOut, PairReport } from './pair-report.js';
export { PAIR_KINDS, type PairKind, type TrainingPair } from './training-pair.js';
export { writePairs } from './write-pairs.js';
