/** Which documents are in each of some groups, to be looked up by group: arrays made once. */
export class Members {
  readonly #starts: Uint32Array;
  readonly #documents: Uint32Array;

  /**
   * @param groupOf the group of each document, from 0; documents of a negative one are in none
   * @param groups how many groups there are
   */
  constructor(groupOf: ArrayLike<number>, groups: number) {
    this.#starts = new Uint32Array(groups + 2);
    const starts = this.#starts;
    let count = 0;
    for (let document = 0; document < groupOf.length; document++) {
      const group = groupOf[document]!;
      if (group < 0) continue;
      starts[group + 2] = starts[group + 2]! + 1;
      count += 1;
    }
    for (let group = 2; group < starts.length; group++) {
      starts[group] = starts[group]! + starts[group - 1]!;
    }
    this.#documents = new Uint32Array(count);
    for (let document = 0; document < groupOf.length; document++) {
      const group = groupOf[document]!;
      if (group < 0) continue;
      // Counted on to the end of the group, which is where the next begins.
      const at = starts[group + 1]!;
      this.#documents[at] = document;
      starts[group + 1] = at + 1;
    }
  }

  /** The documents of a group, ascending. */
  of(group: number): Uint32Array {
    return this.#documents.subarray(this.#starts[group], this.#starts[group + 1]);
  }
}
