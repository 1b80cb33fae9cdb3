import { parentPort, workerData } from 'node:worker_threads';
import type { KeywordThreadData, KeywordThreadMessage } from './index-keywords-messages.js';
import { collectKeywords } from './keyword/packed/collect-keywords.js';
import { arraysOf, imageFileOf, writeImage } from './keyword/packed/image-file.js';
import { documentsOf } from './keyword-documents.js';
import { CatalogueReader } from './store/catalogue-reader.js';

/** Documents between two messages. */
const STEP = 1000;

const { catalogue, stamp, write } = workerData as KeywordThreadData;

function main(): void {
  const reader = CatalogueReader.open(catalogue);
  try {
    // Another load may have come since.
    if (reader.stamp !== stamp) return;
    const documents = documentsOf(reader);
    const keywords = collectKeywords(documents, (done) => {
      if (done % STEP === 0) tell({ kind: 'progress', done, total: documents.size });
    });
    if (write) {
      writeImage(imageFileOf(catalogue), stamp, keywords);
      return;
    }
    // Moved, not copied: each array has memory of its own, or shares it with none that stays here.
    const memory = new Set(arraysOf(keywords).map(([, { buffer }]) => buffer as ArrayBuffer));
    parentPort?.postMessage({ kind: 'built', keywords } satisfies KeywordThreadMessage, [...memory]);
  } finally {
    reader.close();
  }
}

function tell(message: KeywordThreadMessage): void {
  parentPort?.postMessage(message);
}

try {
  main();
} catch (error) {
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
}
