import { type Command, Option } from 'commander';
import type { StdioServer } from '../mcp/serve-stdio.js';
import { databaseOption, modelOption } from './common-options.js';
import { addInstalledOptions, type InstalledFlags } from './installed-option.js';
import type { InstalledLoad } from './load-installed.js';
import type { Output } from './output.js';
import type { LogLevel, ServerLog } from './server-log.js';
import type { SetUp } from './set-up.js';
import { type StopWordsFlags, stopWordsOf, stopWordsOption } from './stop-words-option.js';

interface McpFlags extends StopWordsFlags, InstalledFlags {
  readonly database: string;
  readonly model?: string;
  readonly semantic: boolean;
  readonly logLevel: LogLevel;
}

export const setUpMcp: SetUp = (command, output) => {
  command
    .addOption(databaseOption())
    .addOption(modelOption())
    .option('--no-semantic', 'search by words only; the model is never loaded')
    .addOption(stopWordsOption())
    .addOption(
      new Option('--log-level <level>', 'what is logged at least, on standard error')
        .choices(['info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .action((flags: McpFlags) => serveMcp(command, flags, output));
  addInstalledOptions(command);
};

async function serveMcp(command: Command, flags: McpFlags, output: Output): Promise<void> {
  const { model, semantic: meaning } = flags;
  const log = new LazyLog(flags.logLevel, output);
  const stopped = new AbortController();
  const { database, embed } = await catalogueOf(command, flags, log, stopped.signal);
  const stopWords = await stopWordsOf(flags);
  const [{ checkSdk, loadSdk }, { ThreadEngine }] = await Promise.all([
    import('../mcp/skills/load-sdk.js'),
    import('../mcp/thread-engine.js'),
  ]);
  checkSdk();
  const options = { meaning, withoutMeaning: 'the server was started with --no-semantic' };
  const engine = new ThreadEngine(
    { database, model, stopWords, options },
    { onChange: () => server?.catalogueChanged(), onLog: log.write },
  );
  let server: StdioServer | undefined;
  try {
    const [sdk, { serveMcpOnStdio }] = await Promise.all([loadSdk(), import('../mcp/serve-stdio.js')]);
    const onFirstAnswer = (): void => {
      log.open();
      // The model is loaded while the client reads its first answer.
      if (meaning)
        void embed().then((made) => setTimeout(() => void engine.warmUp(), made ? UNTIL_RELOADED : 0).unref());
    };
    server = serveMcpOnStdio(sdk, engine, {
      ...{ input: process.stdin, output: output.out, onFirstAnswer },
      onUnpublished: (skill, reason) => log.write('info', 'found but not published', { skill, reason }),
      onError: (error) => log.write('warn', 'refused or failed', { reason: String(error) }),
    });
    const stop = (): void => void server?.close();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    await server.ended;
  } finally {
    stopped.abort();
    await engine.close();
    await log.close();
  }
}

/** The catalogue that is served, and how its vectors are made once the server runs. */
async function catalogueOf(
  command: Command,
  flags: McpFlags,
  log: LazyLog,
  signal: AbortSignal,
): Promise<InstalledLoad> {
  // What loading needs is imported only where something is loaded.
  if (flags.installed !== true && flags.agent === undefined)
    return { database: flags.database, embed: async () => false };
  const { loadInstalled } = await import('./load-installed.js');
  return loadInstalled(command, flags, log.write, signal);
}

/** Milliseconds in which a changed catalogue is opened. */
const UNTIL_RELOADED = 1000;

/** Lines that wait for the first answer. */
const MOST_WAITING = 100;

type LogLine = Parameters<ServerLog['write']>;

/** The log of a server, whose package is imported after the first answer, or at the end. */
class LazyLog {
  readonly #level: LogLevel;
  readonly #output: Output;
  #log: Promise<ServerLog> | undefined;
  #waiting: LogLine[] = [];

  constructor(level: LogLevel, output: Output) {
    this.#level = level;
    this.#output = output;
  }

  readonly write = (...line: LogLine): void => {
    if (this.#log === undefined) this.#waiting.push(line);
    else void this.#log.then((log) => log.write(...line));
    // A client that is only refused gets no answer.
    if (this.#waiting.length > MOST_WAITING) this.open();
  };

  open(): Promise<ServerLog> {
    this.#log ??= import('./server-log.js').then(({ ServerLog: Log }) => {
      const log = new Log(this.#level, this.#output);
      for (const line of this.#waiting) log.write(...line);
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
