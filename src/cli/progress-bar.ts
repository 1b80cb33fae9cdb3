import { Presets, SingleBar } from 'cli-progress';
import type { LoadProgress } from '../index.js';
import { type Output, oneLine } from './output.js';
import { fitColumns } from './text-columns.js';

/** What a bar shows at one moment. */
interface Reading {
  /** Text with placeholders, see `cli-progress`. Another format starts another bar. */
  readonly format: string;
  readonly value: number;
  readonly total: number;
  readonly payload: Readonly<Record<string, string>>;
}

/** A progress bar. Shows nothing unless the stream is a terminal. */
export class ProgressBar {
  readonly #stream: Output['error'];
  #bar: SingleBar | undefined;
  #format = '';
  #started = 0;

  constructor(stream: Output['error']) {
    this.#stream = stream;
  }

  show({ format, value, total, payload }: Reading): void {
    if (this.#stream.isTTY !== true) return;
    if (format !== this.#format) this.stop();
    if (this.#bar === undefined) {
      this.#format = format;
      this.#started = performance.now();
      const options = { stream: this.#stream, hideCursor: true, clearOnComplete: true, format, etaBuffer: 50 };
      this.#bar = new SingleBar(options, Presets.shades_classic);
      this.#bar.start(Math.max(total, 1), 0, payload);
    }
    const seconds = Math.max(0.001, (performance.now() - this.#started) / 1000);
    const [done, rate] = [value, Math.round(value / seconds)].map((count) => count.toLocaleString('en'));
    this.#bar.update(Math.min(value, total), { done, rate, ...payload });
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#format = '';
  }
}

const READING = ' {bar} {percentage}% | {rows} rows | {eta_formatted} left | {what}';
/** For sources of unknown size: folders, standard input. */
const READING_WITHOUT_SIZE = ' {rows} rows | {duration_formatted} | {what}';
const EMBEDDING = ' {bar} {percentage}% | {done} texts embedded | {rate} a second | {eta_formatted} left';
const INDEXING = ' {bar} {percentage}% | {done} vectors indexed | {eta_formatted} left';

/** A progress bar for a load. */
export class LoadProgressBar extends ProgressBar {
  showLoad({ phase, source, rows, bytesRead, bytesTotal, done, total }: LoadProgress): void {
    if (phase === 'embedding' || phase === 'indexing') {
      this.show({ format: phase === 'embedding' ? EMBEDDING : INDEXING, value: done, total, payload: {} });
      return;
    }
    const what = phase === 'publishing' ? 'writing the catalogue' : fitColumns(oneLine(source), 40);
    const format = bytesTotal > 0 ? READING : READING_WITHOUT_SIZE;
    const payload = { rows: rows.toLocaleString('en'), what };
    this.show({ format, value: bytesRead, total: bytesTotal, payload });
  }
}
