import {
  arraysOf,
  checkChoice,
  checkDatabase,
  checkFlag,
  checkOptions,
  checkSearched,
  checkSignal,
  DamagedArrayFileError,
  isCatalogueAddress,
  isPostgresAddress,
  resolveDatabase,
  SkillSearchError,
  untilAborted,
} from '../core/index.js';
import { type OpenKeywordFile, openKeywordFile } from '../indexing/index.js';
import { readStopWords } from '../keyword/index.js';
import type { LoadWarning } from '../load/index.js';
import type { CopyStats } from '../result.js';
import { resolveModelOptions } from '../semantic/index.js';
import type { CopyFollower } from '../share/index.js';
import type { MemoryCatalogue } from '../store/index.js';
import { CatalogueReader, withoutLateLabels } from '../store/index.js';
import { followCopy } from './follow-copy.js';
import type { NearestDocuments } from './nearest-documents.js';
import { type KeywordIndexParts, openKeywordIndex } from './open-keyword-index.js';
import { openOrMend } from './open-or-mend.js';
import { OpenState } from './open-state.js';
import { OpenedOnce } from './opened-once.js';
import { OPEN_OPTIONS, type OpenOptions } from './search-options.js';
import type { SkillSearch } from './skill-search.js';
import type { VectorSearch } from './vector-search.js';

const KEYWORD_INDEXES = ['packed', 'minisearch', false] as const;

/** Checks the options and opens what they name; see `openSkillSearch`. */
export async function openCatalogue(options: OpenOptions): Promise<OpenState> {
  checkOptions(options, OPEN_OPTIONS);
  const keywordIndex =
    checkChoice({ name: 'keywordIndex', code: 'INVALID_OPTION' }, options.keywordIndex, KEYWORD_INDEXES) ?? 'packed';
  if ((options.database === undefined) === (options.skills === undefined)) {
    throw new SkillSearchError('INVALID_OPTION', 'openSkillSearch needs either `database` or `skills`');
  }
  checkFlag('warmUp', options.warmUp);
  checkFlag('localPaths', options.localPaths);
  checkFlag('graph', options.graph);
  checkSearched(options);
  const stopWords = readStopWords(options.stopWords);
  checkSignal(options.signal)?.throwIfAborted();
  const modelOptions = resolveModelOptions(options);
  const { reader, database, memory, problems, copy } = await openReader(options, keywordIndex === 'packed');
  const closing = new AbortController();
  // A search that is closed but not forgotten keeps these functions, so nothing here may refer to the keyword file.
  // Both import what they need: a search by words alone does not wait for this code to load.
  const nearest = new OpenedOnce(async (): Promise<NearestDocuments> => {
    const { NearestDocuments: Nearest } = await import('./nearest-documents.js');
    const how = { graph: options.graph ?? true, hasEmbedder: modelOptions.embedder !== undefined };
    return Nearest.open(reader, database, { ...how, signal: closing.signal });
  });
  const openVectors = async (): Promise<VectorSearch> => {
    // What ranks by meaning is imported here as well, so that the first question after `warmUp()` does not wait for it.
    const [{ VectorSearch: Vectors }] = await Promise.all([
      import('./vector-search.js'),
      import('./semantic-search.js'),
    ]);
    const openNearest = (): Promise<NearestDocuments> => nearest.get();
    return Vectors.open(reader, { ...modelOptions, database, sink: memory, openNearest, signal: closing.signal });
  };
  let keywordFile: OpenKeywordFile | undefined;
  let vectors: Promise<VectorSearch> | undefined;
  try {
    // First: the model takes longest, and loads in a thread of its own.
    vectors = options.warmUp === true ? openVectors() : undefined;
    const signal = signalUntilFailure(vectors, options.signal);
    keywordFile = database === undefined ? undefined : openKeywordFile(database);
    const changes = await useColumns(reader, keywordFile);
    if (keywordFile !== undefined && changes === undefined) {
      // It belongs to another state, or it is damaged.
      keywordFile.file.close();
      keywordFile = undefined;
    }
    const parts = { reader, database, keywordFile, changes, signal };
    const index = keywordIndex === false ? undefined : await openKeywordIndex(keywordIndex, parts);
    if (vectors !== undefined) await untilAborted(vectors, options.signal);
    // Folders of the machine that a copy comes from are none of this one.
    const localPaths = options.localPaths === true && copy === undefined;
    return new OpenState({
      reader,
      index,
      stopWords,
      localPaths,
      keywordFile,
      problems,
      copy,
      closing,
      openVectors,
      vectors,
      nearest,
      embedsFirst: memory !== undefined,
    });
  } catch (error) {
    closing.abort(error);
    await vectors?.then((opened) => opened.close()).catch(() => {});
    await (await nearest.take())?.close();
    keywordFile?.file.close();
    reader.close();
    throw error;
  }
}

