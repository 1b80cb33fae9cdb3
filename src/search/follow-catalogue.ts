import { resolve } from 'node:path';
import { untilAborted } from '../abort.js';
import {
  type Argument,
  checkDatabase,
  checkInteger,
  checkListener,
  checkOptions,
  namesOf,
} from '../check-arguments.js';
import { readStopWords } from '../keyword/read-stop-words.js';
import type { CatalogueStats } from '../result.js';
import type { ModelOptions } from '../semantic/model-options.js';
import { inTurns } from '../threads/in-turns.js';
import { CatalogueSearch } from './catalogue-search.js';
import { statsOf } from './catalogue-stats.js';
import { facetsUsed, prepareFacets } from './count-facets.js';
import { openCatalogue } from './open-catalogue.js';
import { closedError, type OpenState } from './open-state.js';
import { CatalogueWatch } from './reload/catalogue-watch.js';
import { CurrentState } from './reload/current-state.js';
import { signatureOf } from './reload/file-signature.js';
import { Reloader } from './reload/reloader.js';
import type { OpenOptions } from './search-options.js';
import type { SkillSearch } from './skill-search.js';

export interface FollowOptions
  extends ModelOptions,
    Pick<OpenOptions, 'keywordIndex' | 'stopWords' | 'warmUp' | 'localPaths' | 'signal'> {
  /** Path of a catalogue's file, made by `buildCatalogue`. */
  readonly database: string;
  /**
   * Milliseconds between two looks at the file, an integer from 1 to 2,147,483,647. A change is acted upon when the
   * next look finds no further change.
   *
   * @default 250
   */
  readonly interval?: number | undefined;
  /** Called after every reload, whether it succeeded or failed. An error that it throws is ignored. */
  readonly onReload?: ((event: ReloadEvent) => void) | undefined;
}

/** The outcome of a reload. After a failure the former state goes on answering. */
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
  interval: true,
  onReload: true,
  signal: true,
});

const INTERVAL: Argument = { name: 'interval', code: 'INVALID_OPTION' };
const DEFAULT_INTERVAL = 250;
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
  const path = resolve(checkDatabase(options.database));
  const { interval: given, onReload = () => {}, signal, ...others } = options;
  // Fixed now: the process may change its working directory, and the stop words may be an iterator that ends.
  const opening = { ...others, database: path, stopWords: readStopWords(others.stopWords) };
  checkListener('onReload', onReload);
  const interval = checkInteger(INTERVAL, given, 1, LONGEST_INTERVAL) ?? DEFAULT_INTERVAL;
  // Taken before the catalogue is opened: a change in between is then noticed later.
  const signature = await signatureOf(path);
  const states = new CurrentState(await openCatalogue({ ...opening, signal }));
  const report = (event: ReloadEvent): void => {
    try {
      onReload(event);
    } catch {
      // A failing listener must not stop the reloads.
    }
  };
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
  return new FollowingSearch(states, reloader, new CatalogueWatch(path, interval, reloader));
}

/** Adds reloading to a search. */
class FollowingSearch extends CatalogueSearch implements FollowedSearch {
  readonly #reloader: Reloader<OpenState>;
  readonly #watch: CatalogueWatch;

  constructor(states: CurrentState<OpenState>, reloader: Reloader<OpenState>, watch: CatalogueWatch) {
    super(states);
    this.#reloader = reloader;
    this.#watch = watch;
  }

  reload(): Promise<void> {
    return this.#reloader.reload();
  }

  override async close(): Promise<void> {
    this.#watch.stop();
    await Promise.all([this.#reloader.close(), super.close()]);
  }
}
