/** Memory of longer texts is not kept: four bytes a position. Few texts have this many positions. */
const MAX_POSITIONS_KEPT = 1 << 20;

/**
 * Where in a text each beginning of a phrase can end, by the length of the beginning in positions.
 *
 * Notes are arrays by position in the text. A position is noted if it holds the mark of its length. Marks count upwards,
 * so nothing is cleared or allocated for a document. The notes of a length are reused as soon as nothing asks for that
 * length any more. Otherwise a long phrase would take the memory of as many texts as it has words.
 */
export class PhraseEnds {
  /** By length; undefined if nothing is noted. */
  readonly #notes: (Uint32Array | undefined)[] = [];
  /** By length, for those that have notes: a number that was not used as a mark before. */
  readonly #marks: number[] = [];
  readonly #free: Uint32Array[] = [];
  /** The greatest length that may have notes. */
  #longest = 0;
  #lastMark = 0;

  /** Forgets everything. Call it for each document. */
  clear(): void {
    for (let length = 0; length <= this.#longest; length++) this.forget(length);
    this.#longest = 0;
    if (this.#lastMark < 2 ** 31) return;
    for (const notes of this.#free) notes.fill(0);
    this.#lastMark = 0;
  }

  /** Forgets everything, and frees the memory that only long texts need. */
  trim(): void {
    this.clear();
    const kept = this.#free.filter((notes) => notes.length <= MAX_POSITIONS_KEPT);
    this.#free.length = 0;
    this.#free.push(...kept);
  }

  /** Forgets where beginnings of a length end. */
  forget(length: number): void {
    const notes = this.#notes[length];
    if (notes === undefined) return;
    this.#free.push(notes);
    this.#notes[length] = undefined;
  }

  /** Notes that a beginning of a length can end before a position. */
  add(length: number, position: number): void {
    let notes = this.#notes[length];
    if (notes === undefined) {
      notes = this.#free.pop() ?? new Uint32Array(1024);
      while (this.#notes.length <= length) this.#notes.push(undefined);
      this.#notes[length] = notes;
      this.#marks[length] = ++this.#lastMark;
      if (length > this.#longest) this.#longest = length;
    }
    if (position >= notes.length) {
      const larger = new Uint32Array(2 * position);
      larger.set(notes);
      this.#notes[length] = larger;
      notes = larger;
    }
    notes[position] = this.#marks[length]!;
  }

  /** Whether a beginning of a length can end before a position. */
  has(length: number, position: number): boolean {
    return this.#notes[length]?.[position] === this.#marks[length];
  }

  /** Whether a beginning of a length can end anywhere. */
  any(length: number): boolean {
    return this.#notes[length] !== undefined;
  }
}
