import type { DocumentNumber } from '../core/index.js';
import { ALL_IN_MEMORY } from '../core/index.js';
import type { OpenKeywordFile } from '../indexing/index.js';
import { documentsOf } from '../indexing/index.js';
import type { KeywordIndex } from '../keyword/index.js';
import { PackedIndex, RecoveringIndex } from '../keyword/index.js';
import type { CatalogueReader, ChangedColumns } from '../store/index.js';

/** What an index of words is opened from, or made from. */
export interface KeywordIndexParts {
  readonly reader: CatalogueReader;
  /** Path of the catalogue; undefined for skills in memory. */
  readonly database: string | undefined;
  /** The derived file, if there is one for this state, or for a former one from which it was made. */
  readonly keywordFile: OpenKeywordFile | undefined;
  /** What changed since the state of the file; `none` if it is of this state. */
  readonly changes: Pick<ChangedColumns, 'numbers' | 'came'> | 'none' | undefined;
  readonly signal: AbortSignal;
}

/**
 * Opens the index of words from the derived file. Without that file it is built in memory.
 *
 * @throws the signal's reason when aborted
 */
export async function openKeywordIndex(
  kind: 'packed' | 'minisearch',
  { reader, database, keywordFile, changes, signal }: KeywordIndexParts,
): Promise<KeywordIndex> {
  const documents = documentsOf(reader);
  if (kind === 'minisearch') {
    const { MiniSearchIndex } = await import('../keyword/minisearch/minisearch-index.js');
    return MiniSearchIndex.build(documents, signal);
  }
  if (keywordFile !== undefined && changes !== undefined && changes !== 'none') {
    const [{ collectInTurns }, { SegmentedIndex }] = await Promise.all([
      import('../keyword/build/collect-keywords.js'),
      import('../keyword/packed/segmented-index.js'),
    ]);
    const { keywords, file } = keywordFile;
    const cameDocuments = {
      *all() {
        for (const document of changes.came) yield documents.read(document);
      },
    };
    const came = await collectInTurns(cameDocuments, signal);
    const segments = [
      { keywords, pager: file, numbers: changes.numbers },
      { keywords: came, pager: ALL_IN_MEMORY, numbers: changes.came },
    ];
    return new RecoveringIndex(new SegmentedIndex(segments, documents), documents);
  }
  if (keywordFile !== undefined) {
    return new RecoveringIndex(new PackedIndex(keywordFile.keywords, documents, keywordFile.file), documents);
  }
  // What builds an index is imported when it is needed: a catalogue has its derived file as a rule.
  const { buildKeywords, isWorthAThread } = await import('../indexing/index-keywords.js');
  const keywords =
    database !== undefined && isWorthAThread(reader)
      ? await buildKeywords({ catalogue: database, stamp: reader.stamp, signal })
      : undefined;
  signal.throwIfAborted();
  if (keywords !== undefined) {
    reader.noteDamaged(damagedIn(keywords.contentHashes));
    return new PackedIndex(keywords, documents);
  }
  // There is little to index, or the file was replaced since it was opened.
  const { buildPackedIndex } = await import('../keyword/build/collect-keywords.js');
  return buildPackedIndex(documents, signal);
}

/** The thread that collects words gives a damaged document zeros for a hash. */
function* damagedIn(contentHashes: Uint32Array): Generator<DocumentNumber> {
  for (let i = 0; i < contentHashes.length; i += 2) {
    if (contentHashes[i] === 0 && contentHashes[i + 1] === 0) yield i / 2;
  }
}
