import type { SortOrder } from '../../src/index.js';
import type { Attempt } from './attempts.js';
import type { PeerCatalogue, PeerDocument } from './catalogue.js';

export interface PeerSearch {
  readonly sortBy: SortOrder;
  readonly category: string | undefined;
  /** How many of the first places are wanted. */
  readonly limit: number;
}

export interface PeerPage {
  readonly places: readonly number[];
  readonly total: number;
}

/** Another search engine, built over a catalogue. */
export interface Peer {
  /** Undefined where it knows no such search. */
  search(attempt: Attempt, wanted: PeerSearch): PeerPage | undefined;
}

export interface BuiltPeer {
  readonly peer: Peer;
  /** Seconds: making our terms of the texts, and giving them to the peer. */
  readonly seconds: { readonly terms: number; readonly adding: number };
  /** Of MiniSearch, which is stored as JSON: seconds to read that back, and its size in bytes. */
  readonly stored?: { readonly seconds: number; readonly bytes: number } | { readonly refused: string };
}

export interface PeerFolder {
  readonly catalogue: PeerCatalogue;
  /** A folder for files. */
  readonly folder: string;
}

/**
 * Makes the terms of all documents, then has them added. The documents are gone with this call: a peer must not be
 * charged for them.
 */
export async function addDocuments(
  catalogue: PeerCatalogue,
  add: (documents: PeerDocument[]) => void | Promise<void>,
): Promise<BuiltPeer['seconds']> {
  const { result: documents, seconds: terms } = timed(() => [...catalogue.documents()]);
  const started = performance.now();
  await add(documents);
  return { terms, adding: (performance.now() - started) / 1000 };
}

/** Seconds that work takes, and what it gives. */
export function timed<T>(work: () => T): { readonly result: T; readonly seconds: number } {
  const started = performance.now();
  const result = work();
  return { result, seconds: (performance.now() - started) / 1000 };
}
