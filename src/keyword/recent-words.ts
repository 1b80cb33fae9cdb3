import type { WordOccurrences } from './word-occurrences.js';

/** Words of past questions to remember: about a kilobyte each, which is little beside the index. */
const WORDS_KEPT = 10_000;
/** Entries of joined postings to keep with them, some 50 bytes each. */
const ENTRIES_KEPT = 1_000_000;

/**
 * The words asked for last. To know in how many documents a word is, all of them have to be counted, which takes
 * milliseconds for the words that every other question has. The word that was asked for the longest time ago goes first.
 */
export class RecentWords {
  readonly #limit: number;
  readonly #entryLimit: number;
  /** In the order of use: a Map goes through its keys in the order in which they were set. */
  readonly #words = new Map<string, WordOccurrences>();
  /** Entries of joined postings in all of them, which take memory of their own. */
  #entries = 0;

  /**
   * @param limit how many words to keep
   * @param entryLimit how many entries of joined postings to keep, together
   */
  constructor(limit: number = WORDS_KEPT, entryLimit: number = ENTRIES_KEPT) {
    this.#limit = limit;
    this.#entryLimit = entryLimit;
  }

  /** The word kept under a key, or the one that `read` gives. */
  get(key: string, read: () => WordOccurrences): WordOccurrences {
    const kept = this.#words.get(key);
    const word = kept ?? read();
    if (kept === undefined) this.#entries += word.joined;
    this.#words.delete(key);
    this.#words.set(key, word);
    while (this.#words.size > this.#limit || this.#entries > this.#entryLimit) {
      if (!this.#forgetOldest()) break;
    }
    return word;
  }

  #forgetOldest(): boolean {
    const [oldest] = this.#words;
    if (oldest === undefined) return false;
    const [key, { joined }] = oldest;
    this.#entries -= joined;
    return this.#words.delete(key);
  }
}
