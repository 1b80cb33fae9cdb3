import { dirname } from 'node:path';
import { type Command, Option } from 'commander';
import { makeFolder, type Surroundings } from '../core/index.js';
import type { BuildOptions, InstalledSource, LoadReport, Source, WatchOptions } from '../index.js';
import { surroundings } from '../sources/index.js';
import {
  addPlaceOptions,
  type CataloguePlace,
  collect,
  FILE_OR_POSTGRES,
  jsonOption,
  modelOption,
  type PlaceFlags,
  parseInteger,
  pick,
  placeOf,
} from './options.js';
import { type Output, oneLine } from './output.js';

/** Flags that are options of a load under the same names. */
const OF_FOLDERS = ['followLinks', 'author', 'codehostBase', 'skillUrlBase', 'gitSeconds'] as const;
const OF_ALL = ['contents', 'classify', 'model', 'maxUnpackedBytes', 'maxRatio', 'maxListedProblems'] as const;
type Same = (typeof OF_FOLDERS)[number] | (typeof OF_ALL)[number];

/** Flags of the commands that load. */
export interface LoadFlags extends InstalledFlags, WatchFlags, PlaceFlags, Pick<BuildOptions, Same> {
  readonly json?: true;
  /** False for `--no-git`. */
  readonly git: boolean;
  readonly semantic: boolean;
}

export function addLoadOptions(command: Command): Command {
  addPlaceOptions(command, FILE_OR_POSTGRES)
    .option('--follow-links', 'follow links in a folder that lead into another source of this load')
    .option('--author <name>', 'author of skills in folders that git tells nothing of')
    .option('--codehost-base <url>', 'their codehostUrl is this and their path')
    .option('--skill-url-base <url>', 'their skillUrl is this and their path')
    .option('--max-unpacked-bytes <n>', 'bytes that a file may have, unpacked; 0 for no limit', parseInteger)
    .option('--max-ratio <n>', 'times its size that a .gz file may unpack to; 0 for no limit', parseInteger)
    .option('--max-listed-problems <n>', 'warnings and rejected rows that are listed; 0 for no limit', parseInteger)
    .option('--no-git', 'ask git nothing: ids of skills in folders depend on the folder alone')
    .option('--git-seconds <n>', 'seconds that git may work on one source; 0 reads remotes only', parseInteger)
    .option('--no-contents', 'store what is searched only: skills loaded so cannot be given out as they are')
    .option('--classify', 'give skills without categories up to three, by their words and vectors')
    .option('--no-classify', 'delete such categories of earlier loads')
    .option('--no-semantic', 'make no vectors: skills loaded so are found by words only')
    .addOption(modelOption())
    .addOption(jsonOption());
  return addWatchOptions(addInstalledOptions(command));
}

/** The options of a load that these flags mean. Undefined where nothing is said: then less is an error. */
export function loadOptionsOf(flags: LoadFlags): Omit<BuildOptions, 'database' | 'sources'> {
  const [semantic, git] = [flags.semantic, flags.git].map((is) => (is ? undefined : (false as const)));
  return { ...pick(flags, ...OF_FOLDERS, ...OF_ALL), semantic, git };
}

/** Flags that say how sources are watched. */
export interface WatchFlags {
  readonly poll?: true;
  /** Milliseconds between two looks. */
  readonly pollInterval?: number;
}

/** Adds the options that say how sources are watched. */
export function addWatchOptions(command: Command): Command {
  return command
    .option('--poll', 'look at the watched files again and again: for network drives')
    .option('--poll-interval <ms>', 'milliseconds between two looks at files that are polled, at least', parseInteger);
}

/** The options of a watch that these flags mean. */
export function watchOptionsOf({ poll, pollInterval }: WatchFlags): Pick<WatchOptions, 'polling' | 'pollInterval'> {
  return { polling: poll, pollInterval };
}

/** Ends the command where a flag says how sources are watched that are not. */
export function refuseWatchFlags(command: Command, { poll, pollInterval }: WatchFlags): void {
  if (poll === undefined && pollInterval === undefined) return;
  command.error('error: --poll says how sources are watched: add --watch');
}

