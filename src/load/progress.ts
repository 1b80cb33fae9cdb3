import type { BuildOptions, LoadProgress } from './load-options.js';
import type { LoadWarning } from './load-report.js';
import type { IndexingProgress } from './load-target.js';

/** Reports to the caller how far a load is. */
export class Progress {
  readonly #listener: BuildOptions['onProgress'];
  readonly #counts: { readonly rows: number };
  readonly #bytesTotal: number;

  /**
   * @param counts rows read so far; looked up at every report
   * @param bytesTotal of all file sources
   */
  constructor(listener: BuildOptions['onProgress'], counts: { readonly rows: number }, bytesTotal: number) {
    this.#listener = listener;
    this.#counts = counts;
    this.#bytesTotal = bytesTotal;
  }

  report(phase: LoadProgress['phase'], more: Partial<LoadProgress> = {}): void {
    const bytes = { bytesRead: this.#bytesTotal, bytesTotal: this.#bytesTotal };
    this.#listener?.({ phase, source: '', rows: this.#counts.rows, ...bytes, done: 0, total: 0, ...more });
  }

  /** What indexing reports to: this, and the warnings of the load. */
  ofIndexing(warnings: LoadWarning[], signal: AbortSignal | undefined): IndexingProgress {
    return {
      signal,
      onProgress: (done, total) => this.report('indexing', { done, total }),
      onWarning: (warning) => warnings.push(warning),
    };
  }
}
