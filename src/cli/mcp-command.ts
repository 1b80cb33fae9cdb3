import type { SkillSearch, SourceWatch, WatchOptions } from '../index.js';
import { checkSdk, loadSdk, type McpCatalogue, type StdioServer, unpublishedLog } from '../mcp/index.js';
import {
  addPlaceOptions,
  type CataloguePlace,
  choiceOption,
  modelOption,
  placeOf,
  type StopWordsFlags,
  stopWordsOf,
  stopWordsOption,
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

interface McpFlags extends StopWordsFlags, ServerWatchFlags {
  readonly semantic: boolean;
  readonly logLevel: LogLevel;
}

export const setUp: SetUp = (command, output) => {
  addPlaceOptions(command)
    .addOption(modelOption())
    .option('--no-semantic', 'search by words only; the model is never loaded')
    .addOption(stopWordsOption())
    .addOption(
      choiceOption('--log-level <level>', 'what is logged at least, on standard error', LOG_LEVELS).default('info'),
    )
    .action(async (given: McpFlags) => {
      const { database, sources } = await watchedSourcesOf(command, given);
      const flags = { ...given, database };
      return serveMcp(flags, placeOf(command, flags), sources, output);
    });
  addServerWatchOptions(command);
};

async function serveMcp(
  flags: McpFlags,
  place: CataloguePlace,
  sources: WatchOptions['sources'] | undefined,
  output: Output,
): Promise<void> {
  const { model, semantic: meaning } = flags;
  const log = lateLog(flags.logLevel, output);
  const stopWords = await stopWordsOf(flags);
  checkSdk();
  let server: StdioServer | undefined;
  let opening: Promise<McpCatalogue> | undefined;
  // The client gets its first answer before the catalogue is opened, unless that answer is of the catalogue.
  const catalogue = (): Promise<McpCatalogue> => {
    opening ??= import('../mcp/catalogue.js').then(({ openMcpCatalogue }) =>
      openMcpCatalogue({
        ...{ ...place, model, stopWords, meaning, log: log.write },
        onReload: (event) => log.add((opened) => opened.onReload(event)),
        onChange: () => server?.catalogueChanged(),
      }),
    );
    return opening;
  };
  const stopWatch = new AbortController();
  let watching: Promise<SourceWatch | undefined> | undefined;
  const onFirstAnswer = async (): Promise<void> => {
    log.open();
    if (sources !== undefined) {
      watching ??= watchForServer(sources, flags, stopWatch.signal, log.write).catch((error: Error) => {
        if (!stopWatch.signal.aborted) log.write('error', 'the sources are not watched', { reason: error.message });
        return undefined;
      });
    }
    const opened = await catalogue();
    // The model is loaded while the client reads its first answer.
    if (meaning) void opened.warmUp();
  };
  try {
    const [sdk, { serveMcpOnStdio }] = await Promise.all([loadSdk(), import('../mcp/stdio.js')]);
    const search = async (): Promise<SkillSearch> => (await catalogue()).search();
    server = serveMcpOnStdio(sdk, search, {
      ...{ input: process.stdin, output: output.out, onFirstAnswer },
      ...{ meaning, withoutMeaning: 'the server was started with --no-semantic' },
      onUnpublished: unpublishedLog((message, facts) => log.write('info', message, facts)),
      onError: (error) => log.write('error', 'a call failed', { reason: (error as Error).stack ?? String(error) }),
      onRefusal: (error) => log.write('warn', 'refused or failed', { reason: String(error) }),
    });
    const stop = (): void => void server?.close();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    await server.ended;
  } finally {
    stopWatch.abort();
    await Promise.all([opening?.then((opened) => opened.close()), watching?.then((started) => started?.close())]);
    await log.close();
  }
}

/** Entries after which the log is opened: a client that is only refused gets no answer. */
const MOST_WAITING = 100;

/** The log of a server, whose package is imported after the first answer, or at the end. Entries wait until then. */
function lateLog(level: LogLevel, output: Output) {
  let open = (): void => {};
  let waiting = 0;
  const log = new Promise<void>((resolve) => {
    open = resolve;
  })
    .then(() => import('./server-log.js'))
    .then(({ ServerLog: Log }) => new Log(level, output));
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
