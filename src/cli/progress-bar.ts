import { Presets, SingleBar } from 'cli-progress';

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
