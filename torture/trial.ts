/** What a trial works with. */
export interface TrialContext {
  /** A random number from 0 up to 1. The same seed gives the same numbers. */
  readonly random: () => number;
  /** When the trial should end, by `performance.now()`. It makes one attempt at least. */
  readonly until: number;
  /** An empty folder of its own, removed afterwards. */
  readonly folder: string;
  /** A folder of odd files to start from; undefined if none was given. */
  readonly material: string | undefined;
  /** A catalogue to serve, or a source to load it from; undefined if none was given. */
  readonly catalogue: string | undefined;
  /** The built command to serve with; undefined for the sources. */
  readonly program: string | undefined;
  /** Whether bounds of time are those of a machine of its own, and catalogues are as large as they may be. */
  readonly isLong: boolean;
  /** Reports progress. */
  readonly say: (line: string) => void;
}

/** What a trial that found nothing reports. */
export interface TrialOutcome {
  /** How often it tried to break the promise. At least 1. */
  readonly attempts: number;
  /** Figures worth knowing: the worst case found, how the attempts are divided. */
  readonly facts: Readonly<Record<string, number | string>>;
}

/**
 * Tries to break a promise of docs/promises.md, over and over with random input.
 *
 * An attempt that breaks it throws an error that says what happened and what is needed to repeat it.
 */
export interface Trial {
  /** Kebab-case, the name of its file. */
  readonly name: string;
  /** The promise, in a sentence. */
  readonly promise: string;
  /** Why it cannot run on this machine, or with what was given; undefined if it can. */
  readonly missing?: (given: { readonly catalogue?: string | undefined }) => string | undefined;
  readonly run: (context: TrialContext) => Promise<TrialOutcome>;
}

/** An integer from 0 up to `below`, without that. */
export function randomInteger(random: () => number, below: number): number {
  return Math.floor(random() * below);
}

/** One of some values. */
export function oneOf<T>(random: () => number, values: readonly T[]): T {
  return values[randomInteger(random, values.length)]!;
}
