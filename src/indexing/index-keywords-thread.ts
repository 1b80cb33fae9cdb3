import { availableParallelism } from 'node:os';
import { type Job, jobInThread, memoryOf, runJob } from '../core/index.js';
import type { PackedKeywords } from '../keyword/index.js';
import { GONE, hashOfKey, type KeywordPart } from '../keyword/index.js';
import { CatalogueReader, CatalogueTexts } from '../store/index.js';
import type { KeywordsJob, SharedDocuments } from './collect-part.js';
import { type CollectedPart, collectPart, shareDocuments } from './collect-part.js';
import { readKeywordFile, writeKeywordFile } from './keyword-file.js';

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
  const salt = hashOfKey(`${process.versions['unicode']}`);
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

/** Collects words in this thread and in others. */
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
      runJob<SharedDocuments, CollectedPart>(import.meta.url, 'index-keywords-part-thread', { data: shared, signal }),
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

await jobInThread<KeywordsJob, PackedKeywords | undefined>(indexKeywords, (keywords) =>
  keywords === undefined ? [] : memoryOf(keywords),
);
