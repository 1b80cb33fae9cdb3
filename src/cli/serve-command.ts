import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import { DEFAULT_ANONYMOUS_QUOTA, DEFAULT_KEY_QUOTA, type KeysAndQuotas } from '../access/index.js';
import { answerPrompts } from '../agents/index.js';
import { isCatalogueAddress, tellWhileWaiting } from '../core/index.js';
import {
  COMPATIBILITIES,
  type Compatibility,
  DEFAULT_HOST,
  DEFAULT_LIMITS,
  DEFAULT_PORT,
  type MetricsServer,
  openServerMetrics,
  type PublishRule,
  type RunningServer,
  type ServerOptions,
  startMetricsServer,
  startServer,
} from '../http/index.js';
import {
  DEFAULT_SHARED_INTERVAL,
  DEFAULT_SNAPSHOT_INTERVAL,
  followCatalogue,
  inspectModel,
  type SkillSearch,
  type WatchOptions,
} from '../index.js';
import { unpublishedLog } from '../mcp/index.js';
import {
  addPlaceOptions,
  addReadingOptions,
  type CataloguePlace,
  choiceOption,
  modelOption,
  parseInteger,
  pick,
  placeOf,
  type ReadingFlags,
  readingOf,
} from './options.js';
import { type Output, printLines } from './output.js';
import type { SetUp } from './run.js';
import { ServerLog } from './server-log.js';
import {
  addServerWatchOptions,
  LOG_LEVELS,
  type LogLevel,
  type ServerWatchFlags,
  watchedSourcesOf,
  watchForServer,
} from './server-watch.js';
import { addStateOptions, checkStateFlags, openState, type StateFlags } from './state-option.js';
import { counted } from './text-columns.js';

/** Limits that `startServer` has under the same names: what each counts. */
const LIMITS = {
  pagesPerMinute: 'pages a minute for each address',
  pageSearchesPerMinute: 'searches a minute on the search page for each address',
  findPerMinute: 'searches a minute of `npx skills find` for each address, with --compat',
  publishedPerMinute: 'requests a minute for what is published for each address',
  longestWait: 'seconds that a search may wait for others before it is refused as busy',
  connectionsPerAddress: 'open connections of each address',
  connectionsPerSecond: 'new connections a second of each address, ten times as many at once',
  requestsPerSecond: 'requests a second of each address, ten times as many at once',
} as const satisfies Record<keyof typeof DEFAULT_LIMITS, string>;
const LIMIT_NAMES = Object.keys(LIMITS) as (keyof typeof LIMITS)[];
/** Flags that are options of `startServer` under the same names. */
const SAME = ['host', 'port', 'publish', 'publicUrl', 'trustProxy', 'pages', 'mcp', 'cors'] as const;

interface ServeFlags
  extends Pick<ServerOptions, (typeof SAME)[number] | keyof typeof LIMITS>,
    StateFlags,
    ReadingFlags,
    ServerWatchFlags {
  readonly lookEvery?: number;
  readonly host: string;
  readonly anonymousDaily: number;
  readonly anonymousPerMinute: number;
  readonly keyDaily: number;
  readonly keyPerMinute: number;
  readonly stateConnections?: number;
  readonly allowAnonymousIfQuotaDbUnavailable?: true;
  readonly metricsPort?: number;
  readonly metricsHost: string;
  readonly compat?: Compatibility;
  readonly allLanguages?: true;
  readonly allowedHost?: readonly string[];
  readonly logLevel: LogLevel;
  readonly demo?: true;
}

