import type { DocumentNumber } from '../core/index.js';
import { DocumentCollector, type KeywordPart } from '../keyword/index.js';
import type { CatalogueTexts } from '../store/index.js';
import { DAMAGED_DOCUMENT, toDocument } from './keyword-file.js';

/** The words of some documents. */
export interface CollectedPart extends KeywordPart {
  /** Documents that are damaged: none of their words are in the part. */
  readonly damaged: Uint32Array;
}

/** Documents that a thread takes at once. */
const BATCH = 256;

/** Indexes into `counts`. */
const TAKEN = 0;
const DONE = 1;

/**
 * Collects the words of the documents that no other thread takes.
 *
 * @param onProgress called after each batch with the number of documents that all threads have done
 */
export function collectPart(
  texts: CatalogueTexts,
  { documents, skills, counts }: SharedDocuments,
  onProgress?: (done: number) => void,
): CollectedPart {
  const collector = new DocumentCollector();
  const batches: Uint32Array[] = [];
  const damaged: DocumentNumber[] = [];
  for (;;) {
    const from = Atomics.add(counts, TAKEN, BATCH);
    if (from >= documents.length) break;
    const batch = documents.subarray(from, from + BATCH);
    let at = from;
    texts.visit(skills.subarray(from, from + BATCH), (item) => {
      if (item === undefined) damaged.push(documents[at]!);
      collector.add(item === undefined ? DAMAGED_DOCUMENT : toDocument(item.skill, item.files));
      at += 1;
    });
    batches.push(batch);
    Atomics.add(counts, DONE, batch.length);
    onProgress?.(Atomics.load(counts, DONE));
  }
  const keywords = collector.pack();
  const documentOf = new Uint32Array(keywords.size);
  let at = 0;
  for (const batch of batches) {
    documentOf.set(batch, at);
    at += batch.length;
  }
  return { keywords, documentOf, damaged: Uint32Array.from(damaged) };
}

/**
 * Puts documents into shared memory.
 *
 * @param skillOf the number of the skill of each document of the catalogue
 * @param picked the documents to share, ascending
 */
export function shareDocuments(
  catalogue: string,
  stamp: string,
  skillOf: Float64Array,
  picked: Uint32Array,
): SharedDocuments {
  const documents = new Uint32Array(new SharedArrayBuffer(picked.byteLength));
  documents.set(picked);
  const skills = new Float64Array(new SharedArrayBuffer(picked.length * Float64Array.BYTES_PER_ELEMENT));
  for (let i = 0; i < picked.length; i++) skills[i] = skillOf[picked[i]!]!;
  const counts = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  return { catalogue, stamp, documents, skills, counts };
}

/** What the thread that collects the words of a catalogue is started with. */
export interface KeywordsJob {
  readonly catalogue: string;
  /** Stamp of the state to read. */
  readonly stamp: string;
  /** Whether the thread writes the keyword file. Otherwise it sends the words. */
  readonly write: boolean;
}

/** Documents whose words several threads collect. Each thread takes the next few whenever it is done with some. */
export interface SharedDocuments {
  readonly catalogue: string;
  /** Stamp of the state to read. */
  readonly stamp: string;
  /** The documents, ascending. In shared memory. */
  readonly documents: Uint32Array;
  /** The number of the skill of each document. In shared memory. */
  readonly skills: Float64Array;
  /** Number of documents taken, and number of documents done. In shared memory. */
  readonly counts: Int32Array;
}
