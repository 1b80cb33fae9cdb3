import {
  checkChoice,
  checkDatabase,
  checkInteger,
  checkListener,
  checkOptions,
  checkPath,
  checkSignal,
  invalidArgument,
  type Names,
  namesOf,
  optionOf,
} from '../check-arguments.js';
import { isCatalogueAddress } from '../database-address.js';
import type { OpenOptions } from '../search/search-options.js';
import type { ModelOptions } from '../semantic/model-options.js';
import { PAIR_KINDS, type PairKind } from './training-pair.js';

/** What the nearest skills of a pair are nearest to. */
export const NEAREST_TO = ['skill', 'text'] as const;
export type NearestTo = (typeof NEAREST_TO)[number];

/** The most negatives of a pair: as many as are chosen from. */
export const MAX_NEGATIVES = 30;

/** The most pairs of one kind that a skill gives. */
export const MAX_PER_SKILL = 100;

/** The most pairs of one kind that a report shows. */
export const MAX_SAMPLE = 1000;

const MAX_SEED = 0xffffffff;

/** How far the reading of a catalogue is. */
export interface PairProgress {
  /**
   * `requests` goes through the requests that people wrote, `counting` reads all skills to find phrases of many skills,
   * `writing` reads them again. What is not needed for the kinds of pairs that are made does not occur.
   */
  readonly phase: 'requests' | 'counting' | 'writing';
  /** Requests or groups of copies, read and in all. */
  readonly done: number;
  readonly total: number;
}

/** Options of `minePairs`. */
export interface PairOptions extends ModelOptions, Pick<OpenOptions, 'cache' | 'passwordFile'> {
  /**
   * Path of the catalogue, or the address of a snapshot or of a database of PostgreSQL, whose local copy is brought up
   * to date once. It is not changed.
   */
  readonly database: string;
  /**
   * Path of a list of ids, one a line. These skills and their copies give no pair and are no negative: hold out what
   * you measure with.
   *
   * @default none
   */
  readonly without?: string | undefined;
  /**
   * Path of requests that people wrote: JSON Lines of `skill` (its id), `request`, `language` and, in another language
   * than English, `english`.
   *
   * @default none
   */
  readonly requests?: string | undefined;
  /** Which kinds of pairs to make. @default all */
  readonly kinds?: readonly PairKind[] | undefined;
  /** The most pairs of each kind that a skill with its copies gives, 1 to 100; requests are all taken. @default 2 */
  readonly perSkill?: number | undefined;
  /** Hard negatives of each pair, 0 to 30. They need vectors in the catalogue. @default 0 */
  readonly negatives?: number | undefined;
  /**
   * What negatives are near to: the vector of the right skill, which is in the catalogue, or that of the text, which
   * the model makes: slower by some milliseconds a pair, and closer to what a search confuses.
   *
   * @default 'skill'
   */
  readonly nearestTo?: NearestTo | undefined;
  /** Decides what is chosen, 0 to 4294967295: the same seed makes the same pairs. @default 1 */
  readonly seed?: number | undefined;
  /** Pairs of each kind in the report's sample, 0 to 1000. @default 0 */
  readonly sample?: number | undefined;
  readonly onProgress?: ((progress: PairProgress) => void) | undefined;
  /** Stops the work when aborted. */
  readonly signal?: AbortSignal | undefined;
}

const PAIR_OPTIONS: Names = namesOf<PairOptions>({
  database: true,
  cache: true,
  passwordFile: true,
  without: true,
  requests: true,
  kinds: true,
  perSkill: true,
  negatives: true,
  nearestTo: true,
  model: true,
  embedder: true,
  seed: true,
  sample: true,
  onProgress: true,
  signal: true,
});

/** Options that are checked, with their defaults. */
export interface ResolvedPairOptions extends ModelOptions {
  /** The catalogue, as it is opened. */
  readonly opening: Pick<OpenOptions, 'database' | 'cache' | 'passwordFile'>;
  readonly without: string | undefined;
  readonly requests: string | undefined;
  readonly kinds: ReadonlySet<PairKind>;
  readonly perSkill: number;
  readonly negatives: number;
  readonly nearestTo: NearestTo;
  readonly seed: number;
  readonly sample: number;
  readonly onProgress: (progress: PairProgress) => void;
  readonly signal: AbortSignal | undefined;
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
export function resolvePairOptions(options: PairOptions): ResolvedPairOptions {
  checkOptions(options, PAIR_OPTIONS);
  const { database, cache, passwordFile, without, requests, onProgress = () => {}, model, embedder } = options;
  checkListener('onProgress', options.onProgress);
  return {
    opening: { database: isCatalogueAddress(database) ? database : checkDatabase(database), cache, passwordFile },
    without: without === undefined ? undefined : checkPath('without', without, 'a file'),
    requests: requests === undefined ? undefined : checkPath('requests', requests, 'a file'),
    kinds: checkKinds(options.kinds),
    perSkill: checkInteger(optionOf('perSkill'), options.perSkill, 1, MAX_PER_SKILL) ?? 2,
    negatives: checkInteger(optionOf('negatives'), options.negatives, 0, MAX_NEGATIVES) ?? 0,
    nearestTo: checkChoice(optionOf('nearestTo'), options.nearestTo, NEAREST_TO) ?? 'skill',
    seed: checkInteger(optionOf('seed'), options.seed, 0, MAX_SEED) ?? 1,
    sample: checkInteger(optionOf('sample'), options.sample, 0, MAX_SAMPLE) ?? 0,
    onProgress,
    signal: checkSignal(options.signal),
    ...(model === undefined ? {} : { model }),
    ...(embedder === undefined ? {} : { embedder }),
  };
}

function checkKinds(kinds: unknown): ReadonlySet<PairKind> {
  if (kinds === undefined) return new Set(PAIR_KINDS);
  if (!Array.isArray(kinds) || kinds.length === 0) throw invalidArgument(optionOf('kinds'), 'a list of kinds', kinds);
  return new Set(kinds.map((kind) => checkChoice(optionOf('kinds'), kind ?? null, PAIR_KINDS)!));
}
