import type { PackedStrings } from '../packed-strings.js';

/** Collects strings of other {@link PackedStrings}. */
export class StringsWriter {
  readonly #bytes: Uint8Array;
  readonly #starts: Uint32Array;
  #size = 0;
  #end = 0;

  /** @param sources all strings added come from these, each at most once */
  constructor(sources: readonly PackedStrings[]) {
    this.#bytes = new Uint8Array(sources.reduce((sum, { bytes }) => sum + bytes.length, 0));
    this.#starts = new Uint32Array(sources.reduce((sum, { starts }) => sum + starts.length, 1));
  }

  /** Adds the `i`-th of some strings. */
  add({ bytes, starts }: PackedStrings, i: number): void {
    const end = starts[i + 1]!;
    for (let at = starts[i]!; at < end; at++) this.#bytes[this.#end++] = bytes[at]!;
    this.#starts[++this.#size] = this.#end;
  }

  pack(): PackedStrings {
    return { bytes: this.#bytes.slice(0, this.#end), starts: this.#starts.slice(0, this.#size + 1) };
  }
}
