import type { LoadProgress } from '../index.js';
import { ProgressBar, type Reading } from './progress-bar.js';
import { oneLine } from './terminal-text.js';
import { fitColumns } from './text-columns.js';

const READING = ' {bar} {percentage}% | {rows} rows | {eta_formatted} left | {what}';
/** For sources whose size nobody knows: folders, standard input. */
const READING_WITHOUT_SIZE = ' {rows} rows | {duration_formatted} | {what}';
const EMBEDDING = ' {bar} {percentage}% | {done} texts embedded | {rate} a second | {eta_formatted} left';
const INDEXING = ' {bar} {percentage}% | {done} vectors indexed | {eta_formatted} left';

/** A progress bar for a load, on a terminal only. */
export class LoadProgressBar {
  readonly #bar: ProgressBar;

  constructor(stream: NodeJS.WritableStream & { readonly isTTY?: boolean }) {
    this.#bar = new ProgressBar(stream);
  }

  show(progress: LoadProgress): void {
    this.#bar.show(this.#read(progress));
  }

  stop(): void {
    this.#bar.stop();
  }

  #read({ phase, source, rows, bytesRead, bytesTotal, done, total }: LoadProgress): Reading {
    if (phase === 'embedding' || phase === 'indexing') {
      const format = phase === 'embedding' ? EMBEDDING : INDEXING;
      const payload = { done: done.toLocaleString('en'), rate: this.#bar.rateOf(format, done) };
      return { format, value: done, total, payload };
    }
    const what = phase === 'publishing' ? 'writing the catalogue' : fitColumns(oneLine(source), 40);
    const payload = { rows: rows.toLocaleString('en'), what };
    const format = bytesTotal > 0 ? READING : READING_WITHOUT_SIZE;
    return { format, value: bytesRead, total: bytesTotal, payload };
  }
}
