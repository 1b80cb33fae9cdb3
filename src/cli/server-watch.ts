import type { Command } from 'commander';
import { isCatalogueAddress } from '../core/index.js';
import type { SourceWatch, WatchOptions } from '../index.js';
import {
  addInstalledOptions,
  addWatchOptions,
  chooseInstalled,
  hasWatchFlags,
  type InstalledFlags,
  type WatchFlags,
  watchOptionsOf,
} from './load-flags.js';

/** Flags of a server that loads its catalogue itself. */
export interface ServerWatchFlags extends WatchFlags, InstalledFlags {
  readonly database: string;
  readonly model?: string;
  /** Undefined if the command has no such flag. */
  readonly semantic?: boolean;
  /** The sources; true if none is named. */
  readonly watch?: readonly string[] | true;
}

/** What a server watches, and where it is loaded. */
export interface WatchedSources {
  readonly database: string;
  /** Undefined if it watches nothing. */
  readonly sources: WatchOptions['sources'] | undefined;
}

/** Rejected rows of a load that are logged. */
const MAX_LOGGED = 20;

/** A log that a server writes. */
export type WriteLog = (
  level: 'info' | 'warn' | 'error',
  message: string,
  facts: Readonly<Record<string, unknown>>,
) => void;

/** Adds the options that name sources to a server. */
export function addServerWatchOptions(command: Command): void {
  command.option('--watch [source...]', 'load these sources, and whatever changes in them while the server runs');
  addInstalledOptions(command);
  addWatchOptions(command);
}

/** What the flags of a server say is to be watched. Installed skills always are. Ends the command where they clash. */
export async function watchedSourcesOf(command: Command, flags: ServerWatchFlags): Promise<WatchedSources> {
  const { database, source: installed } = await chooseInstalled(command, flags);
  const named = flags.watch === true || flags.watch === undefined ? [] : flags.watch;
  const sources = installed === undefined ? named : [...named, installed];
  if (sources.length > 0 && isCatalogueAddress(database)) {
    command.error(
      'error: --watch and --installed load into a file: give the path of one as --database. A `skill-discovery watch` of its own loads into PostgreSQL',
    );
  }
  if (flags.watch === true && sources.length === 0) {
    command.error('error: --watch needs the sources to watch, or --installed');
  }
  if (sources.length === 0 && hasWatchFlags(flags)) {
    command.error('error: --poll says how sources are watched: add --watch');
  }
  return { database, sources: sources.length === 0 ? undefined : sources };
}

/**
 * Loads the sources of a server into its catalogue, and whatever changes in them, in a thread: answers do not wait for
 * loads. The promise is kept when the first load has ended.
 */
export async function watchForServer(
  sources: WatchOptions['sources'],
  flags: ServerWatchFlags,
  signal: AbortSignal,
  log: WriteLog,
): Promise<SourceWatch> {
  const { watchSources } = await import('../index.js');
  const { database, model, semantic } = flags;
  return watchSources({
    ...{ database, sources, model, signal, thread: true },
    ...watchOptionsOf(flags),
    semantic: semantic === false ? false : undefined,
    onChange: ({ kind, report, milliseconds }) => {
      const { added, updated, removed, embedded, warningCount: warnings, rejectedCount: rejected } = report;
      const counts = { added, updated, removed, embedded, warnings, rejected };
      log('info', 'sources loaded', { kind, ...counts, milliseconds: Math.round(milliseconds) });
      for (const { origin, reason } of report.rejected.slice(0, MAX_LOGGED))
        log('warn', 'a row was rejected', { origin, reason });
    },
    onProblem: ({ kind, message }) => {
      const level = kind === 'load-failed' || kind === 'ended' ? 'error' : kind === 'source-missing' ? 'warn' : 'info';
      log(level, 'the watch of the sources', { kind, reason: message });
    },
  });
}