export const setUp: SetUp = (command, output) => {
  const [anonymous, key] = [DEFAULT_ANONYMOUS_QUOTA, DEFAULT_KEY_QUOTA];
  addPlaceOptions(command)
    .option(
      '--look-every <seconds>',
      `how often to look for a newer state where --database is an address (default: ${DEFAULT_SNAPSHOT_INTERVAL / 1000} for a snapshot, ${DEFAULT_SHARED_INTERVAL / 1000} for PostgreSQL)`,
      parseInterval,
    )
    .option('--host <address>', 'address to listen at; 0.0.0.0 for all of this machine', DEFAULT_HOST)
    .option('--port <n>', 'port to listen at, 0 for one that is free', parsePort, DEFAULT_PORT);
  addStateOptions(command)
    .option('--state-connections <n>', 'connections to PostgreSQL at most (default: 4)', parseInteger)
    .option(
      '--allow-anonymous-if-quota-db-unavailable',
      'answer searches without a key also while PostgreSQL does not answer, counted by this server alone',
    )
    .option('--anonymous-daily <n>', 'requests a day without a key, 0 for no limit', parseInteger, anonymous.daily)
    .option('--anonymous-per-minute <n>', 'requests a minute without a key', parseInteger, anonymous.perMinute)
    .option('--key-daily <n>', 'requests a day with a key made without limits of its own', parseInteger, key.daily)
    .option('--key-per-minute <n>', 'requests a minute with such a key', parseInteger, key.perMinute)
    .addOption(publishOption());
  for (const name of LIMIT_NAMES) {
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    command.option(`--${flag} <n>`, `${LIMITS[name]}; 0 for no limit`, parseInteger, DEFAULT_LIMITS[name]);
  }
  command
    .option(
      '--trust-proxy <hops>',
      'whose X-Forwarded-For is believed: how many hops, or addresses and networks with commas between them',
      (value) => (/^\d+$/.test(value) ? Number(value) : parseList(value)),
    )
    .option('--metrics-port <n>', 'serve /metrics for Prometheus at this port; needs prom-client', parsePort)
    .option('--metrics-host <address>', 'where metrics are served', DEFAULT_HOST)
    .option('--public-url <url>', 'where clients reach the server, for links to its pages')
    .addOption(choiceOption('--compat <service>', 'add what clients of this service need', COMPATIBILITIES))
    .addOption(modelOption())
    .option(
      '--all-languages',
      'load the model for other languages at the start, not with the first question that needs it',
    );
  addReadingOptions(command)
    .option('--no-pages', 'serve the specified paths only: no pages for people, and no /openapi.json')
    .option('--mcp', 'serve also /mcp: the Model Context Protocol by Streamable HTTP')
    .option(
      '--allowed-host <names>',
      'names or addresses by which clients reach a server of this machine alone, of installed skills, or /mcp, beside localhost and those of --host and --public-url, with commas between them',
      parseList,
    )
    .option('--cors', 'let any web page read the answers, also of installed skills and at a loopback address')
    .addOption(choiceOption('--log-level <level>', 'what is logged at least', LOG_LEVELS).default('info'))
    .option('--demo', 'make a key for trying out, revoke the former one, and print commands to try')
    .action(async (given: ServeFlags) => {
      const { database, sources } = await watchedSourcesOf(command, given);
      const flags = { ...given, database };
      const place = placeOf(command, flags);
      if (!isCatalogueAddress(database) && flags.lookEvery !== undefined) {
        command.error('error: --look-every is for a catalogue that is no file: give its address as --database');
      }
      if (flags.metricsPort === undefined && command.getOptionValueSource('metricsHost') === 'cli') {
        command.error('error: --metrics-host is for metrics: give --metrics-port');
      }
      checkStateFlags(flags, stateOptionsOf(flags));
      return serve(flags, place, sources, output);
    });
  addServerWatchOptions(command);
};

function stateOptionsOf({ stateConnections: connections, allowAnonymousIfQuotaDbUnavailable }: ServeFlags) {
  return { connections, allowAnonymousIfQuotaDbUnavailable };
}

