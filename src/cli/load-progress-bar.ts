import { Presets, SingleBar } from 'cli-progress';
import type { LoadProgress } from '../index.js';
import { fitColumns, oneLine } from './terminal-text.js';

const FORMAT = ' {bar} {percentage}% | {rows} rows | {eta_formatted} left | {what}';
/** For sources whose size nobody knows: folders, standard input. */
const FORMAT_WITHOUT_SIZE = ' {rows} rows | {duration_formatted} | {what}';

/** A progress bar for a load, on a terminal only. */
export class LoadProgressBar {
  readonly #stream: NodeJS.WritableStream & { readonly isTTY?: boolean };
  #bar: SingleBar | undefined;

  constructor(stream: NodeJS.WritableStream & { readonly isTTY?: boolean }) {
    this.#stream = stream;
  }

  show({ phase, source, rows, bytesRead, bytesTotal }: LoadProgress): void {
    if (this.#stream.isTTY !== true) return;
    const what = phase === 'publishing' ? 'writing the catalogue' : fitColumns(oneLine(source), 40);
    const payload = { rows: rows.toLocaleString('en'), what };
    if (this.#bar === undefined) {
      const format = bytesTotal > 0 ? FORMAT : FORMAT_WITHOUT_SIZE;
      this.#bar = new SingleBar(
        { stream: this.#stream, hideCursor: true, clearOnComplete: true, format, etaBuffer: 50 },
        Presets.shades_classic,
      );
      this.#bar.start(Math.max(bytesTotal, 1), 0, payload);
    }
    this.#bar.update(Math.min(bytesRead, bytesTotal), payload);
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}
