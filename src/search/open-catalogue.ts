import {
  arraysOf,
  checkDatabase,
  checkFlag,
  checkOptions,
  checkSearched,
  checkSignal,
  DamagedArrayFileError,
  type DocumentNumber,
  isCatalogueAddress,
  isPostgresAddress,
  resolveDatabase,
  SkillSearchError,
  untilAborted,
} from '../core/index.js';
import { documentsOf, type OpenKeywordFile, openKeywordFile } from '../indexing/index.js';
import { type KeywordIndex, PackedIndex, RecoveringIndex, readStopWords, type StopWords } from '../keyword/index.js';
import type { CopyStats, LoadWarning } from '../result.js';
import { type ModelOptions, resolveModelOptions } from '../semantic/index.js';
import type { CopyFollower, FollowCopyOptions } from '../share/index.js';
import { CatalogueReader, type ChangedColumns, withoutLateLabels } from '../store/index.js';
import type { MemoryCatalogue } from '../store/writing.js';
import { OpenedSearch } from './catalogue-search.js';
import type { NearestDocuments } from './nearest-documents.js';
import { CurrentState, OpenedOnce, OpenState, type OpenStateParts } from './open-state.js';
import { OPEN_OPTIONS, type OpenOptions, type SkillSearch } from './skill-search.js';
import type { VectorSearch } from './vector-search.js';

/** Opens the catalogue that `database` names; see `openSkillSearch` of the library's entry. */
export async function openSkillSearch(options: OpenOptions): Promise<SkillSearch> {
  return new OpenedSearch(new CurrentState(await openCatalogue(options)));
}

/** Checks the options and opens the catalogue that they name; see `openSkillSearch`. */
export async function openCatalogue(options: OpenOptions): Promise<OpenState> {
  const how = resolveOpenOptions(options);
  const opened = await openReader(options);
  // Folders of the machine that a replica comes from are none of this one.
  const localPaths = how.localPaths && opened.copy === undefined;
  return openState(opened, { ...how, localPaths }, async (signal) => {
    const { reader, database } = opened;
    let keywordFile = openKeywordFile(database!);
    try {
      const changes = await useColumns(reader, keywordFile);
      if (changes === undefined) {
        // It belongs to another state, or it is damaged.
        keywordFile?.file.close();
        keywordFile = undefined;
      }
      const index = await openKeywordIndex({ reader, database: database!, keywordFile, changes, signal });
      return { index, keywordFile };
    } catch (error) {
      keywordFile?.file.close();
      throw error;
    }
  });
}

