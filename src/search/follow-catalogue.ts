import { resolve } from 'node:path';
import { untilAborted } from '../abort.js';
import {
  type Argument,
  checkDatabase,
  checkInteger,
  checkListener,
  checkOptions,
  checkPath,
  namesOf,
} from '../check-arguments.js';
import { isSnapshotAddress } from '../database-address.js';
import { readStopWords } from '../keyword/read-stop-words.js';
import type { CatalogueStats } from '../result.js';
import type { ModelOptions } from '../semantic/model-options.js';
import type { FollowSnapshotOptions, SnapshotFollower } from '../snapshot/follow-snapshot.js';
import { signatureOf } from '../store/file-signature.js';
import { inTurns } from '../threads/in-turns.js';
import { CatalogueSearch } from './catalogue-search.js';
import { statsOf } from './catalogue-stats.js';
import { facetsUsed, prepareFacets } from './count-facets.js';
import { openCatalogue } from './open-catalogue.js';
import { closedError, type OpenState } from './open-state.js';
import { CatalogueWatch } from './reload/catalogue-watch.js';
import { CurrentState } from './reload/current-state.js';
import { Reloader } from './reload/reloader.js';
import type { OpenOptions } from './search-options.js';
import type { SkillSearch } from './skill-search.js';

export interface FollowOptions
  extends ModelOptions,
    Pick<OpenOptions, 'keywordIndex' | 'stopWords' | 'warmUp' | 'localPaths' | 'cache' | 'signal'> {
  /**
   * Path of a catalogue's file, made by `buildCatalogue`; or the http or https address of a manifest that
   * `writeSnapshot` made: its local copy is kept up to date and followed.
   */
  readonly database: string;
  /**
   * Milliseconds between two looks at the file, an integer from 1 to 2,147,483,647. A change is acted upon when the
   * next look finds no further change.
   *
   * @default 250
   */
  readonly interval?: number | undefined;
  /**
   * Milliseconds between two looks at the manifest of a snapshot, an integer from 100 to 2,147,483,647.
   *
   * @default 15_000
   */
  readonly snapshotInterval?: number | undefined;
  /** Called after every reload, whether it succeeded or failed. An error that it throws is ignored. */
  readonly onReload?: ((event: ReloadEvent) => void) | undefined;
}

/**
 * The outcome of a reload. After a failure, also of fetching a snapshot, the former state goes on answering.
 */
export type ReloadEvent =
  | { readonly kind: 'reloaded'; readonly stats: CatalogueStats; readonly milliseconds: number }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A search that answers from the newest state of its catalogue. */
export interface FollowedSearch extends SkillSearch {
  /**
   * Reloads now, whether the file has changed or not. A call during a reload waits for that one and then for another.
   *
   * @throws {SkillSearchError} as `openSkillSearch`; the former state goes on answering then
   */
  reload(): Promise<void>;
}

const FOLLOW_OPTIONS = namesOf<FollowOptions>({
  database: true,
  model: true,
  embedder: true,
  keywordIndex: true,
  stopWords: true,
  warmUp: true,
  localPaths: true,
  cache: true,
  interval: true,
  snapshotInterval: true,
  onReload: true,
  signal: true,
});

const INTERVAL: Argument = { name: 'interval', code: 'INVALID_OPTION' };
const DEFAULT_INTERVAL = 250;
const SNAPSHOT_INTERVAL: Argument = { name: 'snapshotInterval', code: 'INVALID_OPTION' };
const SHORTEST_SNAPSHOT_INTERVAL = 100;
/** Milliseconds between two looks at the manifest of a snapshot, unless `snapshotInterval` says otherwise. */
export const DEFAULT_SNAPSHOT_INTERVAL = 15_000;
/** The longest that a Node.js timer can wait, in milliseconds. */
const LONGEST_INTERVAL = 2 ** 31 - 1;

/**
 * Opens a catalogue and follows it: whenever a load has finished, its state is opened and replaces the present one. If
 * semantic search was in use, the new state is warmed up first. A call that is running meanwhile ends on the state it
 * began on.
 *
 * Takes the memory of two states during a reload. Does not keep the process alive.
 *
 * @throws {SkillSearchError} as `openSkillSearch`
 * @throws the signal's reason when aborted before the catalogue is open; later the signal has no effect
 * @example
 * await using search = await followCatalogue({ database: 'skills.db' });
 */
