/** A span of time in which something was down, in milliseconds of `performance.now()`. */
interface Span {
  readonly from: number;
  to: number;
}

/** What was killed and when, to tell losses that are explained from those that are not. */
export class Disturbances {
  readonly #spans: Span[] = [];

  /** Begins a span, which lasts until the function that is returned is called. */
  begin(): () => void {
    const span: Span = { from: performance.now(), to: Number.POSITIVE_INFINITY };
    this.#spans.push(span);
    return () => {
      span.to = performance.now();
    };
  }

  /** Whether anything was down at some moment between two, or is. */
  touch(from: number, to: number): boolean {
    return this.#spans.some((span) => span.from <= to && span.to >= from);
  }
}