async function serve(
  flags: ServeFlags,
  place: CataloguePlace,
  sources: WatchOptions['sources'] | undefined,
  output: Output,
): Promise<void> {
  const { database, host, publicUrl, metricsPort } = flags;
  const log = new ServerLog(flags.logLevel, output);
  const stopping = stopController();
  const stop = stopping.signal;
  let access: KeysAndQuotas | undefined;
  let scraped: MetricsServer | undefined;
  let failure: unknown;
  // One that is not there would come to light with the first search by meaning.
  if (flags.model !== undefined) await inspectModel(flags.model);
  const watching =
    sources === undefined
      ? undefined
      : watchForServer(sources, flags, { signal: stop, thread: true, log: log.write }).catch((error: unknown) => {
          if (!stop.aborted) failure = error;
          stopping.abort();
          return undefined;
        });
  try {
    // Without a catalogue there is nothing to serve before the first load has ended.
    if (!isCatalogueAddress(database) && !existsSync(database)) await watching;
    const measured: { search?: SkillSearch; server?: RunningServer } = {};
    const metrics =
      metricsPort === undefined
        ? undefined
        : await openServerMetrics({ search: () => measured.search, server: () => measured.server });
    scraped = metrics && (await startMetricsServer(metrics, flags.metricsHost, metricsPort!));
    // The watch makes the first vectors after the first load: until then, that there are none is no fault.
    let awaitsVectors = sources !== undefined;
    const warmUpWithVectors = (opened: SkillSearch | undefined): void => {
      if (opened === undefined) return;
      awaitsVectors &&= opened.stats().vectors === 0;
      if (!awaitsVectors) warmUp(opened, flags.allLanguages === true, log, stop);
    };
    const follow = followCatalogue({
      ...{ ...place, model: flags.model, ...(await readingOf(flags)), signal: stop },
      snapshotInterval: flags.lookEvery === undefined ? undefined : flags.lookEvery * 1000,
      onReload: (event) => {
        log.onReload(event);
        metrics?.onReload(event);
        if (awaitsVectors) warmUpWithVectors(measured.search);
      },
    });
    await using search = await tellWhileWaiting(database, (line) => log.info(line), follow);
    measured.search = search;
    access = await openState(flags, {
      anonymous: { daily: flags.anonymousDaily, perMinute: flags.anonymousPerMinute },
      key: { daily: flags.keyDaily, perMinute: flags.keyPerMinute },
      ...stateOptionsOf(flags),
      onChange: log.onState,
    });
    const server = await startServer(search, {
      ...pick(flags, ...LIMIT_NAMES, ...SAME),
      ...{ access, compatibility: flags.compat, allowedHosts: flags.allowedHost },
      onUnpublished: unpublishedLog(log.info),
      log: (event) => {
        log.onEvent(event);
        metrics?.log(event);
      },
    });
    measured.server = server;
    const reload = (): void => void search.reload().catch(() => {});
    process.on('SIGHUP', reload);
    // A hook of this machine asks about a catalogue by the path of its file.
    const prompts = isCatalogueAddress(database) ? undefined : await answerPrompts(database, async () => search);
    try {
      const reached = publicUrl ?? server.url;
      const { skills, vectors } = search.stats();
      const without = awaitsVectors ? 'by word, until vectors are made' : 'by word only: the catalogue has no vectors';
      const by = vectors > 0 ? 'by word and by meaning' : without;
      printLines(output, [
        `Serving ${counted(skills, 'skill')} at ${server.url}, ${by}.`,
        ...(flags.mcp === true ? [`MCP is at ${reached}/mcp.`] : []),
        ...(scraped === undefined ? [] : [`Metrics are at ${scraped.url}.`]),
        ...(flags.publish === undefined ? [] : [`Skills are published: npx skills add ${reached}`]),
      ]);
      if (!/^(localhost|127\..*|::1)$/.test(host)) output.error.write(`${OPEN_TO_OTHERS}\n`);
      warmUpWithVectors(search);
      if (flags.demo === true) printLines(output, await demoLines(search, access, reached));
      if (!stop.aborted) await once(stop, 'abort');
      log.info('stopping');
    } finally {
      await prompts?.close();
      await server.close();
      process.off('SIGHUP', reload);
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    stopping.abort();
    await scraped?.close();
    await watching?.then((watch) => watch?.close());
    await access?.close();
    log.close();
  }
  if (failure !== undefined) throw failure;
}

/** Aborted by the first SIGTERM or SIGINT. The second ends the process at once. */
function stopController(): AbortController {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
    });
  }
  return stop;
}

