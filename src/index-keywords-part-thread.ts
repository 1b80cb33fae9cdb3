import { parentPort, workerData } from 'node:worker_threads';
import { collectPart } from './collect-part.js';
import { memoryOf } from './image/array-tree.js';
import type { KeywordPartMessage, SharedDocuments } from './index-keywords-messages.js';
import { CatalogueTexts } from './store/catalogue-texts.js';

const work = workerData as SharedDocuments;

function main(): void {
  const texts = CatalogueTexts.open(work.catalogue);
  try {
    // Another load may have come since.
    if (texts.stamp !== work.stamp) throw new Error('the catalogue was replaced by another load');
    const part = collectPart(texts, work);
    tell({ kind: 'part', part }, memoryOf(part));
  } finally {
    texts.close();
  }
}

function tell(message: KeywordPartMessage, transferred: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transferred);
}

try {
  main();
} catch (error) {
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
}
