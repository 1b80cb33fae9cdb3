import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { parentPort, type Worker, workerData } from 'node:worker_threads';
import { memoryOf } from '../arrays/array-tree.js';
import { DROPPED } from '../keyword/packed/build/dropped.js';
import { type KeywordPart, mergeKeywords } from '../keyword/packed/build/merge-keywords.js';
import { unchangedDocuments } from '../keyword/packed/build/unchanged-documents.js';
import { hashOfKey } from '../keyword/packed/key-hash.js';
import type { PackedKeywords } from '../keyword/packed/packed-keywords.js';
import { CatalogueReader } from '../store/read/catalogue-reader.js';
import { CatalogueTexts } from '../store/read/catalogue-texts.js';
import { startWorker } from '../threads/start-worker.js';
import { readCatalogueImage, writeCatalogueImage } from './catalogue-image.js';
import { collectPart, shareDocuments } from './collect-part.js';
import type {
  KeywordPartMessage,
  KeywordThreadData,
  KeywordThreadMessage,
  SharedDocuments,
} from './index-keywords-messages.js';

/** More would wait for each other's memory, and for the one that puts their parts together. */
const MAX_THREADS = 8;

/** Documents a thread, at least: starting one takes as long as some hundred. */
const DOCUMENTS_A_THREAD = 2_000;

/**
 * Version of the rules by which texts become words, stems and forms, and of what is kept of them. Whoever changes any of these
 * must raise it, and `VERSION` of image-header.ts: else words of skills that have not changed stay as they were read.
 */
const WORD_RULES = 3;

const { catalogue, stamp, write } = workerData as KeywordThreadData;

async function main(): Promise<void> {
  const texts = CatalogueTexts.open(catalogue);
  const reader = CatalogueReader.open(catalogue);
  try {
    // Another load may have come since.
    if (texts.stamp !== stamp || reader.stamp !== stamp) return;
    const keywords = await collect(texts);
    if (write) writeCatalogueImage(catalogue, stamp, { keywords, columns: reader.packedColumns });
    else tell({ kind: 'built', keywords }, memoryOf(keywords));
  } finally {
    texts.close();
    reader.close();
  }
}

/** Collects the words of what has changed since the file was written, or of all where most has. */
async function collect(texts: CatalogueTexts): Promise<PackedKeywords> {
  const { rows, hashes } = texts.documents();
  // Another version of Unicode reads other words.
  const salt = hashOfKey(`${WORD_RULES} ${process.versions['unicode']}`);
  const contentHashes = hashes.map((hash) => hash ^ salt);
  const former = await formerPart(contentHashes);
  const changed = former === undefined ? Uint32Array.from(rows.keys()) : missingIn(former, rows.length);
  const parts = [
    ...(former === undefined ? [] : [former]),
    ...(await collectParts(texts, shareDocuments(catalogue, stamp, rows, changed))),
  ].filter(({ keywords }) => keywords.size > 0);
  const [first] = parts;
  const whole = parts.length === 1 && first?.keywords.size === rows.length;
  return { ...(whole ? first.keywords : mergeKeywords(rows.length, parts)), contentHashes };
}

/** What the file that is there has of the present state, if that is worth while. */
async function formerPart(contentHashes: Uint32Array): Promise<KeywordPart | undefined> {
  const keywords = (await readCatalogueImage(catalogue))?.keywords;
  if (keywords === undefined || keywords.contentHashes.length !== 2 * keywords.size) return undefined;
  const documentOf = unchangedDocuments(keywords.contentHashes, contentHashes);
  const kept = documentOf.reduce((count, number) => count + (number === DROPPED ? 0 : 1), 0);
  return 4 * kept < contentHashes.length ? undefined : { keywords, documentOf };
}

/** The numbers of the documents that a part does not have, ascending. */
function missingIn({ documentOf }: KeywordPart, size: number): Uint32Array {
  const present = new Uint8Array(size);
  for (const number of documentOf) if (number !== DROPPED) present[number] = 1;
  return Uint32Array.from(present.keys()).filter((number) => present[number] === 0);
}

/** Collects words here and in other threads. */
async function collectParts(texts: CatalogueTexts, work: SharedDocuments): Promise<KeywordPart[]> {
  const total = work.documents.length;
  const threads = Math.min(availableParallelism(), MAX_THREADS, Math.ceil(total / DOCUMENTS_A_THREAD));
  const others = Array.from({ length: Math.max(0, threads - 1) }, () =>
    startWorker(import.meta.url, 'index-keywords-part-thread', { workerData: work }),
  );
  try {
    const theirs = Promise.all(others.map(partOf));
    // One may fail while the words are collected here; what is awaited below fails with it.
    theirs.catch(() => {});
    const own = collectPart(texts, work, (done) => tell({ kind: 'progress', done, total }));
    return [own, ...(await theirs)];
  } finally {
    for (const thread of others) void thread.terminate();
  }
}

async function partOf(thread: Worker): Promise<KeywordPart> {
  thread.ref();
  const [message] = (await Promise.race([
    once(thread, 'message'),
    once(thread, 'exit').then(() => [{ kind: 'failed', message: 'a thread that collects words has ended' }]),
  ])) as [KeywordPartMessage];
  if (message.kind === 'failed') throw new Error(message.message);
  return message.part;
}

function tell(message: KeywordThreadMessage, transferred: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transferred);
}

main().catch((error: unknown) => {
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
});
