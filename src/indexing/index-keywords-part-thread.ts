import { parentPort, workerData } from 'node:worker_threads';
import { memoryOf } from '../arrays/array-tree.js';
import { DocumentCollector } from '../keyword/packed/build/collect-keywords.js';
import type { KeywordPart } from '../keyword/packed/build/merge-keywords.js';
import { CatalogueTexts } from '../store/read/catalogue-texts.js';
import { collectPart } from './collect-part.js';
import type { KeywordPartMessage, SharedDocuments } from './index-keywords-messages.js';

const work = workerData as SharedDocuments;

const NO_PART: KeywordPart = { keywords: new DocumentCollector().pack(), documentOf: new Uint32Array() };

function main(): void {
  const texts = CatalogueTexts.open(work.catalogue);
  try {
    // Another load may have come since. The thread that started this one has the former state open, and goes on with it.
    const part = texts.stamp === work.stamp ? collectPart(texts, work) : NO_PART;
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
