import { availableParallelism } from 'node:os';
import { type DocumentNumber, fnv1a, type Job, jobInThread, memoryOf, runJob } from '../core/index.js';
import { DocumentCollector, GONE, type KeywordPart, type PackedKeywords } from '../keyword/index.js';
import { CatalogueReader, CatalogueTexts } from '../store/index.js';
import { DAMAGED_DOCUMENT, readKeywordFile, toDocument, writeKeywordFile } from './keyword-file.js';

/** More threads would wait for each other's memory, and for the thread that merges their parts. */
const MAX_THREADS = 8;

/** Documents for which another thread is started: starting one takes as long as collecting some hundred. */
const DOCUMENTS_PER_THREAD = 2_000;

/**
 * Collects the words of a catalogue. Runs in a thread of its own.
 *
 * @returns the words; undefined if they were written to the file, or the catalogue is in another state by now
 */
async function indexKeywords(job: Job<KeywordsJob>): Promise<PackedKeywords | undefined> {
  const { catalogue, stamp, write } = job.data;
  const texts = CatalogueTexts.open(catalogue);
  const reader = CatalogueReader.open(catalogue);
  try {
    if (texts.stamp !== stamp || reader.stamp !== stamp) return undefined;
    const keywords = await collect(job, texts, reader);
    if (!write) return keywords;
    writeKeywordFile(catalogue, stamp, { keywords, columns: reader.packedColumns });
    return undefined;
  } finally {
    texts.close();
    reader.close();
  }
}

/** Collects the words of the documents that changed since the file was written; of all documents if most changed. */
async function collect(job: Job<KeywordsJob>, texts: CatalogueTexts, reader: CatalogueReader): Promise<PackedKeywords> {
  const { skills: skillOf, hashes } = texts.documents();
  // Another version of Unicode has other words.
  const salt = fnv1a(`${process.versions['unicode']}`);
  const contentHashes = hashes.map((hash) => hash ^ salt);
  const former = await readFormerPart(job.data.catalogue, contentHashes);
  const changed = former === undefined ? Uint32Array.from(skillOf.keys()) : missingIn(former, skillOf.length);
  const shared = shareDocuments(job.data.catalogue, job.data.stamp, skillOf, changed);
  const collected = await collectParts(job, texts, shared);
  for (const { damaged } of collected) reader.noteDamaged(damaged);
  // Once it is mended it must count as changed, even if it is what it was before.
  for (const document of reader.damaged) contentHashes.fill(0, 2 * document, 2 * document + 2);
  const parts: KeywordPart[] = [...(former === undefined ? [] : [former]), ...collected].filter(
    ({ keywords }) => keywords.size > 0,
  );
  const [first] = parts;
  const { mergeKeywords } = await import('../keyword/build/merge-keywords.js');
  const isComplete = parts.length === 1 && first?.keywords.size === skillOf.length;
  return { ...(isComplete ? first.keywords : mergeKeywords(skillOf.length, parts)), contentHashes };
}

/** Reads the unchanged documents of the present file; undefined if there is no file, or too few are unchanged. */
async function readFormerPart(catalogue: string, contentHashes: Uint32Array): Promise<KeywordPart | undefined> {
  const keywords = (await readKeywordFile(catalogue))?.keywords;
  if (keywords === undefined) return undefined;
  // A file that was not written by a thread has no content hashes.
  if (keywords.contentHashes.length !== 2 * keywords.size) return undefined;
  const { unchangedDocuments } = await import('../keyword/build/merge-keywords.js');
  const documentOf = unchangedDocuments(keywords.contentHashes, contentHashes);
  const keptCount = documentOf.reduce((count, document) => count + (document === GONE ? 0 : 1), 0);
  return 4 * keptCount < contentHashes.length ? undefined : { keywords, documentOf };
}

/** The documents that a part does not have, ascending. */
function missingIn({ documentOf }: KeywordPart, size: number): Uint32Array {
  const isPresent = new Uint8Array(size);
  for (const document of documentOf) if (document !== GONE) isPresent[document] = 1;
  return Uint32Array.from(isPresent.keys()).filter((document) => isPresent[document] === 0);
}

/** Collects words in this thread and in others, which run this file, too. */
async function collectParts(
  job: Job<KeywordsJob>,
  texts: CatalogueTexts,
  shared: SharedDocuments,
): Promise<CollectedPart[]> {
  const total = shared.documents.length;
  const threadCount = Math.min(availableParallelism(), MAX_THREADS, Math.ceil(total / DOCUMENTS_PER_THREAD));
  const stopping = new AbortController();
  const { signal } = stopping;
  const others = Promise.all(
    Array.from({ length: Math.max(0, threadCount - 1) }, () =>
      runJob<SharedDocuments, CollectedPart>(import.meta.url, 'index-keywords-thread', { data: shared, signal }),
    ),
  );
  // Handled below. This catch only prevents an unhandled rejection while this thread collects.
  others.catch(() => {});
  try {
    const own = collectPart(texts, shared, (done) => job.progress(done, total));
    return [own, ...(await others)];
  } finally {
    stopping.abort();
  }
}

/** The words of some documents. */
interface CollectedPart extends KeywordPart {
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
function collectPart(
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

/** Collects the words of a part of the documents. */
function collectElsewhere(documents: SharedDocuments): CollectedPart {
  const texts = CatalogueTexts.open(documents.catalogue);
  try {
    if (texts.stamp === documents.stamp) return collectPart(texts, documents);
    // Another load may have replaced the catalogue. The thread that started this one has the former state open and
    // collects the documents that this one leaves.
    return { keywords: new DocumentCollector().pack(), documentOf: new Uint32Array(), damaged: new Uint32Array() };
  } finally {
    texts.close();
  }
}

/**
 * Puts documents into shared memory.
 *
 * @param skillOf the number of the skill of each document of the catalogue
 * @param picked the documents to share, ascending
 */
function shareDocuments(catalogue: string, stamp: string, skillOf: Float64Array, picked: Uint32Array): SharedDocuments {
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
interface SharedDocuments {
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

await jobInThread<KeywordsJob | SharedDocuments, PackedKeywords | CollectedPart | undefined>(
  (job) => ('counts' in job.data ? collectElsewhere(job.data) : indexKeywords(job as Job<KeywordsJob>)),
  (result) => (result === undefined ? [] : memoryOf(result)),
);
