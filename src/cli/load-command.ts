import { buildCatalogue, type LoadReport, type Source } from '../index.js';
import { databaseOption, jsonOption, modelOption, parseInteger } from './common-options.js';
import { addInstalledOptions, type InstalledFlags, installedDatabase, installedSource } from './installed-option.js';
import { LoadProgressBar } from './load-progress-bar.js';
import { type Output, printJson, printLines } from './output.js';
import type { SetUp } from './set-up.js';
import { oneLine } from './terminal-text.js';

interface LoadFlags extends InstalledFlags {
  readonly database: string;
  readonly json?: true;
  /** False for `--no-prune`; undefined if neither is given. */
  readonly prune?: boolean;
  readonly strict?: true;
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

/** Rows and warnings that are listed; `--json` has all. */
const MAX_PRINTED = 20;

export const setUpLoad: SetUp = (command, output) => {
  command
    .argument('[source...]', '.jsonl, .jsonl.gz or .json file, folder with SKILL.md files, or - for standard input')
    .addOption(databaseOption())
    .option('--prune', 'remove what came from these sources earlier and is no longer in them')
    .option('--no-prune', 'keep also what is no longer installed')
    .option('--strict', 'exit with 1 if any row was rejected; the others are loaded all the same')
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
    .addOption(jsonOption())
    .action((sources: string[], flags: LoadFlags) => {
      const installed = installedSource(command, flags);
      const all = installed === undefined ? sources : [...sources, installed];
      if (all.length === 0) command.error("error: missing required argument 'source' (or --installed)");
      return load(all, { ...flags, database: installedDatabase(command, flags) }, output);
    });
  addInstalledOptions(command);
};

async function load(sources: readonly Source[], flags: LoadFlags, output: Output): Promise<void> {
  const bar = new LoadProgressBar(output.error);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('interrupted: run the same command again to continue from here'));
  process.once('SIGINT', interrupt);
  try {
    const { database, prune, followLinks, author, codehostBase, skillUrlBase, model } = flags;
    const { maxUnpackedBytes, maxRatio, maxListedProblems, gitSeconds } = flags;
    const git = flags.git ? undefined : false;
    // Undefined, not true: a missing model runtime is then a warning and not an error.
    const semantic = flags.semantic ? undefined : false;
    const defaults = { author, codehostBase, skillUrlBase };
    const report = await buildCatalogue({
      database,
      sources,
      prune,
      followLinks,
      semantic,
      model,
      ...defaults,
      maxUnpackedBytes,
      maxRatio,
      maxListedProblems,
      git,
      gitSeconds,
      contents: flags.contents,
      classify: flags.classify,
      signal: stop.signal,
      onProgress: (progress) => bar.show(progress),
    });
    bar.stop();
    if (flags.json === true) printJson(output, report);
    else printLines(output, reportLines(report));
    if (report.failed.length > 0) {
      const reasons = report.failed.map(({ origin, reason }) => `${origin}: ${reason}`).join('; ');
      throw new Error(`some sources could not be read to the end; what came before the failure is loaded: ${reasons}`);
    }
    refuseRejected(report, flags.strict === true);
  } finally {
    bar.stop();
    process.off('SIGINT', interrupt);
  }
}

/** Ends the command with an error if rows were rejected and no skill was found, or if none may be rejected. */
function refuseRejected({ rejectedCount, added, updated, unchanged }: LoadReport, strict: boolean): void {
  if (rejectedCount === 0) return;
  if (added + updated + unchanged === 0) throw new Error('nothing was loaded: every row was rejected');
  if (strict) throw new Error('some rows were rejected (--strict); the others are loaded');
}

function reportLines(report: LoadReport): string[] {
  const counts = ['added', 'updated', 'unchanged', 'removed'] as const;
  const lines = counts.map((name) => `${name.padEnd(10)}${report[name].toLocaleString('en').padStart(9)}`);
  if (report.embedded > 0) lines.push(`embedded  ${report.embedded.toLocaleString('en').padStart(9)}`);
  if (report.classified > 0) lines.push(`classified${report.classified.toLocaleString('en').padStart(9)}`);
  const { warnings, warningCount, rejected, rejectedCount } = report;
  lines.push(`warnings  ${warningCount.toLocaleString('en').padStart(9)}`);
  const told = warnings.map(({ origin, line, message }) => ({ origin, line, text: message }));
  lines.push(...problemLines(told, warningCount));
  lines.push(`rejected  ${rejectedCount.toLocaleString('en').padStart(9)}`);
  const reasons = rejected.map(({ origin, line, reason }) => ({ origin, line, text: reason }));
  lines.push(...problemLines(reasons, rejectedCount));
  return lines;
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
