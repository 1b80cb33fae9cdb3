import { Buffer } from 'node:buffer';

/** Collects the bytes of one row over several chunks. Past its limit it keeps no bytes, only the fact. */
export class PieceBuffer {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#length += bytes.length;
    if (this.#length > this.#limit) this.#parts = [];
    else this.#parts.push(bytes);
  }

  /** The bytes collected since the last call; undefined if they were more than the limit. */
  take(): Buffer | undefined {
    const [first = Buffer.alloc(0)] = this.#parts;
    const whole = this.#parts.length < 2 ? first : Buffer.concat(this.#parts);
    const taken = this.#length > this.#limit ? undefined : whole;
    this.#parts = [];
    this.#length = 0;
    return taken;
  }
}

/** The fault of a row over its limit. */
export function tooLong(what: string, limit: number): string {
  return limit >= 1024 * 1024 ? `${what} is over ${limit / 1024 / 1024} MiB` : `${what} is over ${limit} bytes`;
}