/** How a catalogue is opened. */
interface OpenHow {
  readonly modelOptions: ModelOptions;
  readonly stopWords: StopWords | undefined;
  readonly warmUp: boolean;
  readonly localPaths: boolean;
  readonly graph: boolean;
  readonly signal: AbortSignal | undefined;
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
export function resolveOpenOptions(options: OpenOptions): OpenHow {
  checkOptions(options, OPEN_OPTIONS);
  if ((options.database === undefined) === (options.skills === undefined)) {
    throw new SkillSearchError('INVALID_OPTION', 'openSkillSearch needs either `database` or `skills`');
  }
  const { warmUp = false, localPaths = false, graph = true, signal } = options;
  checkFlag('warmUp', warmUp);
  checkFlag('localPaths', localPaths);
  checkFlag('graph', graph);
  checkSearched(options);
  const stopWords = readStopWords(options.stopWords);
  checkSignal(signal)?.throwIfAborted();
  return { modelOptions: resolveModelOptions(options), stopWords, warmUp, localPaths, graph, signal };
}

/** What a search reads from. */
export interface OpenedReader {
  /** Of skills in memory, that of the present revision. */
  reader: CatalogueReader;
  /** Path of the file; undefined for skills in memory. */
  readonly database?: string;
  /** Where the vectors of skills in memory are stored; undefined for a file. */
  readonly memory?: MemoryCatalogue;
  /** Undefined if it is no replica. */
  readonly copy?: CopyStats | undefined;
  readonly problems: SkillSearch['problems'];
}

/**
 * Opens an index of words and, if that is asked for, the vectors beside it. The reader is closed with what is returned,
 * and where this fails.
 *
 * @param openIndex gets a signal that stops it
 */
export async function openState(
  opened: OpenedReader,
  { modelOptions, stopWords, warmUp, localPaths, graph, signal: callersSignal }: OpenHow,
  openIndex: (signal: AbortSignal) => Promise<Pick<OpenStateParts, 'index' | 'keywordFile'>>,
): Promise<OpenState> {
  const { database, memory, problems, copy } = opened;
  const closing = new AbortController();
  const { signal } = closing;
  // A search that is closed but not forgotten keeps these functions, so nothing here may refer to the keyword file.
  // Both import what they need: a search by words alone does not wait for this code to load.
  const nearest = new OpenedOnce(async (): Promise<NearestDocuments> => {
    const { NearestDocuments: Nearest } = await import('./nearest-documents.js');
    return Nearest.open(opened.reader, database, { graph, hasEmbedder: modelOptions.embedder !== undefined, signal });
  });
  const openNearest = (): Promise<NearestDocuments> => nearest.get();
  const openVectors = async (): Promise<VectorSearch> => {
    // What ranks by meaning is imported here as well, so that the first question after `warmUp()` does not wait for it.
    const [{ VectorSearch: Vectors }] = await Promise.all([
      import('./vector-search.js'),
      import('./semantic-search.js'),
    ]);
    return Vectors.open(opened.reader, { ...modelOptions, database, sink: memory, openNearest, signal });
  };
  let vectors: Promise<VectorSearch> | undefined;
  let keywordFile: OpenKeywordFile | undefined;
  try {
    // First: the model takes longest, and loads in a thread of its own.
    vectors = warmUp ? openVectors() : undefined;
    const parts = await openIndex(signalUntilFailure(vectors, callersSignal));
    keywordFile = parts.keywordFile;
    if (vectors !== undefined) await untilAborted(vectors, callersSignal);
    const embedsFirst = memory !== undefined;
    const { reader } = opened;
    const state = { reader, ...parts, stopWords, localPaths, problems, copy, closing, openVectors, vectors, nearest };
    return new OpenState({ ...state, embedsFirst });
  } catch (error) {
    closing.abort(error);
    await vectors?.then((searched) => searched.close()).catch(() => {});
    await (await nearest.take())?.close();
    keywordFile?.file.close();
    opened.reader.close();
    throw error;
  }
}

async function openReader(options: OpenOptions): Promise<OpenedReader> {
  const { path, warnings, follower } = await localCatalogue(options);
  try {
    const database = resolveDatabase(path);
    const reader = await openOrMend(() => CatalogueReader.open(database), follower);
    return { reader, database, copy: follower?.statsOf(reader.stamp), problems: { rejected: [], warnings } };
  } finally {
    await follower?.close();
  }
}

interface LocalCatalogue {
  readonly path: string;
  /** Why a copy may be old. */
  readonly warnings: LoadWarning[];
  /** Has brought the copy up to date; undefined if it is none. Whoever opens the copy closes this. */
  readonly follower?: CopyFollower;
}

/** Where a catalogue is; of an address its local copy, which is brought up to date. */
async function localCatalogue({ database, cache, passwordFile, signal }: OpenOptions): Promise<LocalCatalogue> {
  if (!isCatalogueAddress(database)) return { path: checkDatabase(database), warnings: [] };
  const origin = isPostgresAddress(database) ? 'database' : 'snapshot';
  const warnings: LoadWarning[] = [];
  const onProblem = (error: unknown): void => {
    const message = `answers are from the copy that is here: ${(error as Error).message}`;
    warnings.push({ origin, message });
  };
  const options = { address: database, cache, passwordFile, interval: undefined, onProblem, needsWords: true, signal };
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

/** What an index of words is opened from, or made from. */
interface KeywordIndexParts {
  readonly reader: CatalogueReader;
  /** Path of the catalogue. */
  readonly database: string;
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
async function openKeywordIndex({
  reader,
  database,
  keywordFile,
  changes,
  signal,
}: KeywordIndexParts): Promise<KeywordIndex> {
  const documents = documentsOf(reader);
  if (keywordFile !== undefined) {
    const { keywords, file } = keywordFile;
    if (changes === undefined || changes === 'none') {
      return new RecoveringIndex(new PackedIndex([{ keywords, pager: file }], documents), documents);
    }
    const { collectInTurns } = await import('../keyword/build/collect-keywords.js');
    const cameDocuments = {
      *all() {
        for (const document of changes.came) yield documents.read(document);
      },
    };
    const came = await collectInTurns(cameDocuments, signal);
    const segments = [
      { keywords, pager: file, numbers: changes.numbers },
      { keywords: came, numbers: changes.came },
    ];
    return new RecoveringIndex(new PackedIndex(segments, documents), documents);
  }
  // What builds an index is imported when it is needed: a catalogue has its derived file as a rule.
  const { buildKeywords, isWorthAThread } = await import('../indexing/index-keywords.js');
  const built = isWorthAThread(reader)
    ? await buildKeywords({ catalogue: database, stamp: reader.stamp, signal })
    : undefined;
  signal.throwIfAborted();
  if (built !== undefined) {
    reader.noteDamaged(damagedIn(built.contentHashes));
    return new PackedIndex([{ keywords: built }], documents);
  }
  // There is little to index, or the file was replaced since it was opened.
  const { collectInTurns } = await import('../keyword/build/collect-keywords.js');
  return new PackedIndex([{ keywords: await collectInTurns(documents, signal) }], documents);
}

/** The thread that collects words gives a damaged document zeros for a hash. */
function* damagedIn(contentHashes: Uint32Array): Generator<DocumentNumber> {
  for (let i = 0; i < contentHashes.length; i += 2) {
    if (contentHashes[i] === 0 && contentHashes[i + 1] === 0) yield i / 2;
  }
}

/** Codes of a file that is of no use. */
const OF_NO_USE: readonly string[] = ['DATABASE_DAMAGED', 'NOT_A_CATALOGUE', 'UNSUPPORTED_FORMAT'];

/**
 * Opens a catalogue. A local copy that is of no use is made anew first: what it is a copy of has the truth.
 *
 * @param follower of the copy; undefined if the catalogue is none
 * @throws whatever opening throws, and what making it anew throws
 */
export async function openOrMend<T>(open: () => T | Promise<T>, follower: CopyFollower | undefined): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const isOfNoUse = error instanceof SkillSearchError && OF_NO_USE.includes(error.code);
    if (follower === undefined || !isOfNoUse) throw error;
    await follower.mend();
    return open();
  }
}

/**
 * Brings the replica of what an address names up to date, and with an interval keeps it so.
 *
 * @throws {SkillSearchError} as `followCopy` of share
 * @throws the signal's reason when aborted
 */
export async function followCopy(options: FollowCopyOptions): Promise<CopyFollower> {
  const { followCopy: follow } = await import('../share/follow-copy.js');
  return follow(options);
}
