import { dirname } from 'node:path';
import { type Command, Option } from 'commander';
import { makeFolder } from '../core/index.js';
import type { BuildOptions, InstalledSource, LoadReport, WatchOptions } from '../index.js';
import { surroundings } from '../sources/index.js';
import { databaseOption, jsonOption, modelOption, parseInteger } from './options.js';
import type { Output } from './output.js';
import { oneLine } from './output.js';

/** Flags of the commands that load. */
export interface LoadFlags extends InstalledFlags {
  readonly database: string;
  readonly json?: true;
  readonly followLinks?: true;
  readonly author?: string;
  readonly codehostBase?: string;
  readonly skillUrlBase?: string;
  readonly maxUnpackedBytes?: number;
  readonly maxRatio?: number;
  readonly maxListedProblems?: number;
  /** False for `--no-git`. */
  readonly git: boolean;
  readonly gitSeconds?: number;
  /** False for `--no-contents`. */
  readonly contents: boolean;
  readonly semantic: boolean;
  /** Undefined if neither `--classify` nor `--no-classify` is given. */
  readonly classify?: boolean;
  readonly model?: string;
}

/** @param database what the option of the catalogue says of itself */
export function addLoadOptions(command: Command, database?: string): void {
  command
    .addOption(databaseOption(database))
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
  addInstalledOptions(command);
}

/** The options of a load that these flags mean. */
export function loadOptionsOf(flags: LoadFlags): Omit<BuildOptions, 'database' | 'sources'> {
  const { followLinks, author, codehostBase, skillUrlBase, model, contents, classify } = flags;
  const { maxUnpackedBytes, maxRatio, maxListedProblems, gitSeconds } = flags;
  return {
    followLinks,
    // Undefined, not true: a missing model runtime is then a warning and not an error.
    semantic: flags.semantic ? undefined : false,
    model,
    author,
    codehostBase,
    skillUrlBase,
    maxUnpackedBytes,
    maxRatio,
    maxListedProblems,
    git: flags.git ? undefined : false,
    gitSeconds,
    contents,
    classify,
  };
}

/** Flags that say how sources are watched. */
export interface WatchFlags {
  readonly poll?: true;
  /** Milliseconds between two looks. */
  readonly pollInterval?: number;
}

/** Adds the options that say how sources are watched. */
export function addWatchOptions(command: Command): void {
  command
    .option('--poll', 'look at the watched files again and again: for network drives')
    .option('--poll-interval <ms>', 'milliseconds between two looks at files that are polled, at least', parseInteger);
}

/** The options of a watch that these flags mean. */
export function watchOptionsOf({ poll, pollInterval }: WatchFlags): Pick<WatchOptions, 'polling' | 'pollInterval'> {
  return { polling: poll, pollInterval };
}

/** Whether any of these flags is given. */
export function hasWatchFlags({ poll, pollInterval }: WatchFlags): boolean {
  return poll === true || pollInterval !== undefined;
}

/** Flags of a command that can read the installed skills. */
export interface InstalledFlags {
  readonly installed?: true;
  readonly agent?: readonly string[];
}

/** Adds `--installed` and `--agent` to a command. */
export function addInstalledOptions(command: Command): void {
  command
    .option('--installed', "the skills that this machine's agents have, in this project and for you")
    .addOption(agentOption('with --installed: those of this agent only (repeatable)'));
}

/** The option that names agents. The library says which there are. */
export function agentOption(description: string): Option {
  return new Option('--agent <name>', description).argParser((value: string, previous: readonly string[] = []) => [
    ...previous,
    value,
  ]);
}

/** What a command loads of the installed skills, and where. */
export interface InstalledChoice {
  readonly database: string;
  /** Undefined if they are not asked for. */
  readonly source: InstalledSource | undefined;
}

/**
 * The catalogue of a command, and the source that its flags name. Ends the command where they clash. Without
 * `--database` the installed skills have catalogues of their own in the user's data folder, by project: which one is
 * told, and its folder is made.
 *
 * @param command that was called with these flags
 * @param tell gets the path of such a catalogue
 */
export async function chooseInstalled(
  command: Command,
  { installed, agent: agents, database }: InstalledFlags & { readonly database: string },
  tell: (database: string) => void = () => {},
): Promise<InstalledChoice> {
  if (installed !== true) {
    if (agents !== undefined) command.error('error: --agent says whose installed skills are meant: add --installed');
    return { database, source: undefined };
  }
  if (command.getOptionValueSource('database') !== 'default') return { database, source: { installed: { agents } } };
  const { installedPlace } = await import('../sources/installed/find-folders.js');
  const place = await installedPlace(surroundings(), agents);
  makeFolder(dirname(place.database), { mode: 0o700, code: 'DATABASE_NOT_WRITABLE' });
  tell(place.database);
  const source = { installed: { agents, cwd: place.cwd }, found: place.found };
  return { database: place.database, source };
}

/** Tells on standard error where the installed skills have their catalogue. */
export function tellCatalogue({ error }: Output): (database: string) => void {
  return (database) => void error.write(`Catalogue: ${oneLine(database)}\n`);
}

/** Rows and warnings that are listed; `--json` has all. */
const MAX_PRINTED = 20;

const COUNTS = ['added', 'updated', 'unchanged', 'removed'] as const;

/** The report of a load. */
export function loadReportLines(report: LoadReport): string[] {
  const lines = COUNTS.map((name) => countLine(name, report[name]));
  if (report.embedded > 0) lines.push(countLine('embedded', report.embedded));
  if (report.classified > 0) lines.push(countLine('classified', report.classified));
  lines.push(countLine('warnings', report.warningCount), ...warningLines(report));
  lines.push(countLine('rejected', report.rejectedCount), ...rejectedLines(report));
  return lines;
}

function countLine(name: string, count: number): string {
  return `${name.padEnd(10)}${count.toLocaleString('en').padStart(9)}`;
}

/** The first warnings of a load. */
export function warningLines({ warnings, warningCount }: LoadReport): string[] {
  const told = warnings.map(({ origin, line, message }) => ({ origin, line, text: message }));
  return problemLines(told, warningCount);
}

/** The first rejected rows of a load. */
export function rejectedLines({ rejected, rejectedCount }: LoadReport): string[] {
  const told = rejected.map(({ origin, line, reason }) => ({ origin, line, text: reason }));
  return problemLines(told, rejectedCount);
}

interface Problem {
  readonly origin: string;
  readonly line: number | undefined;
  readonly text: string;
}

/** @param count of all problems, listed or not */
function problemLines(problems: readonly Problem[], count: number): string[] {
  const lines = problems
    .slice(0, MAX_PRINTED)
    .map(({ origin, line, text }) => `  ${oneLine(`${origin}${line === undefined ? '' : `:${line}`}: ${text}`)}`);
  const left = count - lines.length;
  const all = count === problems.length ? 'all of them' : `the first ${problems.length.toLocaleString('en')}`;
  return left > 0 ? [...lines, `  … and ${left.toLocaleString('en')} more (${all} with --json)`] : lines;
}
