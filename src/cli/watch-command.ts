import { once } from 'node:events';
import { type Source, type WatchedChange, type WatchOptions, watchSources } from '../index.js';
import {
  addLoadOptions,
  addWatchOptions,
  chooseInstalled,
  type LoadFlags,
  loadOptionsOf,
  loadReportLines,
  rejectedLines,
  tellCatalogue,
  type WatchFlags,
  warningLines,
  watchOptionsOf,
} from './load-flags.js';
import { addSharedOptions, type CataloguePlace, placeOf, type SharedFlags, sharedOptionsOf } from './options.js';
import type { SetUp } from './output.js';
import { type Output, oneLine, printJsonLine, printLines, untilInterrupted } from './output.js';
import { LoadProgressBar } from './progress-bar.js';
import { counted } from './text-columns.js';

export const setUpWatch: SetUp = (command, output) => {
  command
    .argument('[source...]', '.jsonl, .jsonl.gz or .json file, or folder with SKILL.md files')
    .action(async (sources: string[], flags: LoadFlags & WatchFlags & SharedFlags) => {
      const { database, source } = await chooseInstalled(command, flags, tellCatalogue(output));
      const all = source === undefined ? sources : [...sources, source];
      if (all.length === 0) command.error("error: missing required argument 'source' (or --installed)");
      const shared = sharedOptionsOf(command, { ...flags, database });
      return watch(all, { ...flags, ...shared, database }, output);
    });
  addLoadOptions(command, 'the catalogue: a file, or postgres://user@host/database');
  addSharedOptions(command);
  addWatchOptions(command);
};

/** Loads sources, and whatever changes in them, until the command is interrupted. */
export async function watch(
  sources: readonly Source[],
  flags: LoadFlags & WatchFlags & CataloguePlace,
  output: Output,
): Promise<void> {
  const bar = new LoadProgressBar(output.error);
  const isJson = flags.json === true;
  let isFirst = true;
  const onChange = (change: WatchedChange): void => {
    bar.stop();
    if (isJson) printJsonLine(output, change);
    else printLines(output, isFirst ? loadReportLines(change.report) : changeLines(change));
    isFirst = false;
  };
  await untilInterrupted(async (signal) => {
    try {
      await using _ = await watchSources({
        ...loadOptionsOf(flags),
        ...watchOptionsOf(flags),
        ...placeOf(flags),
        // What else cannot be watched is refused.
        sources: sources as WatchOptions['sources'],
        signal,
        onProgress: (progress) => isFirst && bar.show(progress),
        onChange,
        onProblem: ({ message }) => output.error.write(`note: ${oneLine(message)}\n`),
      });
      output.error.write(`Watching ${counted(sources.length, 'source')}. Ctrl+C ends it.\n`);
      if (!signal.aborted) await once(signal, 'abort');
    } catch (error) {
      if (!signal.aborted || isFirst) throw error;
    } finally {
      bar.stop();
    }
  });
}

/** A change in one line, with what was wrong below. */
function changeLines({ kind, report, milliseconds }: WatchedChange): string[] {
  const time = new Date().toLocaleTimeString('en-GB');
  const counts = kind === 'words' ? (['added', 'updated', 'removed'] as const) : (['embedded', 'classified'] as const);
  const done = counts.flatMap((name) => (report[name] > 0 ? [`${report[name].toLocaleString('en')} ${name}`] : []));
  const line = `${time}  ${done.join(', ') || 'nothing changed'} (${(milliseconds / 1000).toFixed(1)} s)`;
  return [line, ...warningLines(report), ...rejectedLines(report)];
}
