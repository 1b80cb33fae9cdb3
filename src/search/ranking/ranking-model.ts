import { readFileSync } from 'node:fs';
import { RANKING_FEATURES, RANKINGS, type Ranking } from '../../result.js';
import type { Calibration } from './calibration.js';
import type { FittedWeights } from './fusion.js';

/** The numbers that were fitted to judged questions. */
export interface RankingModel {
  readonly weights: FittedWeights;
  /** By ranking; `foreign` is that of `hybrid` for questions which the model was not made for. */
  readonly calibration: Readonly<Record<Ranking | 'foreign', Calibration>>;
}

/** The file with these numbers, which `npm run fit-ranking` writes. */
export const RANKING_MODEL: URL = new URL('../../../data/ranking.json', import.meta.url);

let model: RankingModel | undefined;

/** The numbers that come with the library. The first call reads the file. */
export function rankingModel(): RankingModel {
  model ??= parseRankingModel(readFileSync(RANKING_MODEL, 'utf8'));
  return model;
}

/** @throws {TypeError} if a number is missing; the message names it */
export function parseRankingModel(text: string): RankingModel {
  const { weights, calibration } = JSON.parse(text) as RankingModel;
  for (const kind of ['first', 'readable', 'foreign'] as const) {
    for (const feature of RANKING_FEATURES) {
      for (const name of ['weight', 'bySize', 'byLength'] as const)
        checkNumber(weights?.[kind]?.[feature]?.[name], `weights.${kind}.${feature}.${name}`);
    }
  }
  for (const ranking of [...RANKINGS, 'foreign'] as const) {
    for (const name of ['slope', 'others', 'bySize', 'intercept', 'confident'] as const)
      checkNumber(calibration?.[ranking]?.[name], `calibration.${ranking}.${name}`);
    for (const name of ['weight', 'bySize'] as const)
      checkNumber(calibration[ranking].unfit?.[name], `calibration.${ranking}.unfit.${name}`);
  }
  return { weights, calibration };
}

function checkNumber(value: unknown, name: string): void {
  if (typeof value === 'number' && Number.isFinite(value)) return;
  throw new TypeError(`${name} of the ranking's weights must be a number, got ${JSON.stringify(value)}`);
}
