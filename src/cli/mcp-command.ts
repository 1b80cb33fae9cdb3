import { Option } from 'commander';
import type { ReloadEvent } from '../index.js';
import { databaseOption, modelOption } from './common-options.js';
import type { Output } from './output.js';
import type { LogLevel, ServerLog } from './server-log.js';
import type { SetUp } from './set-up.js';
import { type StopWordsFlags, stopWordsOf, stopWordsOption } from './stop-words-option.js';

interface McpFlags extends StopWordsFlags {
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
    .action((flags: McpFlags) => serveMcp(flags, output));
};

async function serveMcp(flags: McpFlags, output: Output): Promise<void> {
  const { database, model, semantic } = flags;
  // Together, because each is some hundred files, and a client waits.
  const [library, sdk, { FollowedCatalogue }, { serveMcpOnStdio }, { unpublishedLog }] = await Promise.all([
    import('../index.js'),
    import('../mcp/skills/load-sdk.js').then(({ loadSdk }) => loadSdk()),
    import('../mcp/followed-catalogue.js'),
    import('../mcp/serve-stdio.js'),
    import('../mcp/unpublished-log.js'),
  ]);
  const stopWords = await stopWordsOf(flags);
  const log = new LazyLog(flags.logLevel, output);
  const options = { database, model, stopWords };
  const catalogue = new FollowedCatalogue(
    (onReload: (event: ReloadEvent) => void) => library.followCatalogue({ ...options, onReload }),
    {
      onChange: () => server.catalogueChanged(),
      onFailure: (error) => log.write((to) => to.warn('the catalogue cannot be opened', { reason: messageOf(error) })),
      onReload: (event) => log.write((to) => to.onReload(event)),
    },
  );
  // The model is loaded while the client reads its first answer.
  const warmUp = async (): Promise<void> => {
    log.open();
    if (!semantic) return;
    await catalogue
      .search()
      .then((search) => search.warmUp())
      .then(
        () => log.write((to) => to.info('semantic search is ready')),
        (error) => log.write((to) => to.warn('semantic search is not available', { reason: messageOf(error) })),
      );
  };
  const server = serveMcpOnStdio(sdk, catalogue.search, {
    input: process.stdin,
    output: output.out,
    meaning: semantic,
    withoutMeaning: 'the server was started with --no-semantic',
    onFirstAnswer: () => void warmUp(),
    onUnpublished: unpublishedLog((message, facts) => log.write((to) => to.info(message, facts))),
    onError: (error) => log.write((to) => to.warn('refused or failed', { reason: messageOf(error) })),
  });
  const stop = (): void => void server.close();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  // Opens the catalogue while the client says hello.
  catalogue.search().catch(() => {});
  await server.ended;
  await catalogue.close();
  await log.close();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

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

  write(line: (log: ServerLog) => void): void {
    if (this.#log === undefined) this.#waiting.push(line);
    else void this.#log.then(line);
  }

  open(): Promise<ServerLog> {
    this.#log ??= import('./server-log.js').then(({ ServerLog: Log }) => {
      const log = new Log(this.#level, this.#output);
      for (const line of this.#waiting) line(log);
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
