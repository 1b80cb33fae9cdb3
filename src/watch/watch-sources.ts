import {
  checkDatabase,
  checkFlag,
  checkInteger,
  checkListener,
  checkNotShared,
  checkOptions,
  checkSignal,
  isPostgresAddress,
  optionOf,
  resolveDatabase,
  SkillSearchError,
} from '../core/index.js';
import { type SourceWatch, WATCH_OPTIONS, type WatchOptions } from './watch-options.js';

/** The longest `quiet` and `longestWait` of a watch, in milliseconds. Who would wait longer loads now and then. */
const MAX_WATCH_WAIT = 60_000;

/** The shortest and the longest `pollInterval` of a watch, in milliseconds. */
const MIN_POLL_INTERVAL = 50;
const MAX_POLL_INTERVAL = 3_600_000;

const DEFAULT_QUIET = 150;
const DEFAULT_LONGEST_WAIT = 1000;
const DEFAULT_POLL_INTERVAL = 1000;

/**
 * Loads sources into a catalogue, and keeps it as they are: whatever is added, changed, renamed or removed in them is
 * loaded as soon as it is quiet, words first and vectors after. The promise is kept when the first load has made the
 * sources searchable by words. From its start on no change is missed.
 *
 * A source that vanishes loses nothing; it is read again when it is back. Errors after the start are told to
 * `onProblem`, and the watch goes on. Of several watches of the same sources and options into one catalogue, in any
 * processes, one loads; when it ends, another takes over.
 *
 * @throws {SkillSearchError} as `buildCatalogue`, but for `LOAD_IN_PROGRESS`: somebody else's load is waited for
 * @throws the signal's reason when aborted before the first load has ended
 * @example
 * await using watch = await watchSources({ database: 'skills.db', sources: ['./skills'] });
 */
export async function watchSources(options: WatchOptions): Promise<SourceWatch> {
  checkOptions(options, WATCH_OPTIONS);
  const { sources, polling, pollInterval, quiet, longestWait, onChange, onProblem, thread, signal, ...others } =
    options;
  const { database } = options;
  const isShared = isPostgresAddress(database);
  const file = isShared ? database : resolveDatabase(checkDatabase(database));
  if (!isShared) checkNotShared(options);
  checkSources(sources, isShared);
  checkFlag('polling', polling);
  checkListener('onChange', onChange);
  checkListener('onProblem', onProblem);
  checkFlag('thread', thread);
  checkSignal(signal);
  const wait = (name: string, value: unknown): number | undefined =>
    checkInteger(optionOf(name), value, 0, MAX_WATCH_WAIT);
  const waits = {
    quiet: wait('quiet', quiet) ?? DEFAULT_QUIET,
    longestWait: wait('longestWait', longestWait) ?? DEFAULT_LONGEST_WAIT,
  };
  const interval =
    checkInteger(optionOf('pollInterval'), pollInterval, MIN_POLL_INTERVAL, MAX_POLL_INTERVAL) ?? DEFAULT_POLL_INTERVAL;
  if (thread === true) {
    if (options.embedder !== undefined) {
      throw new SkillSearchError('INVALID_OPTION', 'an embedder cannot be used in a thread: leave out `thread`');
    }
    const { watchInThread } = await import('./watch-in-thread.js');
    return watchInThread({
      ...others,
      sources,
      database: file,
      polling,
      pollInterval: interval,
      ...waits,
      onChange,
      onProblem,
      signal,
    });
  }
  // Watching takes as much code as loading. A program that only searches need not load it.
  const [
    { addressOf, chooseLoadModel, placeOf },
    { checkSource },
    { watchLock },
    { RunningWatch },
    { SharedWatch },
    { watchKey },
    { WatchedInstalled },
    { WatchedPath },
  ] = await Promise.all([
    import('../load/writing.js'),
    import('../sources/open-source.js'),
    import('../store/files.js'),
    import('./running-watch.js'),
    import('./shared-watch.js'),
    import('./watch-key.js'),
    import('./watched-installed.js'),
    import('./watched-path.js'),
  ]);
  const { model, embedder, ...load } = others;
  const place = await placeOf(addressOf({ ...load, database: file }), signal);
  const chosen = await chooseLoadModel(place.path, { model, embedder, semantic: load.semantic });
  const resolved = await Promise.all(
    sources.map((source) => (typeof source === 'string' ? checkSource(source) : source.installed)),
  );
  signal?.throwIfAborted();

  const listeners = { onChange: quietly(onChange), onProblem: quietly(onProblem) };
  const how = { always: polling === true, interval };
  const key = watchKey({
    sources: resolved.map((source) => ('kind' in source ? source.path : source)),
    load,
    model: chosen?.id,
    polling: how.always,
  });
  const make = (): { start: () => Promise<void>; close: () => Promise<void> } => {
    const running = new RunningWatch({
      place,
      load: { ...load, database: place.database },
      model: chosen,
      ...waits,
      ...listeners,
    });
    const watched = resolved.map((source) =>
      'kind' in source
        ? new WatchedPath(source.name, source.path, source.bytes === undefined, how, running)
        : new WatchedInstalled(source, how, running),
    );
    return { start: () => running.start(watched), close: () => running.close() };
  };
  const watch = new SharedWatch({
    shown: place.shown,
    lock: watchLock(place.path, key),
    make,
    onProblem: listeners.onProblem,
  });
  const close = (): Promise<void> => watch.close();
  const abort = (): void => void close();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await watch.start();
  } catch (error) {
    signal?.removeEventListener('abort', abort);
    signal?.throwIfAborted();
    throw error;
  }
  const end = async (): Promise<void> => {
    signal?.removeEventListener('abort', abort);
    await close();
  };
  return { close: end, [Symbol.asyncDispose]: end };
}

/** A listener that fails must not end the watch. */
function quietly<Event>(listener: ((event: Event) => void) | undefined): (event: Event) => void {
  return (event) => {
    try {
      listener?.(event);
    } catch {
      // The listener's own matter.
    }
  };
}

function checkSources(sources: unknown, isShared: boolean): void {
  if (!Array.isArray(sources) || sources.length === 0) {
    throw new SkillSearchError('INVALID_OPTION', 'sources must be an array of at least one source');
  }
  for (const source of sources) {
    const isInstalled = typeof source === 'object' && source !== null && 'installed' in source;
    if (isInstalled && isShared) {
      const message =
        'installed skills belong to one machine, and a catalogue in PostgreSQL to several: load them into a file';
      throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'sources' });
    }
    if (isInstalled || (typeof source === 'string' && source !== '-')) continue;
    const message =
      'sources of a watch must be paths of folders or files, or installed skills: no others can be watched';
    throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'sources' });
  }
}
