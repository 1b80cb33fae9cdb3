import { writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomNumbers } from '../src/evaluation/compare.js';

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
  /** The built command to serve with; undefined for the sources. */
  readonly program: string | undefined;
  /** A loaded catalogue to work in a copy of; undefined if none was given. */
  readonly database: string | undefined;
  /** How many skills of a catalogue are attacked at most. */
  readonly victims: number;
  /** Whether bounds of time are those of a machine of its own, and catalogues are as large as they may be. */
  readonly isLong: boolean;
  /** Reports progress. */
  readonly say: (line: string) => void;
}

/** A trial that is under way. */
interface Trying {
  /** Figures worth knowing: the worst case found, how the attempts are divided. Attempts add to them. */
  readonly facts: Readonly<Record<string, number | string>>;
  /**
   * Tries to break the promise.
   *
   * @param number of attempts before
   * @returns how many attempts that were; 1 if it is undefined
   * @throws Error that says what happened and what is needed to repeat it, if the promise broke
   */
  readonly attempt: (number: number) => Promise<number | undefined>;
  readonly end?: () => void | Promise<void>;
}

/** What a trial that found nothing reports. */
export interface TrialOutcome {
  /** At least 1. */
  readonly attempts: number;
  readonly facts: Trying['facts'];
}

/** Tries to break a promise of docs/promises.md, over and over with random input. */
export interface Trial {
  /** Kebab-case, the name of its file. */
  readonly name: string;
  /** The promise, in a sentence. */
  readonly promise: string;
  /** Why it cannot run on this machine; undefined if it can. */
  readonly missing?: () => string | undefined;
  readonly begin: (context: TrialContext) => Promise<Trying>;
}

/** An integer from 0 up to `below`, without that. */
export function randomInteger(random: () => number, below: number): number {
  return Math.floor(random() * below);
}

/** One of some values. */
export function oneOf<T>(random: () => number, values: readonly T[]): T {
  return values[randomInteger(random, values.length)]!;
}

/** Milliseconds after which a trial tells how far it is. */
const BETWEEN_NEWS = 20_000;

export interface RunOptions {
  /** Of the random numbers. */
  readonly seed: number;
  readonly milliseconds: number;
  readonly material?: string | undefined;
  readonly program?: string | undefined;
  readonly database?: string | undefined;
  /** @default 5 */
  readonly victims?: number;
  /** @default false */
  readonly isLong?: boolean;
  readonly say?: (line: string) => void;
}

/**
 * Runs a trial in a folder of its own.
 *
 * @throws Error of the attempt that broke the promise, with the seed added
 */
export async function runTrial(trial: Trial, options: RunOptions): Promise<TrialOutcome> {
  const { seed, milliseconds, material, program, database, victims = 5, isLong = false, say = () => {} } = options;
  const folder = await mkdtemp(join(tmpdir(), `skill-discovery-${trial.name}-`));
  const until = performance.now() + milliseconds;
  let trying: Trying | undefined;
  try {
    const random = randomNumbers(seed);
    trying = await trial.begin({ random, until, folder, material, program, database, victims, isLong, say });
    const { facts, attempt } = trying;
    let attempts = 0;
    let told = performance.now();
    do {
      attempts += (await attempt(attempts)) ?? 1;
      if (performance.now() - told > BETWEEN_NEWS) {
        told = performance.now();
        say(`${attempts} attempts: ${JSON.stringify(facts)}`);
      }
    } while (performance.now() < until);
    const { end } = trying;
    trying = undefined;
    await end?.();
    return { attempts, facts };
  } catch (cause) {
    // What the attempt says counts.
    await (async () => trying?.end?.())().catch(() => {});
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${trial.name}, seed ${seed}: ${message}`, { cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Writes a line to standard output before it returns, and waits while nobody reads. `process.stdout` would keep the
 * lines of a loop that never ends in memory, so a killed process would have done what it did not say.
 */
export function say(line: string): void {
  // The pipe does not block by itself.
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
