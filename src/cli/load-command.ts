import { buildCatalogue, type LoadReport } from '../index.js';
import { databaseOption, jsonOption, modelOption } from './common-options.js';
import { LoadProgressBar } from './load-progress-bar.js';
import { type Output, printJson, printLines } from './output.js';
import type { SetUp } from './set-up.js';
import { oneLine } from './terminal-text.js';

interface LoadFlags {
  readonly database: string;
  readonly json?: true;
  readonly prune?: true;
  readonly strict?: true;
  readonly author?: string;
  readonly codehostBase?: string;
  readonly skillUrlBase?: string;
  readonly semantic: boolean;
  readonly model?: string;
}

/** Rows and warnings that are listed; `--json` has all. */
const MAX_PRINTED = 20;

export const setUpLoad: SetUp = (command, output) => {
  command
    .argument('<source...>', '.jsonl, .jsonl.gz or .json file, folder with SKILL.md files, or - for standard input')
    .addOption(databaseOption())
    .option('--prune', 'remove what came from these sources earlier and is no longer in them')
    .option('--strict', 'exit with 1 if any row was rejected; the others are loaded all the same')
    .option('--author <name>', 'author of skills in folders that git tells nothing of')
    .option('--codehost-base <url>', 'their codehostUrl is this and their path')
    .option('--skill-url-base <url>', 'their skillUrl is this and their path')
    .option('--no-semantic', 'make no vectors: skills loaded so are found by words only')
    .addOption(modelOption())
    .addOption(jsonOption())
    .action((sources: string[], flags: LoadFlags) => load(sources, flags, output));
};

async function load(sources: string[], flags: LoadFlags, output: Output): Promise<void> {
  const bar = new LoadProgressBar(output.error);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('interrupted: run the same command again to continue from here'));
  process.once('SIGINT', interrupt);
  try {
    const { database, prune, author, codehostBase, skillUrlBase, model } = flags;
    // Undefined, not true: a missing model runtime is then a warning and not an error.
    const semantic = flags.semantic ? undefined : false;
    const defaults = { author, codehostBase, skillUrlBase };
    const report = await buildCatalogue({
      database,
      sources,
      prune,
      semantic,
      model,
      ...defaults,
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
function refuseRejected({ rejected, added, updated, unchanged }: LoadReport, strict: boolean): void {
  if (rejected.length === 0) return;
  if (added + updated + unchanged === 0) throw new Error('nothing was loaded: every row was rejected');
  if (strict) throw new Error('some rows were rejected (--strict); the others are loaded');
}

function reportLines(report: LoadReport): string[] {
  const counts = ['added', 'updated', 'unchanged', 'removed'] as const;
  const lines = counts.map((name) => `${name.padEnd(10)}${report[name].toLocaleString('en').padStart(9)}`);
  if (report.embedded > 0) lines.push(`embedded  ${report.embedded.toLocaleString('en').padStart(9)}`);
  const { warnings, rejected } = report;
  lines.push(`warnings  ${warnings.length.toLocaleString('en').padStart(9)}`);
  lines.push(...problemLines(warnings.map(({ origin, line, message }) => ({ origin, line, text: message }))));
  lines.push(`rejected  ${rejected.length.toLocaleString('en').padStart(9)}`);
  lines.push(...problemLines(rejected.map(({ origin, line, reason }) => ({ origin, line, text: reason }))));
  return lines;
}

interface Problem {
  readonly origin: string;
  readonly line: number | undefined;
  readonly text: string;
}

function problemLines(problems: readonly Problem[]): string[] {
  const lines = problems
    .slice(0, MAX_PRINTED)
    .map(({ origin, line, text }) => `  ${oneLine(`${origin}${line === undefined ? '' : `:${line}`}: ${text}`)}`);
  const left = problems.length - MAX_PRINTED;
  return left > 0 ? [...lines, `  … and ${left.toLocaleString('en')} more (all of them with --json)`] : lines;
}
