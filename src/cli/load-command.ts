import { buildCatalogue, type LoadReport, type Source } from '../index.js';
import {
  addLoadOptions,
  type LoadFlags,
  loadedSources,
  loadOptionsOf,
  loadReportLines,
  refuseWatchFlags,
} from './load-flags.js';
import type { CataloguePlace } from './options.js';
import { type Output, printJson, printLines } from './output.js';
import { LoadProgressBar } from './progress-bar.js';
import type { SetUp } from './run.js';
import { watch } from './watch-command.js';

interface OnceFlags extends LoadFlags {
  /** False for `--no-prune`; undefined if neither is given. */
  readonly prune?: boolean;
  readonly strict?: true;
  readonly watch?: true;
}

export const setUp: SetUp = (command, output) => {
  command
    .argument('[source...]', '.jsonl, .jsonl.gz or .json file, folder with SKILL.md files, or - for standard input')
    .option('--prune', 'remove what came from these sources earlier and is no longer in them')
    .option('--no-prune', 'keep also what is no longer installed')
    .option('--strict', 'exit with 1 if any row was rejected; the others are loaded all the same')
    .option('--watch', 'go on: load whatever changes in the sources, until Ctrl+C; prunes')
    .action(async (named: string[], flags: OnceFlags) => {
      const { place, sources } = await loadedSources(command, named, flags, output);
      if (flags.watch !== true) {
        refuseWatchFlags(command, flags);
        return load(sources, flags, place, output);
      }
      if (flags.prune === false) command.error('error: --no-prune cannot be used with --watch');
      if (flags.strict === true) command.error('error: --strict cannot be used with --watch');
      return watch(sources, flags, place, output);
    });
  addLoadOptions(command);
};

async function load(
  sources: readonly Source[],
  flags: OnceFlags,
  place: CataloguePlace,
  output: Output,
): Promise<void> {
  const bar = new LoadProgressBar(output.error);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new Error('interrupted: run the same command again to continue from here'));
  process.once('SIGINT', interrupt);
  try {
    const report = await buildCatalogue({
      ...loadOptionsOf(flags),
      ...place,
      ...{ sources, prune: flags.prune, signal: stop.signal },
      onProgress: (progress) => bar.showLoad(progress),
    });
    bar.stop();
    if (flags.json === true) printJson(output, report);
    else printLines(output, loadReportLines(report));
    refuseReport(report, flags.strict === true);
  } finally {
    bar.stop();
    process.off('SIGINT', interrupt);
  }
}

/** Ends the command with an error if a source failed, no row was good, or one was rejected and none may be. */
function refuseReport({ failed, rejectedCount, added, updated, unchanged }: LoadReport, strict: boolean): void {
  if (failed.length > 0) {
    const reasons = failed.map(({ origin, reason }) => `${origin}: ${reason}`).join('; ');
    throw new Error(`some sources could not be read to the end; what came before the failure is loaded: ${reasons}`);
  }
  if (rejectedCount === 0) return;
  if (added + updated + unchanged === 0) throw new Error('nothing was loaded: every row was rejected');
  if (strict) throw new Error('some rows were rejected (--strict); the others are loaded');
}
