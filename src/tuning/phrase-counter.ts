import { FNV_BASIS, fnv1a } from '../text/fnv1a.js';

/** A phrase of more skills says nothing about one of them. */
export const MOST_SKILLS = 3;

/** Start of the second hash of a phrase. */
const OTHER_BASIS = 0x9747b28c;

/** Share of the slots that are used before the table grows. */
const FULL = 0.7;

/**
 * Counts in how many skills each phrase occurs, up to one more than {@link MOST_SKILLS}, and names the skills. A phrase
 * is kept as 64 bits of hash, so a catalogue of 100,000 skills takes some dozens of megabytes: an open-addressing table
 * in typed arrays, 30 to 60 bytes a phrase. Among a million phrases two share a hash with a
 * probability of some 10^-8; both would then count as one.
 */
export class PhraseCounter {
  #size = 0;
  #mask = 1023;
  #first = new Uint32Array(1024);
  #second = new Uint32Array(1024);
  /** Of each slot up to three groups, plus one; 0 for none. */
  #groups = new Int32Array(1024 * MOST_SKILLS);
  /** Groups of each slot, at most {@link MOST_SKILLS} + 1; 0 for an empty slot. */
  #counts = new Uint8Array(1024);

  /** Number of different phrases. */
  get size(): number {
    return this.#size;
  }

  /**
   * Notes that a group of copies has a phrase. Noting it again changes nothing.
   *
   * @param key see `phraseKey`
   * @param group number of the group, from 0
   */
  add(key: string, group: number): void {
    const first = fnv1a(key, FNV_BASIS);
    const second = fnv1a(key, OTHER_BASIS);
    const slot = this.#slotOf(first, second);
    const count = this.#counts[slot]!;
    if (count === 0) {
      this.#first[slot] = first;
      this.#second[slot] = second;
      this.#size += 1;
    }
    if (count > MOST_SKILLS) return;
    const start = slot * MOST_SKILLS;
    for (let i = 0; i < count; i++) if (this.#groups[start + i] === group + 1) return;
    this.#counts[slot] = count + 1;
    if (count < MOST_SKILLS) this.#groups[start + count] = group + 1;
    if (this.#size > this.#counts.length * FULL) this.#grow();
  }

  /** The groups that have a phrase; undefined if they are more than {@link MOST_SKILLS}. */
  groupsOf(key: string): readonly number[] | undefined {
    const slot = this.#slotOf(fnv1a(key, FNV_BASIS), fnv1a(key, OTHER_BASIS));
    const count = this.#counts[slot]!;
    if (count > MOST_SKILLS) return undefined;
    const start = slot * MOST_SKILLS;
    return Array.from(this.#groups.subarray(start, start + count), (group) => group - 1);
  }

  /** The slot of a phrase, or the empty one where it belongs. */
  #slotOf(first: number, second: number): number {
    let slot = (first ^ (second >>> 7)) & this.#mask;
    while (this.#counts[slot] !== 0 && (this.#first[slot] !== first || this.#second[slot] !== second)) {
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }

  #grow(): void {
    const [firsts, seconds, groups, counts] = [this.#first, this.#second, this.#groups, this.#counts];
    const length = counts.length * 2;
    this.#mask = length - 1;
    this.#first = new Uint32Array(length);
    this.#second = new Uint32Array(length);
    this.#groups = new Int32Array(length * MOST_SKILLS);
    this.#counts = new Uint8Array(length);
    for (let old = 0; old < counts.length; old++) {
      if (counts[old] === 0) continue;
      const slot = this.#slotOf(firsts[old]!, seconds[old]!);
      this.#first[slot] = firsts[old]!;
      this.#second[slot] = seconds[old]!;
      this.#counts[slot] = counts[old]!;
      for (let i = 0; i < MOST_SKILLS; i++) this.#groups[slot * MOST_SKILLS + i] = groups[old * MOST_SKILLS + i]!;
    }
  }
}
