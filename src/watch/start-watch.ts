import {
  checkFlag,
  checkInteger,
  checkListener,
  checkOptions,
  checkPath,
  checkSignal,
  namesOf,
  optionOf,
  quietly,
  SkillSearchError,
  sha256Of,
} from '../core/index.js';
import { checkSource, installedKey } from '../sources/index.js';
import { watchLock } from '../store/index.js';
import type { SourceWatch, WatchOptions } from './index.js';
import { RunningWatch, type WatchedLoad } from './running-watch.js';
import { SharedWatch } from './shared-watch.js';
import { watchInThread } from './watch-in-thread.js';
import { type Polling, WatchedInstalled, WatchedPath } from './watched-sources.js';

/** The longest `quiet` and `longestWait` of a watch, in milliseconds. Who would wait longer loads now and then. */
const MAX_WATCH_WAIT = 60_000;

/** The shortest and the longest `pollInterval` of a watch, in milliseconds. */
const MIN_POLL_INTERVAL = 50;
const MAX_POLL_INTERVAL = 3_600_000;

const DEFAULT_QUIET = 150;
const DEFAULT_LONGEST_WAIT = 1000;
const DEFAULT_POLL_INTERVAL = 1000;

/** The names of the options that loads of a file do not have. */
const WATCH_OPTIONS = {
  vectorsFrom: true,
  sharedModel: true,
  cache: true,
  passwordFile: true,
  polling: true,
  pollInterval: true,
  quiet: true,
  longestWait: true,
  onChange: true,
  onProblem: true,
  thread: true,
} as const;

/** The work of `watchSources`. */
export async function startWatch(options: WatchOptions): Promise<SourceWatch> {
  const loads = await import('../load/writing.js');
  const { prune: _, stdin: __, ...loadOptions } = loads.FILE_BUILD_OPTION_NAMES;
  checkOptions(options, namesOf<WatchOptions>({ ...loadOptions, ...WATCH_OPTIONS }));
  const address = loads.addressOf(options);
  const { sources, onChange, onProblem, thread, signal, model, embedder, ...others } = options;
  const { vectorsFrom, sharedModel, polling, pollInterval, quiet, longestWait, ...load } = others;
  if (vectorsFrom !== undefined) checkPath('vectorsFrom', vectorsFrom, 'a catalogue');
  checkSources(sources);
  for (const name of ['polling', 'thread', 'sharedModel'] as const) checkFlag(name, options[name]);
  for (const name of ['onChange', 'onProblem'] as const) checkListener(name, options[name]);
  checkSignal(signal);
  const waits = {
    quiet: checkInteger(optionOf('quiet'), quiet, 0, MAX_WATCH_WAIT) ?? DEFAULT_QUIET,
    longestWait: checkInteger(optionOf('longestWait'), longestWait, 0, MAX_WATCH_WAIT) ?? DEFAULT_LONGEST_WAIT,
  };
  const interval =
    checkInteger(optionOf('pollInterval'), pollInterval, MIN_POLL_INTERVAL, MAX_POLL_INTERVAL) ?? DEFAULT_POLL_INTERVAL;
  if (thread === true) {
    if (embedder !== undefined) {
      throw new SkillSearchError('INVALID_OPTION', 'an embedder cannot be used in a thread: leave out `thread`');
    }
    return watchInThread(options);
  }
  const place = await loads.placeOf(address);
  const chosen = await loads.chooseLoadModel(place.path, { model, embedder, semantic: load.semantic, sharedModel });
  const resolved = await Promise.all(
    sources.map((source) => (typeof source === 'string' ? checkSource(source) : source.installed)),
  );
  signal?.throwIfAborted();

  const listeners = { onChange: quietly(onChange), onProblem: quietly(onProblem) };
  const how: Polling = { always: polling === true, interval };
  const named = resolved.map((source) => ('kind' in source ? source.path : [installedKey(source)]));
  const make = (): RunningWatch =>
    new RunningWatch(
      { place, load: { ...load, database: place.database }, model: chosen, vectorsFrom, ...waits, ...listeners },
      (watch) =>
        resolved.map((source) =>
          'kind' in source
            ? new WatchedPath(source.name, source.path, source.bytes === undefined, how, watch)
            : new WatchedInstalled(source, how, watch),
        ),
    );
  const lock = watchLock(place.path, watchKey(named, load, chosen?.id, how));
  const watch = new SharedWatch({ shown: place.shown, lock, make, onProblem: listeners.onProblem });
  const abort = (): void => void watch.close();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await watch.start();
  } catch (error) {
    signal?.removeEventListener('abort', abort);
    signal?.throwIfAborted();
    throw error;
  }
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', abort);
    await watch.close();
  };
  return { close, [Symbol.asyncDispose]: close };
}

/** Installed skills for PostgreSQL are refused by the first load. */
function checkSources(sources: unknown): void {
  const canBeWatched = (source: unknown): boolean =>
    typeof source === 'string'
      ? source !== '-'
      : typeof source === 'object' && source !== null && 'installed' in source;
  if (Array.isArray(sources) && sources.length > 0 && sources.every(canBeWatched)) return;
  const message = 'sources of a watch must be paths of folders or files, or installed skills, and at least one';
  throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'sources' });
}

/**
 * The same 16 hexadecimal digits for watches that load the same in the same way.
 *
 * @param sources absolute paths, and keys of installed skills
 * @param model its id; undefined if no vectors are made
 */
function watchKey(
  sources: readonly unknown[],
  load: Partial<WatchedLoad>,
  model: string | undefined,
  { always }: Polling,
): string {
  const { author, codehostBase, skillUrlBase, followLinks, maxUnpackedBytes, maxRatio, git, gitSeconds } = load;
  const { contents, classify, semantic } = load;
  const options = [author, codehostBase, skillUrlBase, followLinks, maxUnpackedBytes, maxRatio, git, gitSeconds];
  const text = JSON.stringify([sources, options, contents, classify, semantic, model, always]);
  return sha256Of(text).slice(0, 16);
}
