import { Option } from 'commander';
import type { SkillSearch, SourceWatch, WatchOptions } from '../index.js';
import { checkSdk, loadSdk, type McpCatalogue, type StdioServer, unpublishedLog } from '../mcp/index.js';
import {
  addCatalogueOptions,
  type CataloguePlace,
  modelOption,
  placeOf,
  type StopWordsFlags,
  stopWordsOf,
  stopWordsOption,
  withPlace,
} from './options.js';
import type { Output, SetUp } from './output.js';
import type { LogLevel, ServerLog } from './server-log.js';
import { addServerWatchOptions, type ServerWatchFlags, watchedSourcesOf, watchForServer } from './server-watch.js';

interface McpFlags extends StopWordsFlags, ServerWatchFlags, CataloguePlace {
  readonly semantic: boolean;
  readonly logLevel: LogLevel;
}

export const setUpMcp: SetUp = (command, output) => {
  addCatalogueOptions(command)
    .addOption(modelOption())
    .option('--no-semantic', 'search by words only; the model is never loaded')
    .addOption(stopWordsOption())
    .addOption(
      new Option('--log-level <level>', 'what is logged at least, on standard error')
        .choices(['info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .action(async (flags: McpFlags) => {
      const { database, sources } = await watchedSourcesOf(command, flags);
      return serveMcp(withPlace(command, { ...flags, database }), sources, output);
    });
  addServerWatchOptions(command);
};

async function serveMcp(flags: McpFlags, sources: WatchOptions['sources'] | undefined, output: Output): Promise<void> {
  const { model, semantic: meaning } = flags;
  const log = new LazyLog(flags.logLevel, output);
  const stopWords = await stopWordsOf(flags);
  checkSdk();
  let server: StdioServer | undefined;
  let opening: Promise<McpCatalogue> | undefined;
  // The client gets its first answer before the catalogue is opened, unless that answer is of the catalogue.
  const catalogue = (): Promise<McpCatalogue> => {
    opening ??= import('../mcp/catalogue.js').then(({ openMcpCatalogue }) =>
      openMcpCatalogue({
        ...{ ...placeOf(flags), model, stopWords, meaning, log: log.write },
        onReload: (event) => log.add((ready) => ready.onReload(event)),
        onChange: () => server?.catalogueChanged(),
      }),
    );
    return opening;
  };
  const stopWatch = new AbortController();
  let watching: Promise<SourceWatch | undefined> | undefined;
  const watch = (): void => {
    if (sources === undefined) return;
    watching ??= watchForServer(sources, flags, stopWatch.signal, log.write).catch((error: Error) => {
      if (!stopWatch.signal.aborted) log.write('error', 'the sources are not watched', { reason: error.message });
      return undefined;
    });
  };
  try {
    const [sdk, { serveMcpOnStdio }] = await Promise.all([loadSdk(), import('../mcp/stdio.js')]);
    const onFirstAnswer = async (): Promise<void> => {
      log.open();
      watch();
      const opened = await catalogue();
      // The model is loaded while the client reads its first answer.
      if (meaning) void opened.warmUp();
    };
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

/** Entries that wait for the first answer. */
const MOST_WAITING = 100;

/** The log of a server, whose package is imported after the first answer, or at the end. */
class LazyLog {
  readonly #level: LogLevel;
  readonly #output: Output;
  #log: Promise<ServerLog> | undefined;
  #waiting: ((log: ServerLog) => void)[] = [];

  constructor(level: LogLevel, output: Output) {
    this.#level = level;
    this.#output = output;
  }

  readonly write = (...line: Parameters<ServerLog['write']>): void => this.add((log) => log.write(...line));

  add(entry: (log: ServerLog) => void): void {
    if (this.#log === undefined) this.#waiting.push(entry);
    else void this.#log.then(entry);
    // A client that is only refused gets no answer.
    if (this.#waiting.length > MOST_WAITING) this.open();
  }

  open(): Promise<ServerLog> {
    this.#log ??= import('./server-log.js').then(({ ServerLog: Log }) => {
      const log = new Log(this.#level, this.#output);
      for (const entry of this.#waiting) entry(log);
      this.#waiting = [];
      return log;
    });
    return this.#log;
  }

  async close(): Promise<void> {
    if (this.#log === undefined && this.#waiting.length === 0) return;
    (await this.open()).close();
  }
}
