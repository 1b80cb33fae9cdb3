import { type DocumentNumber, fnv1a, lowerBoundBy, type Pager } from '../core/index.js';
import type { PackedDictionary } from './term-dictionary.js';

/** The arrays of a `PackedIndex`. */
export interface PackedKeywords {
  /** Number of documents. */
  readonly size: number;
  readonly dictionary: PackedDictionary;
  readonly postings: PackedPostings;
  /** Number of distinct terms by scored field, then by document. */
  readonly lengths: Uint32Array;
  /** Documents by the keys of their names (`nameKey`). */
  readonly names: NameTable;
  /** Documents by the keys of the beginnings of their names (`beginningsOf`). */
  readonly beginnings: NameTable;
  readonly completions: PackedCompletions;
  /** A hash of the content of each document, two numbers each, see `unchangedDocuments`. Empty if it is not known. */
  readonly contentHashes: Uint32Array;
}

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

/** What a posting list reads of the postings that it is stored in. */
export type StoredEntries = Omit<PackedPostings, 'listStarts' | 'listFields' | 'entryStarts' | 'documents'>;

/** Entries per start in `blockStarts`. */
export const BLOCK = 64;

/** What the question that somebody is typing is completed by. */
export interface PackedCompletions {
  /** The terms that complete a word, see `completesWords`; ascending. */
  readonly terms: Uint32Array;
  /** Beside each the number of documents that have it in name, labels or description. */
  readonly termCounts: Uint32Array;
  /** The distinct names of the documents by `typedNameKey`, then by themselves; in code-point order. */
  readonly names: PackedStrings;
  /**
   * Beside each the number of documents whose names have the same `typedNameKey`; 0 unless this is the spelling that
   * most of them have, of several the first.
   */
  readonly nameCounts: Uint32Array;
  /** By document the number of its name. */
  readonly nameOf: Uint32Array;
}

/** Strings by number, as the bytes of their UTF-8. */
export interface PackedStrings {
  /** All strings, one after the other. */
  readonly bytes: Uint8Array;
  /** Where each string begins in `bytes`; one more than there are strings. */
  readonly starts: Uint32Array;
}

/** Whether all bytes from `start` up to `end` are ASCII characters. */
export function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i]! >= 0x80) return false;
  return true;
}

/**
 * Documents by the keys of their names. Keys are not stored, only two hashes of each: keys with the same two hashes
 * count as the same key. An entry is one index into the three arrays.
 */
export interface NameTable {
  /** First hash of the key of each entry, ascending. */
  readonly hashes: Uint32Array;
  /** Document of each entry; ascending among equal hashes. */
  readonly documents: Uint32Array;
  /** Second hash of the key of each entry. */
  readonly checks: Uint32Array;
}

/** The documents of a key, ascending. If the table is in a file, reads only the blocks it looks at. */
export function documentsOfKey({ hashes, documents, checks }: NameTable, key: string, pager: Pager): DocumentNumber[] {
  const [hash, check] = [fnv1a(key), checkOfKey(key)];
  const from = firstEntry(hashes, hash, pager);
  const to = firstEntry(hashes, hash + 1, pager);
  for (const array of [documents, checks]) pager.need(array, from, to);
  const found: DocumentNumber[] = [];
  for (let entry = from; entry < to; entry++) if (checks[entry] === check) found.push(documents[entry]!);
  return found;
}

/** The first entry that is not less than a given number. If they are in a file, reads only what it looks at. */
export function firstEntry(ascending: Uint32Array, number: number, pager: Pager): number {
  return lowerBoundBy(ascending.length, (entry) => {
    pager.need(ascending, entry, entry + 1);
    return ascending[entry]! < number;
  });
}

/** A second 32-bit hash of a key: another initial value, and the characters from the last to the first. */
export function checkOfKey(key: string): number {
  return fnv1a([...key].reverse().join(''), 0x5bd1e995);
}

/** In place of the number of a document in the whole: it is gone. */
export const GONE = 0xffffffff;
