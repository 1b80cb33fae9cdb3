import { buildCatalogue, type LoadReport, type Source } from '../index.js';
import {
  addLoadOptions,
  addWatchOptions,
  chooseInstalled,
  hasWatchFlags,
  type LoadFlags,
  loadOptionsOf,
  loadReportLines,
  tellCatalogue,
  type WatchFlags,
} from './load-flags.js';
import { addSharedOptions, type SharedFlags, sharedOptionsOf } from './options.js';
import type { SetUp } from './output.js';
import { type Output, printJson, printLines } from './output.js';
import { LoadProgressBar } from './progress-bar.js';
import { watch } from './watch-command.js';

interface OnceFlags extends LoadFlags, WatchFlags, SharedFlags {
  /** False for `--no-prune`; undefined if neither is given. */
  readonly prune?: boolean;
  readonly strict?: true;
  readonly watch?: true;
}

export const setUpLoad: SetUp = (command, output) => {
  command
    .argument('[source...]', '.jsonl, .jsonl.gz or .json file, folder with SKILL.md files, or - for standard input')
    .option('--prune', 'remove what came from these sources earlier and is no longer in them')
    .option('--no-prune', 'keep also what is no longer installed')
    .option('--strict', 'exit with 1 if any row was rejected; the others are loaded all the same')
    .option('--watch', 'go on: load whatever changes in the sources, until Ctrl+C; prunes')
    .action(async (sources: string[], flags: OnceFlags) => {
      const { database, source } = await chooseInstalled(command, flags, tellCatalogue(output));
      const all = source === undefined ? sources : [...sources, source];
      if (all.length === 0) command.error("error: missing required argument 'source' (or --installed)");
      const shared = sharedOptionsOf(command, { ...flags, database });
      const options = { ...flags, database };
      if (flags.watch !== true) {
        if (hasWatchFlags(flags)) command.error('error: --poll says how sources are watched: add --watch');
        return load(all, options, shared, output);
      }
      if (flags.prune === false) command.error('error: --no-prune cannot be used with --watch');
      if (flags.strict === true) command.error('error: --strict cannot be used with --watch');
      return watch(all, { ...options, ...shared }, output);
    });
  addLoadOptions(command, 'the catalogue: a file, or postgres://user@host/database');
  addSharedOptions(command);
  addWatchOptions(command);
};

async function load(
  sources: readonly Source[],
  flags: OnceFlags,
  shared: ReturnType<typeof sharedOptionsOf>,
  output: Output,
): Promise<void> {
  const bar = new LoadProgressBar(output.error);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('interrupted: run the same command again to continue from here'));
  process.once('SIGINT', interrupt);
  try {
    const { database, prune } = flags;
    const report = await buildCatalogue({
      ...loadOptionsOf(flags),
      ...shared,
      database,
      sources,
      prune,
      signal: stop.signal,
      onProgress: (progress) => bar.show(progress),
    });
    bar.stop();
    if (flags.json === true) printJson(output, report);
    else printLines(output, loadReportLines(report));
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