interface OpenedReader {
  readonly reader: CatalogueReader;
  /** Path of the file; undefined for skills in memory. */
  readonly database?: string;
  /** Where the vectors of skills in memory are stored; undefined for a file. */
  readonly memory?: MemoryCatalogue;
  /** Undefined if it is no local copy. */
  readonly copy?: CopyStats | undefined;
  readonly problems: SkillSearch['problems'];
}

async function openReader(options: OpenOptions, needsWords: boolean): Promise<OpenedReader> {
  if (options.skills === undefined) {
    const { path, warnings, follower } = await localCatalogue(options, needsWords);
    try {
      const database = resolveDatabase(path);
      const reader = await openOrMend(() => CatalogueReader.open(database), follower);
      return { reader, database, copy: follower?.statsOf(reader.stamp), problems: { rejected: [], warnings } };
    } finally {
      await follower?.close();
    }
  }
  const { loadInMemory } = await import('../load/ingest.js');
  return loadInMemory(options.skills, options.signal);
}

interface LocalCatalogue {
  readonly path: string;
  /** Why a copy may be old. */
  readonly warnings: LoadWarning[];
  /** Has brought the copy up to date; undefined if it is none. Whoever opens the copy closes this. */
  readonly follower?: CopyFollower;
}

/** Where a catalogue is; of an address its local copy, which is brought up to date. */
async function localCatalogue(
  { database, cache, passwordFile, signal }: OpenOptions,
  needsWords: boolean,
): Promise<LocalCatalogue> {
  if (!isCatalogueAddress(database)) return { path: checkDatabase(database), warnings: [] };
  const origin = isPostgresAddress(database) ? 'database' : 'snapshot';
  const warnings: LoadWarning[] = [];
  const onProblem = (error: unknown): void => {
    const message = `answers are from the copy that is here: ${(error as Error).message}`;
    warnings.push({ origin, message });
  };
  const options = { address: database, cache, passwordFile, interval: undefined, onProblem, needsWords, signal };
  const follower = await followCopy(options);
  return { path: follower.database, warnings, follower };
}

/**
 * Takes the columns from the derived file, also from that of a former state. If it is damaged, the reader makes them
 * from the catalogue instead.
 *
 * @returns what small changes have changed since; `none` if the file is of the present state; undefined if it is of no
 *   use
 */
async function useColumns(
  reader: CatalogueReader,
  keywordFile: OpenKeywordFile | undefined,
): Promise<KeywordIndexParts['changes']> {
  if (keywordFile === undefined) return undefined;
  const { columns, file, stamp, keywords } = keywordFile;
  try {
    const needed = withoutLateLabels(columns);
    const isPresent = stamp === reader.stamp;
    if (!isPresent && !reader.hasFormerState(stamp)) return undefined;
    await file.load(arraysOf(needed).map(({ value }) => value));
    if (!isPresent) return reader.useFormerColumns(stamp, columns, file);
    reader.useColumns(columns, file);
    return 'none';
  } catch (error) {
    if (!(error instanceof DamagedArrayFileError)) throw error;
    // The words of the file may be whole: they are checked when they are read.
    return stamp === reader.stamp && keywords.size === reader.columns.size ? 'none' : undefined;
  }
}

/** Stops work that runs beside the opening of the vectors as soon as that fails, or the caller aborts. */
function signalUntilFailure(
  vectors: Promise<VectorSearch> | undefined,
  callersSignal: AbortSignal | undefined,
): AbortSignal {
  const failed = new AbortController();
  vectors?.catch((error) => failed.abort(error));
  return AbortSignal.any(callersSignal === undefined ? [failed.signal] : [callersSignal, failed.signal]);
}
