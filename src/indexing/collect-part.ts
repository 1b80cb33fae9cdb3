import { DocumentCollector } from '../keyword/packed/build/collect-keywords.js';
import type { KeywordPart } from '../keyword/packed/build/merge-keywords.js';
import type { CatalogueTexts } from '../store/read/catalogue-texts.js';
import type { SharedDocuments } from './index-keywords-messages.js';
import { toDocument } from './keyword-documents.js';

/** Documents that are taken at once. */
const TAKEN_AT_ONCE = 256;

const TAKEN = 0;
const DONE = 1;

/**
 * Collects the words of those documents that no other thread takes.
 *
 * @param onProgress called now and then with the number of documents that are done, by all threads
 */
export function collectPart(
  texts: CatalogueTexts,
  { documents, rows, counts }: SharedDocuments,
  onProgress?: (done: number) => void,
): KeywordPart {
  const collector = new DocumentCollector();
  const numbers: Uint32Array[] = [];
  for (;;) {
    const from = Atomics.add(counts, TAKEN, TAKEN_AT_ONCE);
    if (from >= documents.length) break;
    const taken = documents.subarray(from, from + TAKEN_AT_ONCE);
    texts.visit(rows.subarray(from, from + TAKEN_AT_ONCE), (skill, files) => {
      collector.add(toDocument(skill, files));
    });
    numbers.push(taken);
    Atomics.add(counts, DONE, taken.length);
    onProgress?.(Atomics.load(counts, DONE));
  }
  const keywords = collector.pack();
  const documentOf = new Uint32Array(keywords.size);
  let at = 0;
  for (const taken of numbers) {
    documentOf.set(taken, at);
    at += taken.length;
  }
  return { keywords, documentOf };
}

/** @param picked which of the rows, ascending */
export function shareDocuments(
  catalogue: string,
  stamp: string,
  allRows: Float64Array,
  picked: Uint32Array,
): SharedDocuments {
  const documents = new Uint32Array(new SharedArrayBuffer(picked.byteLength));
  documents.set(picked);
  const rows = new Float64Array(new SharedArrayBuffer(picked.length * Float64Array.BYTES_PER_ELEMENT));
  for (let i = 0; i < picked.length; i++) rows[i] = allRows[picked[i]!]!;
  const counts = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  return { catalogue, stamp, documents, rows, counts };
}
