import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import {
  isCatalogueAddress,
  SkillSearchError,
  type Surroundings,
  surroundings,
  untilAborted,
  userCatalogue,
  withResolvers,
} from '../core/index.js';
import type { SkillSearch, SourceWatch, WatchOptions } from '../index.js';
import { loadSdk, type McpCatalogue, type StdioServer, unpublishedLog } from '../mcp/index.js';
import {
  addPlaceOptions,
  addReadingOptions,
  type CataloguePlace,
  choiceOption,
  modelOption,
  placeOf,
  type ReadingFlags,
  readingOf,
} from './options.js';
import type { Output } from './output.js';
import type { SetUp } from './run.js';
import type { ServerLog } from './server-log.js';
import {
  addServerWatchOptions,
  LOG_LEVELS,
  type LogLevel,
  type ServerWatchFlags,
  type WriteLog,
  watchedSourcesOf,
  watchForServer,
} from './server-watch.js';

interface McpFlags extends ReadingFlags, ServerWatchFlags {
  readonly semantic: boolean;
  readonly logLevel: LogLevel;
}

export const setUp: SetUp = (command, output) => {
  addPlaceOptions(command)
    .addOption(modelOption())
    .option('--no-semantic', 'search by words only; the model is never loaded');
  addReadingOptions(command)
    .addOption(
      choiceOption('--log-level <level>', 'what is logged at least, on standard error', LOG_LEVELS).default('info'),
    )
    .action(async (given: McpFlags) => {
      const servedFrom = async (of: Surroundings): Promise<Served> => {
        const { database, sources } = await watchedSourcesOf(command, given, of);
        const flags = { ...given, database };
        return { flags, place: placeOf(command, flags), sources };
      };
      return serveMcp(given, servedFrom, output);
    });
  addServerWatchOptions(command);
};

/** What is served. */
interface Served {
  readonly flags: McpFlags;
  readonly place: CataloguePlace;
  readonly sources: WatchOptions['sources'] | undefined;
}

/** Roots of a client that are looked at. An editor has a few. */
const MOST_ROOTS = 20;

/** Milliseconds that a call waits for the first load of a catalogue: hosts give up after a minute. */
const FIRST_LOAD_TIME = 45_000;

/** @param servedFrom tells what is served in some surroundings */
async function serveMcp(
  given: McpFlags,
  servedFrom: (of: Surroundings) => Promise<Served>,
  output: Output,
): Promise<void> {
  const { model, semantic: meaning } = given;
  // The young objects of a start take 16 MB, and nothing that comes after it needs as much.
  setFlagsFromString('--semi-space-growth-factor=1');
  const log = lateLog(given.logLevel, output);
  const reading = await readingOf(given);
  const of = surroundings();
  const here = await servedFrom(of);
  let onRoots: ((folders: readonly string[]) => void) | undefined;
  let served = Promise.resolve(here);
  // Started outside of a project, as in the home folder: the client may know one.
  if (given.installed === true && here.place.database === userCatalogue(of)) {
    const roots = withResolvers<readonly string[]>();
    onRoots = roots.resolve;
    served = roots.promise.then(async (folders) => {
      for (const cwd of folders.slice(0, MOST_ROOTS)) {
        const there = await servedFrom({ ...of, cwd }).catch(() => here);
        if (there.place.database !== here.place.database) return there;
      }
      return here;
    });
  }
  let server: StdioServer | undefined;
  const stopWatch = new AbortController();
  let watching: Promise<SourceWatch | undefined> | undefined;
  /** The promise is kept when the first load has ended. */
  const watch = async (): Promise<unknown> => {
    const { sources, flags } = await served;
    if (sources === undefined) return;
    watching ??= watchForServer(sources, flags, { signal: stopWatch.signal, thread: false, log: log.write }).catch(
      (error: Error) => {
        if (!stopWatch.signal.aborted) log.write('error', 'the sources are not watched', { reason: error.message });
        return undefined;
      },
    );
    return watching;
  };
  let opening: Promise<McpCatalogue> | undefined;
  const open = async (): Promise<McpCatalogue> => {
    const { place, sources } = await served;
    if (sources !== undefined && !existsSync(place.database)) await watch();
    const { openMcpCatalogue } = await import('../mcp/catalogue.js');
    return openMcpCatalogue({
      ...{ ...place, ...reading, model, meaning, log: log.write },
      onReload: (event) => log.add((opened) => opened.onReload(event)),
      onChange: () => server?.catalogueChanged(),
    });
  };
  // The client gets its first answer before the catalogue is opened, unless that answer is of the catalogue.
  const catalogue = (): Promise<McpCatalogue> => {
    opening ??= open();
    return opening;
  };
  const search = async (): Promise<SkillSearch> => {
    const late = new AbortController();
    const loading = new SkillSearchError('BUSY', 'the skills are being loaded for the first time');
    const timer = setTimeout(() => late.abort(loading), FIRST_LOAD_TIME).unref();
    const opened = await untilAborted(catalogue(), late.signal).finally(() => clearTimeout(timer));
    return opened.search();
  };
  const onFirstAnswer = async (): Promise<void> => {
    log.open();
    try {
      await catalogue();
      await watch();
    } catch (error) {
      // Each call says it, too. The package may have been replaced under a process that runs.
      log.write('error', 'the catalogue cannot be served', { reason: (error as Error).message });
    }
  };
  try {
    const [sdk, { serveMcpOnStdio }] = await Promise.all([loadSdk(), import('../mcp/stdio.js')]);
    server = serveMcpOnStdio(sdk, search, {
      ...{ input: process.stdin, output: output.out, onRoots, onFirstAnswer },
      ...{ meaning, withoutMeaning: 'the server was started with --no-semantic' },
      // Folders of what comes from an address are those of another machine.
      localPaths: !isCatalogueAddress(here.place.database),
      onUnpublished: unpublishedLog((message, facts) => log.write('info', message, facts)),
      onError: (error) => log.write('error', 'a call failed', { reason: (error as Error).stack ?? String(error) }),
      onRefusal: (error) => log.write('warn', 'refused or failed', { reason: String(error) }),
    });
    const stop = (): void => void server?.close();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    await server.ended;
  } finally {
    stopWatch.abort();
    // What nobody has opened yet need not be.
    onRoots?.([]);
    const closing = opening?.then((opened) => opened.close()).catch(() => {});
    await Promise.all([closing, watching?.then((started) => started?.close())]);
    await log.close();
  }
}

/** Entries after which the log is opened: a client that is only refused gets no answer. */
const MOST_WAITING = 100;

/** The log of a server, whose package is imported after the first answer, or at the end. Entries wait until then. */
function lateLog(level: LogLevel, output: Output) {
  const { promise, resolve: open } = withResolvers<void>();
  let waiting = 0;
  const log = promise.then(() => import('./server-log.js')).then(({ ServerLog: Log }) => new Log(level, output));
  const add = (entry: (opened: ServerLog) => void): void => {
    waiting += 1;
    if (waiting > MOST_WAITING) open();
    void log.then(entry);
  };
  const write: WriteLog = (...line) => add((opened) => opened.write(...line));
  const close = async (): Promise<void> => {
    if (waiting === 0) return;
    open();
    (await log).close();
  };
  return { open: () => open(), add, write, close };
}