export async function followCatalogue(options: FollowOptions): Promise<FollowedSearch> {
  checkOptions(options, FOLLOW_OPTIONS);
  const { interval: given, snapshotInterval: givenLooks, cache, onReload = () => {}, signal, ...others } = options;
  const stopWords = readStopWords(others.stopWords);
  checkListener('onReload', onReload);
  if (cache !== undefined) checkPath('cache', cache, 'a folder');
  const interval = checkInteger(INTERVAL, given, 1, LONGEST_INTERVAL) ?? DEFAULT_INTERVAL;
  const looks =
    checkInteger(SNAPSHOT_INTERVAL, givenLooks, SHORTEST_SNAPSHOT_INTERVAL, LONGEST_INTERVAL) ??
    DEFAULT_SNAPSHOT_INTERVAL;
  const report = (event: ReloadEvent): void => {
    try {
      onReload(event);
    } catch {
      // A failing listener must not stop the reloads.
    }
  };
  const onProblem = (error: unknown): void => report({ kind: 'failed', error });
  const follower = await followerOf({ address: options.database, cache, interval: looks, onProblem, signal });
  try {
    // Fixed now: the process may change its working directory, and the stop words may be an iterator that ends.
    const path = resolve(follower?.database ?? checkDatabase(options.database));
    // Folders of the machine that wrote a snapshot are none of this one.
    const localPaths = follower === undefined && others.localPaths === true;
    return await followFile(
      path,
      { ...others, database: path, localPaths, stopWords },
      { interval, report, follower, signal },
    );
  } catch (error) {
    await follower?.close();
    throw error;
  }
}

/** What brings the local copy of a snapshot up to date; undefined for a catalogue's file. */
async function followerOf(options: FollowSnapshotOptions): Promise<SnapshotFollower | undefined> {
  if (!isSnapshotAddress(options.address)) return undefined;
  const { followSnapshot } = await import('../snapshot/follow-snapshot.js');
  return followSnapshot(options);
}

interface Following {
  readonly interval: number;
  readonly report: (event: ReloadEvent) => void;
  readonly follower: SnapshotFollower | undefined;
  readonly signal: AbortSignal | undefined;
}

async function followFile(
  path: string,
  opening: OpenOptions,
  { interval, report, follower, signal }: Following,
): Promise<FollowedSearch> {
  // Taken before the catalogue is opened: a change in between is then noticed later.
  const signature = await signatureOf(path);
  const states = new CurrentState(await openCatalogue({ ...opening, signal }));
  const reloader = new Reloader(states, {
    path,
    signature,
    openNext: async (closing) => {
      const facets = facetsUsed(states.newest.reader);
      const next = await openCatalogue({ ...opening, warmUp: false, signal: closing });
      // Without vectors the next state still answers by words. Semantic search reports what is missing.
      const { newest } = states;
      if (newest.vectorsWanted) await untilAborted(next.vectorsAs(newest), closing).catch(() => {});
      // What is damaged is told when somebody asks for it.
      await inTurns(prepareFacets(next.reader, facets), closing).catch(() => {});
      return next;
    },
    onReloaded: ({ reader }, milliseconds) => report({ kind: 'reloaded', stats: statsOf(reader), milliseconds }),
    onFailed: (error) => report({ kind: 'failed', error }),
    closedError,
  });
  return new FollowingSearch(states, reloader, new CatalogueWatch(path, interval, reloader), follower);
}

/** Adds reloading to a search. */
class FollowingSearch extends CatalogueSearch implements FollowedSearch {
  readonly #reloader: Reloader<OpenState>;
  readonly #watch: CatalogueWatch;
  readonly #follower: SnapshotFollower | undefined;

  constructor(
    states: CurrentState<OpenState>,
    reloader: Reloader<OpenState>,
    watch: CatalogueWatch,
    follower: SnapshotFollower | undefined,
  ) {
    super(states);
    this.#follower = follower;
    this.#reloader = reloader;
    this.#watch = watch;
  }

  async reload(): Promise<void> {
    await this.#follower?.look();
    await this.#reloader.reload();
  }

  override async close(): Promise<void> {
    this.#watch.stop();
    await Promise.all([this.#follower?.close(), this.#reloader.close(), super.close()]);
  }
}
