import { Presets, SingleBar } from 'cli-progress';
import type { LoadProgress } from '../index.js';
import { oneLine } from './output.js';
import { fitColumns } from './text-columns.js';

const READING = ' {bar} {percentage}% | {rows} rows | {eta_formatted} left | {what}';
/** For sources of unknown size: folders, standard input. */
const READING_WITHOUT_SIZE = ' {rows} rows | {duration_formatted} | {what}';
const EMBEDDING = ' {bar} {percentage}% | {done} texts embedded | {rate} a second | {eta_formatted} left';
const INDEXING = ' {bar} {percentage}% | {done} vectors indexed | {eta_formatted} left';

/** A progress bar for a load. Shows nothing unless the stream is a terminal. */
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

/** What a bar shows at one moment. */
export interface Reading {
  /** Text with placeholders, see `cli-progress`. Another format starts another bar. */
  readonly format: string;
  readonly value: number;
  readonly total: number;
  readonly payload: Readonly<Record<string, string>>;
}

/** A progress bar. Shows nothing unless the stream is a terminal. */
export class ProgressBar {
  readonly #stream: NodeJS.WritableStream & { readonly isTTY?: boolean };
  #bar: SingleBar | undefined;
  #format = '';
  #started = 0;

  constructor(stream: NodeJS.WritableStream & { readonly isTTY?: boolean }) {
    this.#stream = stream;
  }

  show({ format, value, total, payload }: Reading): void {
    if (this.#stream.isTTY !== true) return;
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

  /** The number of things done a second since the bar of this format started. */
  rateOf(format: string, done: number): string {
    if (this.#bar === undefined || format !== this.#format) return '–';
    const seconds = (performance.now() - this.#started) / 1000;
    return Math.round(done / Math.max(seconds, 0.001)).toLocaleString('en');
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#format = '';
  }
}