const OPEN_TO_OTHERS =
  'Note: other machines can reach this address. Anyone on them can search, and API keys can be read in transit because this server speaks plain HTTP. Put a TLS proxy in front of it, or keep it in a network that you trust.';

/** Loads the model now. Otherwise the first semantic search loads it. Keyword search works meanwhile. */
function warmUp(search: SkillSearch, otherLanguages: boolean, log: ServerLog, stop: AbortSignal): void {
  search.warmUp({ otherLanguages }).then(
    () => log.info('semantic search is ready'),
    ({ message: reason }: Error) => stop.aborted || log.write('warn', 'semantic search is not available', { reason }),
  );
}

function parseInterval(value: string): number {
  const seconds = parseInteger(value);
  if (seconds < 1 || seconds > 86_400) throw new InvalidArgumentError('It must be from 1 to 86400.');
  return seconds;
}

function parsePort(value: string): number {
  const port = parseInteger(value);
  if (port > 65_535) throw new InvalidArgumentError('It must be at most 65535.');
  return port;
}

function parseList(value: string): readonly string[] {
  return value.split(',').map((one) => one.trim());
}

/** The name of demo keys; people give their keys other names. */
const NAME = 'serve --demo';

/** Words that most catalogues have. */
const WORDS = ['release notes', 'testing', 'test', 'data', 'code'];
const QUESTION = 'write up what changed since the last release';

/** Makes a key, revokes that of the last start, and returns commands to try for each kind of search. */
export async function demoLines(search: SkillSearch, access: KeysAndQuotas, url: string): Promise<string[]> {
  for (const { id, name, revokedAt } of await access.listKeys()) {
    if (name === NAME && revokedAt === undefined) await access.revokeKey(id);
  }
  const { key } = await access.createKey({ name: NAME });
  const q = WORDS.find((words) => search.keyword({ q: words, limit: 1 }).hits.length > 0) ?? 'skill';
  const category = search.keyword({ q, limit: 1 }).hits[0]?.skill.categories[0] ?? search.categories()[0]?.slug;
  const filter = category === undefined ? 'sortBy=stars' : `category=${category}&sortBy=stars`;
  const [keyword, semantic] = [`${url}/api/v1/skills/search`, `${url}/api/v1/skills/ai-search`];
  return [
    '',
    `API key for this demo: ${key}`,
    '(each start makes a new key and revokes the last one)',
    '',
    'Try in another terminal:',
    '',
    `curl "${keyword}?q=${encodeWords(q)}"`,
    `curl "${keyword}?q=${encodeWords(q)}&${filter}&limit=5"`,
    `curl -H "Authorization: Bearer ${key}" "${semantic}?q=${encodeWords(QUESTION)}"`,
    '',
  ];
}

function encodeWords(words: string): string {
  return encodeURIComponent(words).replaceAll('%20', '+');
}

/** Labels by which skills can be chosen. */
const LABELS = ['category', 'occupation', 'author', 'license', 'agent', 'scope'] as const;

/** `--publish`, which may be repeated. */
export function publishOption(): Option {
  const description =
    'publish skills for installers: all, folders (those without a repository), or LABEL:VALUE such as category:testing (repeatable)';
  return new Option('--publish <what>', description).argParser<PublishRule[]>((value, rules = []) => [
    ...rules,
    ruleOf(value),
  ]);
}

function ruleOf(value: string): PublishRule {
  if (value === 'all' || value === 'folders') return value;
  const colon = value.indexOf(':');
  const label = LABELS.find((one) => one === value.slice(0, colon));
  if (label === undefined || colon === value.length - 1) {
    throw new InvalidArgumentError(`It must be all, folders, or one of ${LABELS.join(', ')} with : and a value.`);
  }
  return { [label]: value.slice(colon + 1) };
}
