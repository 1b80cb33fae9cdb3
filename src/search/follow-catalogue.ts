import { resolve } from 'node:path';
import {
  checkDatabase,
  checkInteger,
  checkListener,
  checkOptions,
  isCatalogueAddress,
  isPostgresAddress,
  NO_FILE,
  namesOf,
  optionOf,
  quietly,
  refuseOption,
  untilAborted,
} from '../core/index.js';
import type { CatalogueStats } from '../result.js';
import type { ModelOptions } from '../semantic/index.js';
import type { CopyFollower } from '../share/index.js';
import { signatureOf } from '../store/index.js';
import { OpenedSearch } from './catalogue-search.js';
import { statsOf, statsOfCopy } from './facets.js';
import { followCopy, openFile, resolveOpenOptions } from './open-catalogue.js';
import { CurrentState } from './open-state.js';
import { Reloader } from './reloader.js';
import { OPEN_OPTIONS, type OpenOptions, type SkillSearch } from './skill-search.js';

export interface FollowOptions
  extends ModelOptions,
    Pick<
      OpenOptions,
      'stopWords' | 'gloss' | 'warmUp' | 'localPaths' | 'sharedModel' | 'usage' | 'cache' | 'passwordFile' | 'signal'
    > {
  /**
   * Path of a catalogue's file, made by `buildCatalogue`; or the http or https address of a manifest that
   * `writeSnapshot` made; or the address of a database of PostgreSQL that a catalogue was loaded into, such as
   * `postgres://user@host/database`. Of an address a local copy is kept up to date and followed.
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
   * Milliseconds between two looks at what an address names: the manifest of a snapshot, or a row of PostgreSQL. An
   * integer from 100 to 2,147,483,647.
   *
   * @default 15_000 for a snapshot, 1000 for PostgreSQL
   */
  readonly snapshotInterval?: number | undefined;
  /** Called after every reload, whether it succeeded or failed. An error that it throws is ignored. */
  readonly onReload?: ((event: ReloadEvent) => void) | undefined;
}

/**
 * The outcome of a reload. After a failure the former state goes on answering: `fetching` says that what an address
 * names could not be had, and `opening` that a new state was there but could not be opened. `reachable` says that what
 * an address names can be had again, after how many milliseconds.
 */
export type ReloadEvent =
  | { readonly kind: 'reloaded'; readonly stats: CatalogueStats; readonly milliseconds: number }
  | { readonly kind: 'failed'; readonly error: unknown; readonly during: 'fetching' | 'opening' }
  | { readonly kind: 'reachable'; readonly milliseconds: number };

/** A search that answers from the newest state of its catalogue. */
export interface FollowedSearch extends SkillSearch {
  /**
   * Reloads now, whether the file has changed or not. A call during a reload waits for that one and then for another.
   *
   * @throws {SkillSearchError} as `openSkillSearch`; the former state goes on answering then
   */
  reload(): Promise<void>;
}

const { skills: _, graph: __, ...SHARED_OPTIONS } = OPEN_OPTIONS;
const FOLLOW_OPTIONS = namesOf<FollowOptions>({
  ...SHARED_OPTIONS,
  ...({ interval: true, snapshotInterval: true, onReload: true } as const),
});

const DEFAULT_INTERVAL = 250;
const SHORTEST_SNAPSHOT_INTERVAL = 100;
/** Milliseconds between two looks at the manifest of a snapshot, unless `snapshotInterval` says otherwise. */
export const DEFAULT_SNAPSHOT_INTERVAL = 15_000;
/** Milliseconds between two looks at a database of PostgreSQL, which are cheaper. */
export const DEFAULT_SHARED_INTERVAL = 1000;
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
  const { interval: given, snapshotInterval, onReload, ...opening } = options;
  const { database: address, cache, passwordFile, signal } = opening;
  checkListener('onReload', onReload);
  if (!isCatalogueAddress(address)) refuseOption('snapshotInterval', snapshotInterval, NO_FILE);
  const interval = checkInteger(optionOf('interval'), given, 1, LONGEST_INTERVAL) ?? DEFAULT_INTERVAL;
  const looks =
    checkInteger(optionOf('snapshotInterval'), snapshotInterval, SHORTEST_SNAPSHOT_INTERVAL, LONGEST_INTERVAL) ??
    (isPostgresAddress(address) ? DEFAULT_SHARED_INTERVAL : DEFAULT_SNAPSHOT_INTERVAL);
  const how = resolveOpenOptions({ ...opening, database: address ?? '' });
  // A failing listener must not stop the reloads.
  const report = quietly(onReload);
  const onProblem = (error: unknown): void => report({ kind: 'failed', error, during: 'fetching' });
  const onReachable = (milliseconds: number): void => report({ kind: 'reachable', milliseconds });
  const following = { cache, passwordFile, interval: looks, onProblem, onReachable, signal };
  const follower = isCatalogueAddress(address) ? await followCopy({ address, ...following }) : undefined;
  try {
    // Fixed now: the process may change its working directory.
    const path = resolve(follower?.database ?? checkDatabase(address));
    // Taken before the catalogue is opened: a change in between is then noticed later.
    const signature = await signatureOf(path);
    const states = new CurrentState(await openFile(path, how, { follower, signal }));
    const reloader = new Reloader(states, {
      path,
      signature,
      interval,
      openNext: async (closing) => {
        const next = await openFile(path, { ...how, warmUp: false }, { follower, signal: closing });
        // Without vectors the next state still answers by words. Semantic search reports what is missing.
        const { newest } = states;
        if (newest.vectorsWanted) await untilAborted(next.vectorsAs(newest), closing).catch(() => {});
        return next;
      },
      onReloaded: ({ reader }, milliseconds) =>
        report({ kind: 'reloaded', stats: statsOf(reader, follower?.statsOf(reader.stamp)), milliseconds }),
      onFailed: (error) => report({ kind: 'failed', error, during: 'opening' }),
    });
    return new FollowingSearch(states, reloader, follower);
  } catch (error) {
    await follower?.close();
    throw error;
  }
}

/** Adds reloading to a search. */
class FollowingSearch extends OpenedSearch implements FollowedSearch {
  readonly #reloader: Reloader;
  readonly #follower: CopyFollower | undefined;

  constructor(states: CurrentState, reloader: Reloader, follower: CopyFollower | undefined) {
    super(states);
    this.#follower = follower;
    this.#reloader = reloader;
  }

  override stats(): CatalogueStats {
    const stats = super.stats();
    return this.#follower === undefined ? stats : statsOfCopy(stats, this.#follower.statsOf(stats.stamp));
  }

  async reload(): Promise<void> {
    await this.#follower?.look();
    await this.#reloader.reload();
  }

  override async close(): Promise<void> {
    await Promise.all([this.#follower?.close(), this.#reloader.close(), super.close()]);
  }
}
