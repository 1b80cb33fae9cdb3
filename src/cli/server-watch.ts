import type { Command } from 'commander';
import { isCatalogueAddress, type Surroundings, surroundings, userCatalogue } from '../core/index.js';
import type { SourceWatch, WatchOptions } from '../index.js';
import {
  addInstalledOptions,
  addWatchOptions,
  chooseInstalled,
  type InstalledFlags,
  refuseWatchFlags,
  type WatchFlags,
  watchOptionsOf,
} from './load-flags.js';
import { type PlaceFlags, pick } from './options.js';

/** Flags of a server that loads its catalogue itself. */
export interface ServerWatchFlags extends WatchFlags, InstalledFlags, PlaceFlags {
  readonly model?: string;
  /** Undefined if the command has no such flag. */
  readonly semantic?: boolean;
  /** The sources; true if none is named. */
  readonly watch?: readonly string[] | true;
}

/** The lowest level that is logged; `silent` logs nothing. */
export const LOG_LEVELS = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Rejected rows of a load that are logged. */
const MAX_LOGGED = 20;

/** A log that a server writes. */
export type WriteLog = (
  level: 'info' | 'warn' | 'error',
  message: string,
  facts?: Readonly<Record<string, unknown>>,
) => void;

/** Adds the options that name sources to a server. */
export function addServerWatchOptions(command: Command): void {
  command.option('--watch [source...]', 'load these sources, and whatever changes in them while the server runs');
  addWatchOptions(addInstalledOptions(command));
}

/**
 * What the flags of a server say is to be watched, undefined for nothing, and where it is loaded. Installed skills
 * always are watched. Ends the command where flags clash.
 *
 * @param of as whose working folder's, if not the process's, skills are found that are installed
 */
export async function watchedSourcesOf(
  command: Command,
  flags: ServerWatchFlags,
  of?: Surroundings,
): Promise<{ readonly database: string; readonly sources: WatchOptions['sources'] | undefined }> {
  const { database, source: installed } = await chooseInstalled(command, flags, of);
  const named = flags.watch === true || flags.watch === undefined ? [] : flags.watch;
  const sources = installed === undefined ? named : [...named, installed];
  if (sources.length > 0 && isCatalogueAddress(database)) {
    command.error(
      'error: --watch and --installed load into a file: give the path of one as --database. A `skill-discovery watch` of its own loads into PostgreSQL',
    );
  }
  if (sources.length > 0) return { database, sources };
  if (flags.watch === true) command.error('error: --watch needs the sources to watch, or --installed');
  refuseWatchFlags(command, flags);
  return { database, sources: undefined };
}

/**
 * Loads the sources of a server into its catalogue, and whatever changes in them. The promise is kept when the first
 * load has ended.
 *
 * @param thread whether in a thread of its own: answers do not wait for loads then, and it takes 30 MB
 */
export async function watchForServer(
  sources: WatchOptions['sources'],
  flags: ServerWatchFlags,
  { signal, thread, log }: { readonly signal: AbortSignal; readonly thread: boolean; readonly log: WriteLog },
): Promise<SourceWatch> {
  const { watchSources } = await import('../index.js');
  return watchSources({
    ...{ sources, signal, thread, sharedModel: !thread, semantic: flags.semantic === false ? false : undefined },
    ...pick(flags, 'database', 'model'),
    // Most of what is installed as seen from a project is the user's.
    vectorsFrom: flags.installed === true ? userCatalogue(surroundings()) : undefined,
    ...watchOptionsOf(flags),
    onChange: ({ kind, report, milliseconds }) => {
      const { warningCount: warnings, rejectedCount: rejected } = report;
      const counts = { ...pick(report, 'added', 'updated', 'removed', 'embedded'), warnings, rejected };
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
