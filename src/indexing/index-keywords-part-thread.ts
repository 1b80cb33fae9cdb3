import { jobInThread, memoryOf } from '../core/index.js';
import { DocumentCollector } from '../keyword/index.js';

import { CatalogueTexts } from '../store/index.js';
import type { SharedDocuments } from './collect-part.js';
import { type CollectedPart, collectPart } from './collect-part.js';

/** Collects the words of a part of the documents. Runs in a thread of its own. */
function collect(documents: SharedDocuments): CollectedPart {
  const texts = CatalogueTexts.open(documents.catalogue);
  try {
    // Another load may have replaced the catalogue. The thread that started this one has the former state open and
    // collects the documents that this one leaves.
    if (texts.stamp !== documents.stamp) return noPart();
    return collectPart(texts, documents);
  } finally {
    texts.close();
  }
}

function noPart(): CollectedPart {
  return { keywords: new DocumentCollector().pack(), documentOf: new Uint32Array(), damaged: new Uint32Array() };
}

await jobInThread<SharedDocuments, CollectedPart>(({ data }) => collect(data), memoryOf);
