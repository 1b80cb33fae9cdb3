import { type Body, type ListBody, textOf } from './body.js';

/** Bytes of a body, and the buffer that they lie in where that is to be given back. */
export interface EncodedBody {
  readonly bytes: Buffer;
  readonly lent: Buffer | undefined;
}

const BUFFER_BYTES = 128 * 1024;
/** More answers than that are on their way only if many clients take them slowly. */
const MOST_BUFFERS = 64;
/** In UTF-8 a unit of a string takes at most three bytes. */
const MOST_BYTES_PER_UNIT = 3;
const COMMA = 0x2c;

/**
 * Encodes bodies in UTF-8, piece by piece into buffers that are used again: one long string of all pieces would be copied
 * several times, in two bytes a character if any piece needs them, and each new buffer of this size is memory that the
 * processor has not seen lately.
 */
export class BodyBuffers {
  readonly #free: Buffer[] = [];
  #made = 0;

  /** @param reusable whether the buffer will be given back, by {@link giveBack}, as soon as nobody reads it any more */
  encode(body: Body, reusable: boolean): EncodedBody {
    if (reusable && typeof body !== 'string' && mostBytes(body) <= BUFFER_BYTES) {
      const lent = this.#take();
      if (lent !== undefined) return { bytes: lent.subarray(0, write(body, lent)), lent };
    }
    return { bytes: Buffer.from(textOf(body)), lent: undefined };
  }

  giveBack(lent: Buffer): void {
    this.#free.push(lent);
  }

  /** The one that was used last: the processor still has it at hand. */
  #take(): Buffer | undefined {
    const buffer = this.#free.pop();
    if (buffer !== undefined || this.#made === MOST_BUFFERS) return buffer;
    this.#made += 1;
    return Buffer.allocUnsafeSlow(BUFFER_BYTES);
  }
}

function mostBytes({ before, items, after }: ListBody): number {
  let units = before.length + after.length;
  for (const item of items) units += item.length + 1;
  return units * MOST_BYTES_PER_UNIT;
}

/** @returns how many bytes were written */
function write({ before, items, after }: ListBody, to: Buffer): number {
  let at = to.write(before);
  for (let i = 0; i < items.length; i++) {
    if (i > 0) to[at++] = COMMA;
    at += to.write(items[i]!, at);
  }
  return at + to.write(after, at);
}