/** Flags of a command that can read the installed skills. */
export interface InstalledFlags {
  readonly installed?: true;
  readonly agent?: readonly string[];
}

/** Adds `--installed` and `--agent` to a command. */
export function addInstalledOptions(command: Command): Command {
  return command
    .option('--installed', "the skills that this machine's agents have, in this project and for you")
    .addOption(agentOption('with --installed: those of this agent only (repeatable)'));
}

/** The option that names agents. The library says which there are. */
export function agentOption(description: string): Option {
  return new Option('--agent <name>', description).argParser(collect);
}

/**
 * The catalogue of a command, and the source of installed skills that its flags name, if any. Ends the command where
 * they clash. Without `--database` the installed skills have catalogues of their own in the user's data folder, by
 * project: its folder is made.
 */
export async function chooseInstalled(
  command: Command,
  { installed, agent: agents, database }: InstalledFlags & Pick<PlaceFlags, 'database'>,
  of: Surroundings = surroundings(),
): Promise<{ readonly database: string; readonly source?: InstalledSource; readonly isOwn?: true }> {
  if (installed !== true) {
    if (agents !== undefined) command.error('error: --agent says whose installed skills are meant: add --installed');
    return { database };
  }
  if (command.getOptionValueSource('database') !== 'default') return { database, source: { installed: { agents } } };
  const { installedPlace } = await import('../sources/installed/find-folders.js');
  const { database: own, cwd, found } = await installedPlace(of, agents);
  makeFolder(dirname(own), { mode: 0o700, code: 'DATABASE_NOT_WRITABLE' });
  const source = { installed: { agents, cwd }, found };
  return { database: own, source, isOwn: true };
}

/** What a command loads, and where, which it tells if nobody has said it. Ends the command if that is nothing. */
export async function loadedSources(
  command: Command,
  named: readonly string[],
  flags: LoadFlags,
  { error }: Output,
): Promise<{ readonly place: CataloguePlace; readonly sources: readonly Source[] }> {
  const { database, source, isOwn } = await chooseInstalled(command, flags);
  if (isOwn === true) error.write(`Catalogue: ${oneLine(database)}\n`);
  const sources = source === undefined ? named : [...named, source];
  if (sources.length === 0) command.error("error: missing required argument 'source' (or --installed)");
  return { place: placeOf(command, { ...flags, database }), sources };
}

/** Rows and warnings that are listed; `--json` has all. */
const MAX_PRINTED = 20;

/** The report of a load. */
export function loadReportLines(report: LoadReport): string[] {
  const { embedded, classified } = report;
  return [
    ...(['added', 'updated', 'unchanged', 'removed'] as const).map((name) => countLine(name, report[name])),
    ...(embedded > 0 ? [countLine('embedded', embedded)] : []),
    ...(classified > 0 ? [countLine('classified', classified)] : []),
    ...[countLine('warnings', report.warningCount), ...problemLines(report.warnings, report.warningCount)],
    ...[countLine('rejected', report.rejectedCount), ...problemLines(report.rejected, report.rejectedCount)],
  ];
}

function countLine(name: string, count: number): string {
  return `${name.padEnd(10)}${count.toLocaleString('en').padStart(9)}`;
}

/**
 * The first warnings or rejected rows of a load.
 *
 * @param count of all of them, listed or not
 */
export function problemLines(problems: LoadReport['warnings'] | LoadReport['rejected'], count: number): string[] {
  const lines = problems.slice(0, MAX_PRINTED).map(({ origin, line, ...told }) => {
    const text = 'message' in told ? told.message : told.reason;
    return `  ${oneLine(`${origin}${line === undefined ? '' : `:${line}`}: ${text}`)}`;
  });
  const left = count - lines.length;
  const all = count === problems.length ? 'all of them' : `the first ${problems.length.toLocaleString('en')}`;
  return left > 0 ? [...lines, `  … and ${left.toLocaleString('en')} more (${all} with --json)`] : lines;
}
