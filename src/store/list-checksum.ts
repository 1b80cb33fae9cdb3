import { crc32 } from 'node:zlib';

/** `ordered`: one CRC-32 over all items. `sum`: the sum of the CRC-32 of each, so that items can come and go. */
export type ChecksumForm = 'ordered' | 'sum';

/** Sums are kept below this: whole numbers that a double holds, with room to add. */
const MODULUS = 2 ** 48;

/** Adds to a sum of checksums; with a negative number takes from it. */
export function addToSum(sum: number, checksum: number): number {
  return (((sum + checksum) % MODULUS) + MODULUS) % MODULUS;
}

/** The checksum of a list of items. */
export class ListChecksum {
  readonly #only: ChecksumForm | undefined;
  #ordered = 0;
  #sum = 0;

  /** @param only the form that is asked for; both without it */
  constructor(only?: ChecksumForm) {
    this.#only = only;
  }

  add(item: string | DataView): void {
    if (this.#only !== 'sum') this.#ordered = crc32(item, this.#ordered);
    if (this.#only !== 'ordered') this.#sum = addToSum(this.#sum, crc32(item));
  }

  get ordered(): number {
    return this.#ordered;
  }

  get sum(): number {
    return this.#sum;
  }

  /** @param form absent: `ordered` */
  inForm(form: ChecksumForm | undefined): number {
    return form === 'sum' ? this.#sum : this.#ordered;
  }
}
