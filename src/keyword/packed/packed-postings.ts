/**
 * All posting lists of a catalogue: the documents that have a term in a field, with the positions of the term. The
 * lists are in the order of their terms, then of their fields. An entry is one posting; the entries of all lists are
 * numbered from 0.
 */
export interface PackedPostings {
  /** Number of the first list of each term; one more than there are terms. */
  readonly listStarts: Uint32Array;
  /** Field of each list; ascending within a term. */
  readonly listFields: Uint8Array;
  /** First entry of each list; one more than there are lists. */
  readonly entryStarts: Uint32Array;
  /** Document of each entry; ascending within a list. */
  readonly documents: Uint32Array;
  /** Term frequency of each entry; {@link MANY} if a byte is too small for it. */
  readonly frequencies: Uint8Array;
  /** The entries whose frequency is {@link MANY}, ascending. */
  readonly manyEntries: Uint32Array;
  /** The real frequencies of these entries. */
  readonly manyFrequencies: Uint32Array;
  /**
   * The positions of each entry, one entry after the other. Each position is one or two numbers: twice its distance
   * from the position before, plus 1 if the term covers several positions; in that case their number follows. Numbers
   * have 7 bits a byte, the lowest first; all bytes of a number but the last have their highest bit set.
   */
  readonly positions: Uint8Array;
  /** Where the positions of every {@link BLOCK}-th entry begin in `positions`. */
  readonly blockStarts: Uint32Array;
  // Block maxima, for a search that passes over blocks of entries, would stand here: for each block of a long list its
  // greatest frequency and the least length of its documents. No scores: these depend on averages over all segments.
}

/** Marks a frequency of 255 or more. */
export const MANY = 255;

/** Entries per start in `blockStarts`. */
export const BLOCK = 64;
