import { Presets, SingleBar } from 'cli-progress';
import type { LoadProgress } from '../index.js';
import { fitColumns, oneLine } from './terminal-text.js';

/** What a bar shows of one moment. */
interface Reading {
  /** Bars of different formats are different bars. */
  readonly format: string;
  readonly value: number;
  readonly total: number;
  readonly payload: Readonly<Record<string, string>>;
}

const READING = ' {bar} {percentage}% | {rows} rows | {eta_formatted} left | {what}';
/** For sources whose size nobody knows: folders, standard input. */
const READING_WITHOUT_SIZE = ' {rows} rows | {duration_formatted} | {what}';
const EMBEDDING = ' {bar} {percentage}% | {done} texts embedded | {rate} a second | {eta_formatted} left';
const INDEXING = ' {bar} {percentage}% | {done} vectors indexed | {eta_formatted} left';

/** A progress bar for a load, on a terminal only. */
export class LoadProgressBar {
  readonly #stream: NodeJS.WritableStream & { readonly isTTY?: boolean };
  #bar: SingleBar | undefined;
  #format = '';
  #started = 0;

  constructor(stream: NodeJS.WritableStream & { readonly isTTY?: boolean }) {
    this.#stream = stream;
  }

  show(progress: LoadProgress): void {
    if (this.#stream.isTTY !== true) return;
    const { format, value, total, payload } = this.#read(progress);
    if (format !== this.#format) this.stop();
    if (this.#bar === undefined) {
      this.#format = format;
      this.#started = performance.now();
      this.#bar = new SingleBar(
        { stream: this.#stream, hideCursor: true, clearOnComplete: true, format, etaBuffer: 50 },
        Presets.shades_classic,
      );
      this.#bar.start(Math.max(total, 1), 0, payload);
    }
    this.#bar.update(Math.min(value, total), payload);
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#format = '';
  }

  #read({ phase, source, rows, bytesRead, bytesTotal, done, total }: LoadProgress): Reading {
    if (phase === 'embedding' || phase === 'indexing') {
      const seconds = (performance.now() - this.#started) / 1000;
      const rate = this.#bar === undefined ? '–' : Math.round(done / Math.max(seconds, 0.001)).toLocaleString('en');
      const payload = { done: done.toLocaleString('en'), rate };
      return { format: phase === 'embedding' ? EMBEDDING : INDEXING, value: done, total, payload };
    }
    const what = phase === 'publishing' ? 'writing the catalogue' : fitColumns(oneLine(source), 40);
    const payload = { rows: rows.toLocaleString('en'), what };
    const format = bytesTotal > 0 ? READING : READING_WITHOUT_SIZE;
    return { format, value: bytesRead, total: bytesTotal, payload };
  }
}
