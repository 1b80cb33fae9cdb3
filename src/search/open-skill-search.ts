import { arraysOf } from '../arrays/array-tree.js';
import { DamagedArrayFileError } from '../arrays/pager.js';
import { checkDatabase, checkFlag, checkSignal, resolveDatabase } from '../check-arguments.js';
import { SkillSearchError } from '../errors.js';
import { buildKeywords, isWorthAThread } from '../indexing/index-keywords.js';
import { documentsOf } from '../indexing/keyword-documents.js';
import { type OpenKeywordFile, openKeywordFile } from '../indexing/keyword-file.js';
import type { KeywordIndex } from '../keyword/keyword-index.js';
import { buildPackedIndex } from '../keyword/packed/build/build-packed-index.js';
import { RecoveringIndex } from '../keyword/packed/build/recovering-index.js';
import { PackedIndex } from '../keyword/packed/packed-index.js';
import { readStopWords } from '../keyword/read-stop-words.js';
import { resolveModelOptions } from '../semantic/model-options.js';
import { CatalogueReader } from '../store/read/catalogue-reader.js';
import type { MemoryCatalogue } from '../store/write/memory-catalogue.js';
import { untilAborted } from '../threads/abort.js';
import type { OpenOptions } from './search-options.js';
import { OpenedSkillSearch, type SkillSearch } from './skill-search.js';
import type { VectorSearch } from './vector-search.js';

/**
 * Opens a catalogue for searching: a file made by `buildCatalogue`, or skills held in memory.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `DATABASE_NOT_FOUND`, `DATABASE_NOT_READABLE`, `NOT_A_CATALOGUE`,
 *   `UNSUPPORTED_FORMAT`
 * @throws the signal's reason when aborted
 * @example
 * await using search = await openSkillSearch({ database: 'skills.db' });
 * search.keyword({ q: 'react testing', category: 'testing', limit: 10 });
 */
export async function openSkillSearch(options: OpenOptions): Promise<SkillSearch> {
  const { keywordIndex = 'packed' } = options ?? {};
  if (keywordIndex !== false && keywordIndex !== 'packed' && keywordIndex !== 'minisearch') {
    const message = `keywordIndex must be 'packed', 'minisearch' or false, got ${String(keywordIndex)}`;
    throw new SkillSearchError('INVALID_OPTION', message);
  }
  if ((options?.database === undefined) === (options?.skills === undefined)) {
    throw new SkillSearchError('INVALID_OPTION', 'openSkillSearch needs either `database` or `skills`');
  }
  checkFlag('warmUp', options.warmUp);
  const stopWords = readStopWords(options.stopWords);
  checkSignal(options.signal)?.throwIfAborted();
  const modelOptions = resolveModelOptions(options);
  const { reader, database, memory, problems } = await openCatalogue(options);
  const closing = new AbortController();
  const openVectors = async (): Promise<VectorSearch> => {
    // Who searches by words only need not wait for what reads vectors.
    const { VectorSearch: Vectors } = await import('./vector-search.js');
    return Vectors.open(reader, { ...modelOptions, database, sink: memory, signal: closing.signal });
  };
  let image: OpenKeywordFile | undefined;
  let vectors: Promise<VectorSearch> | undefined;
  try {
    image = database === undefined ? undefined : openKeywordFile(database, reader.stamp);
    await useColumns(reader, image);
    vectors = options.warmUp === true ? openVectors() : undefined;
    const parts = { reader, database, image, vectors };
    const index = keywordIndex === false ? undefined : await openIndex(keywordIndex, parts, options.signal);
    if (vectors !== undefined) await untilAborted(vectors, options.signal);
    return new OpenedSkillSearch({ reader, index, stopWords, image, problems, closing, openVectors, vectors });
  } catch (error) {
    closing.abort(error);
    await vectors?.then((opened) => opened.close()).catch(() => {});
    image?.file.close();
    reader.close();
    throw error;
  }
}

/** The columns of the image are believed as long as no damage is seen; else they are read from the catalogue. */
async function useColumns(reader: CatalogueReader, image: OpenKeywordFile | undefined): Promise<void> {
  if (image === undefined) return;
  try {
    await image.file.load(arraysOf(image.columns).map(({ value }) => value));
    reader.useColumns(image.columns);
  } catch (error) {
    if (!(error instanceof DamagedArrayFileError)) throw error;
  }
}

interface IndexParts {
  readonly reader: CatalogueReader;
  readonly database: string | undefined;
  readonly image: OpenKeywordFile | undefined;
  readonly vectors: Promise<VectorSearch> | undefined;
}

/** Beside the opening of the vectors: what fails there is told at once. */
async function openIndex(
  kind: 'packed' | 'minisearch',
  { reader, database, image, vectors }: IndexParts,
  callers: AbortSignal | undefined,
): Promise<KeywordIndex> {
  const failed = new AbortController();
  vectors?.catch((error) => failed.abort(error));
  const signal = AbortSignal.any(callers === undefined ? [failed.signal] : [callers, failed.signal]);
  const documents = documentsOf(reader);
  if (kind === 'minisearch') {
    const { MiniSearchIndex } = await import('../keyword/minisearch/minisearch-index.js');
    return MiniSearchIndex.build(documents, signal);
  }
  if (image !== undefined) {
    return new RecoveringIndex(new PackedIndex(image.keywords, documents, image.file), documents);
  }
  const keywords =
    database !== undefined && isWorthAThread(reader)
      ? await buildKeywords({ catalogue: database, stamp: reader.stamp, signal })
      : undefined;
  signal.throwIfAborted();
  // None where there is little to collect, or the file was replaced since it was opened.
  return keywords === undefined ? buildPackedIndex(documents, signal) : new PackedIndex(keywords, documents);
}

interface OpenedCatalogue {
  readonly reader: CatalogueReader;
  /** Path of the file; undefined for skills in memory. */
  readonly database?: string;
  /** Where the vectors of skills in memory go; undefined for a file. */
  readonly memory?: MemoryCatalogue;
  readonly problems: SkillSearch['problems'];
}

async function openCatalogue(options: OpenOptions): Promise<OpenedCatalogue> {
  if (options.skills === undefined) {
    const database = resolveDatabase(checkDatabase(options.database));
    return { reader: CatalogueReader.open(database), database, problems: { rejected: [], warnings: [] } };
  }
  const { loadInMemory } = await import('../load/load-in-memory.js');
  return loadInMemory(options.skills, options.signal);
}
