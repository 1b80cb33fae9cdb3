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
  namesOf,
  resolveDatabase,
  SkillSearchError,
} from '../core/index.js';
import { documentsOf, type OpenKeywordFile, openKeywordFile } from '../indexing/index.js';
import { PackedIndex, RecoveringIndex, readStopWords } from '../keyword/index.js';
import type { LoadWarning } from '../result.js';
import { resolveModelOptions } from '../semantic/index.js';
import type { CopyFollower, FollowCopyOptions } from '../share/index.js';
import { CatalogueReader, type ChangedColumns, withoutLateLabels } from '../store/index.js';
import { OpenedSearch } from './catalogue-search.js';
import { CurrentState, type OpenedWords, type OpenHow, OpenState } from './open-state.js';
import { OPEN_OPTIONS, type OpenOptions, type SkillSearch } from './skill-search.js';

const OPEN_NAMES = namesOf<OpenOptions>(OPEN_OPTIONS);

/** Opens the catalogue that `database` names; see `openSkillSearch` of the library's entry. */
export async function openSkillSearch(options: OpenOptions): Promise<SkillSearch> {
  return new OpenedSearch(new CurrentState(await openCatalogue(options)));
}

/** Checks the options and opens the catalogue that they name; see `openSkillSearch`. */
export async function openCatalogue(options: OpenOptions): Promise<OpenState> {
  const how = resolveOpenOptions(options);
  const { database, cache, passwordFile, signal } = options;
  if (!isCatalogueAddress(database)) return openFile(checkDatabase(database), how, { signal });
  const warnings: LoadWarning[] = [];
  const onProblem = (error: unknown): void => {
    const message = `answers are from the copy that is here: ${(error as Error).message}`;
    warnings.push({ origin: isPostgresAddress(database) ? 'database' : 'snapshot', message });
  };
  const address = { address: database, cache, passwordFile, signal };
  const follower = await followCopy({ ...address, interval: undefined, onProblem, needsWords: true });
  try {
    return await openFile(follower.database, how, { follower, warnings, signal });
  } finally {
    await follower.close();
  }
}

/** @throws {SkillSearchError} `INVALID_OPTION` */
export function resolveOpenOptions(options: OpenOptions): OpenHow {
  checkOptions(options, OPEN_NAMES);
  if ((options.database === undefined) === (options.skills === undefined)) {
    throw new SkillSearchError('INVALID_OPTION', 'openSkillSearch needs either `database` or `skills`');
  }
  const { gloss = true, warmUp = false, localPaths = false, graph = true, sharedModel = false, usage = true } = options;
  const flags = { gloss, warmUp, localPaths, graph, sharedModel, usage };
  for (const [name, flag] of Object.entries(flags)) checkFlag(name, flag);
  checkSearched(options);
  const stopWords = readStopWords(options.stopWords);
  checkSignal(options.signal)?.throwIfAborted();
  const modelOptions = resolveModelOptions(options);
  return { modelOptions, stopWords, ...flags };
}

interface OpenFileOptions {
  /** Keeps the replica; undefined if the file is none. */
  readonly follower?: CopyFollower | undefined;
  /** Why a replica may be old. */
  readonly warnings?: readonly LoadWarning[];
  readonly signal?: AbortSignal | undefined;
}

/** Opens a catalogue's file. A replica that is of no use is fetched again first: what it is a copy of has the truth. */
export async function openFile(path: string, how: OpenHow, options: OpenFileOptions): Promise<OpenState> {
  const { follower, warnings = [], signal } = options;
  const database = resolveDatabase(path);
  const open = (): Promise<OpenState> => {
    const reader = CatalogueReader.open(database);
    const copy = follower?.statsOf(reader.stamp);
    const opened = { reader, database, copy, problems: { rejected: [], warnings } };
    // A replica's paths belong to the publisher's machine.
    const localPaths = how.localPaths && follower === undefined;
    return OpenState.open(opened, { ...how, localPaths }, (stop) => openWords(reader, database, stop), signal);
  };
  try {
    return await open();
  } catch (error) {
    const isUnrecoverable = error instanceof SkillSearchError && UNRECOVERABLE.includes(error.code);
    if (follower === undefined || !isUnrecoverable) throw error;
    await follower.mend();
    return open();
  }
}

/** Codes of a file that is of no use. */
const UNRECOVERABLE: readonly string[] = ['DATABASE_DAMAGED', 'NOT_A_CATALOGUE', 'UNSUPPORTED_FORMAT'];

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

/** What small changes have changed since a derived file was made; `none` if the file is of the present state. */
type Changes = Pick<ChangedColumns, 'numbers' | 'came'> | 'none';

/**
 * Opens columns and words from the derived file. Without one of use, the words are collected in memory.
 *
 * @throws the signal's reason when aborted
 */
async function openWords(reader: CatalogueReader, database: string, signal: AbortSignal): Promise<OpenedWords> {
  const keywordFile = openKeywordFile(database);
  try {
    const changes = keywordFile === undefined ? undefined : await useColumns(reader, keywordFile);
    if (keywordFile !== undefined && changes !== undefined) {
      return { index: await indexOf(reader, keywordFile, changes, signal), keywordFile };
    }
    // It belongs to another state, or it is damaged.
    keywordFile?.file.close();
    return { index: await collectedIndex(reader, database, signal) };
  } catch (error) {
    keywordFile?.file.close();
    throw error;
  }
}

/**
 * Takes the columns from the derived file, also from that of a former state. If it is damaged, the reader makes them
 * from the catalogue instead.
 *
 * @returns undefined if the file is of no use
 */
async function useColumns(reader: CatalogueReader, keywordFile: OpenKeywordFile): Promise<Changes | undefined> {
  const { columns, file, stamp, keywords } = keywordFile;
  try {
    const isPresent = stamp === reader.stamp;
    if (!isPresent && !reader.hasFormerState(stamp)) return undefined;
    await file.load(arraysOf(withoutLateLabels(columns)).map(({ value }) => value));
    if (!isPresent) return reader.useFormerColumns(stamp, columns, file);
    reader.useColumns(columns, file);
    return 'none';
  } catch (error) {
    if (!(error instanceof DamagedArrayFileError)) throw error;
    // The words of the file may be whole: they are checked when they are read.
    return stamp === reader.stamp && keywords.size === reader.columns.size ? 'none' : undefined;
  }
}

async function indexOf(
  reader: CatalogueReader,
  { keywords, file }: OpenKeywordFile,
  changes: Changes,
  signal: AbortSignal,
): Promise<RecoveringIndex> {
  const documents = documentsOf(reader);
  if (changes === 'none')
    return new RecoveringIndex(new PackedIndex([{ keywords, pager: file }], documents), documents);
  const { collectInTurns } = await import('../keyword/build/collect-keywords.js');
  const cameDocuments = {
    *all() {
      for (const document of changes.came) yield documents.read(document);
    },
  };
  const segments = [
    { keywords, pager: file, numbers: changes.numbers },
    { keywords: await collectInTurns(cameDocuments, signal), numbers: changes.came },
  ];
  return new RecoveringIndex(new PackedIndex(segments, documents), documents);
}

/** Imports what builds an index only here: a catalogue has its derived file as a rule. */
async function collectedIndex(reader: CatalogueReader, database: string, signal: AbortSignal): Promise<PackedIndex> {
  const documents = documentsOf(reader);
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
