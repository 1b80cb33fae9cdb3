import type { IndexOrWarnOptions } from '../indexing/index.js';
import type { LoadWarning, RejectedRow, RowProblems } from '../result.js';
import type { Origin } from '../sources/index.js';
import type { ChangeCounts } from '../store/writing.js';
import type { BuildOptions, LoadProgress } from './load-options.js';

/** Rejected rows, and warnings, that a report lists, by default. The others are counted: a list takes memory. */
const MAX_LISTED_PROBLEMS = 10_000;

export type { LoadWarning, RejectedRow, RowProblems } from '../result.js';

/** A source that broke while it was read. What came before is loaded. */
export interface FailedSource {
  readonly origin: string;
  readonly reason: string;
}

/** What a load did. The first four are numbers of skills. */
export interface LoadReport {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  /** Number of texts that got a vector. */
  readonly embedded: number;
  /** Number of skills that a classifier gave categories, because their source gives none. */
  readonly classified: number;
  /** The first ones; see `BuildOptions.maxListedProblems`. */
  readonly warnings: readonly LoadWarning[];
  /** Number of all warnings, listed or not. */
  readonly warningCount: number;
  /** The first ones; see `BuildOptions.maxListedProblems`. */
  readonly rejected: readonly RejectedRow[];
  /** Number of all rejected rows, listed or not. */
  readonly rejectedCount: number;
  readonly failed: readonly FailedSource[];
  /** Wall-clock time by phase. */
  readonly seconds: {
    readonly reading: number;
    readonly storing: number;
    /** With classifying. */
    readonly embedding: number;
    readonly publishing: number;
    /** Building the derived files, after the catalogue was published. */
    readonly indexing: number;
  };
}

/** Something that is wrong with a catalogue or with a file that is derived from it. */
export interface CatalogueProblem {
  /**
   * What is at fault: the database as a whole, a skill, the vectors, one of the derived files, or the snapshot that
   * PostgreSQL has for new copies.
   */
  readonly part: 'database' | 'skill' | 'vectors' | 'keyword file' | 'vector files' | 'snapshot';
  /** Path of the file, or the address of the database, without password. */
  readonly path: string;
  /** Id of the skill as it is stored; only for skills. */
  readonly skill?: string;
  /** What is wrong, in a sentence without a full stop. */
  readonly problem: string;
  /** What helps, in a sentence without a full stop. */
  readonly remedy: string;
}

/** What a check of a catalogue found. */
export interface CheckReport {
  /** Number of skills that were checked. */
  readonly skills: number;
  /** Number of vectors that were checked. */
  readonly vectors: number;
  /** What is wrong; after a repair what is still wrong. */
  readonly problems: readonly CatalogueProblem[];
  /**
   * Derived files that are whole but belong to another state of the catalogue, as after a load by another version, or
   * that a running load has not made yet. Nothing is wrong: a search does without them, and the next load or a repair
   * makes them. Also that a local copy could not be compared with PostgreSQL, because what is there is another state.
   */
  readonly outdated: readonly CatalogueProblem[];
  /** What a repair has mended or made. */
  readonly repaired: readonly CatalogueProblem[];
}

type ReportOptions = Pick<BuildOptions, 'onProgress' | 'maxListedProblems' | 'signal'>;

/** Puts together the report of a load while this runs, and tells the caller how far it is. */
export class ReportBuilder {
  /** Texts that got a vector, and skills that got categories. */
  embedded: number = 0;
  classified: number = 0;
  /** Sources that broke while they were read. */
  readonly failed: FailedSource[] = [];
  /** Rows so far, good or not. */
  rows: number = 0;
  /** The sum of the sizes of all file sources. */
  bytesTotal: number = 0;
  readonly #options: ReportOptions;
  readonly #maxListed: number;
  readonly #warnings: LoadWarning[] = [];
  readonly #rejected: RejectedRow[] = [];
  /** Problems that are not listed. */
  readonly #unlisted = { warnings: 0, rejected: 0 };
  readonly #seconds = { reading: 0, storing: 0, embedding: 0, publishing: 0, indexing: 0 };
  #phaseBegan = performance.now();

  constructor(options: ReportOptions) {
    this.#options = options;
    const { maxListedProblems = MAX_LISTED_PROBLEMS } = options;
    this.#maxListed = maxListedProblems === 0 ? Number.POSITIVE_INFINITY : maxListedProblems;
  }

  /** Notes a warning of the load itself: these are few, so all are listed. */
  warn(warning: LoadWarning): void {
    this.#warnings.push(warning);
  }

  /** Notes a warning about a row, or counts it if there are too many to list. */
  warnOfRow(origin: Origin, message: string): void {
    if (this.#warnings.length < this.#maxListed) this.#warnings.push({ ...forReport(origin), message });
    else this.#unlisted.warnings += 1;
  }

  reject(origin: Origin, reason: string): void {
    if (this.#rejected.length < this.#maxListed) this.#rejected.push({ ...forReport(origin), reason });
    else this.#unlisted.rejected += 1;
  }

  /** Ends a phase: it has taken the time since the last one ended. */
  end(phase: Exclude<keyof LoadReport['seconds'], 'storing'>): void {
    const now = performance.now();
    this.#seconds[phase] += (now - this.#phaseBegan) / 1000;
    this.#phaseBegan = now;
  }

  /** Does work in the store while sources are read. */
  storing<T>(work: () => T): T {
    const began = performance.now();
    const result = work();
    const seconds = (performance.now() - began) / 1000;
    this.#seconds.storing += seconds;
    this.#seconds.reading -= seconds;
    return result;
  }

  /** Tells the caller how far the load is. */
  tell(phase: LoadProgress['phase'], more: Partial<LoadProgress> = {}): void {
    const { rows, bytesTotal } = this;
    this.#options.onProgress?.({
      phase,
      source: '',
      rows,
      bytesRead: bytesTotal,
      bytesTotal,
      done: 0,
      total: 0,
      ...more,
    });
  }

  /** What indexing reports to. */
  indexing(): IndexOrWarnOptions {
    return {
      signal: this.#options.signal,
      onProgress: (done, total) => this.tell('indexing', { done, total }),
      onWarning: (warning) => this.warn(warning),
    };
  }

  /** The problems of the rows. Ends with a warning if it does not list all of them. */
  problems(): RowProblems {
    const { warnings, rejected } = this.#unlisted;
    if (warnings + rejected > 0) {
      const counts = `${warnings.toLocaleString('en')} more warnings and ${rejected.toLocaleString('en')} more rejected rows`;
      const message = `${counts} are not listed: see to those that are, or raise maxListedProblems`;
      this.warn({ origin: 'report', message });
    }
    return { warnings: this.#warnings, rejected: this.#rejected };
  }

  /** Ends the last phase, and the report. */
  finish(counts: ChangeCounts): LoadReport {
    this.end('indexing');
    const { warnings, rejected } = this.problems();
    return {
      ...counts,
      embedded: this.embedded,
      classified: this.classified,
      warnings,
      warningCount: warnings.length + this.#unlisted.warnings,
      rejected,
      rejectedCount: rejected.length + this.#unlisted.rejected,
      failed: this.failed,
      seconds: this.#seconds,
    };
  }
}

/** Where a row is, as a report says it. */
export function forReport({ source, line }: Origin): { origin: string; line?: number } {
  return line === undefined ? { origin: source } : { origin: source, line };
}
