import { once } from 'node:events';
import { type Source, type WatchedChange, type WatchOptions, watchSources } from '../index.js';
import {
  addLoadOptions,
  type LoadFlags,
  loadedSources,
  loadOptionsOf,
  loadReportLines,
  problemLines,
  watchOptionsOf,
} from './load-flags.js';
import type { CataloguePlace } from './options.js';
import { type Output, oneLine, printJson, printLines, untilInterrupted } from './output.js';
import { LoadProgressBar } from './progress-bar.js';
import type { SetUp } from './run.js';
import { counted } from './text-columns.js';

export const setUp: SetUp = (command, output) => {
  command
    .argument('[source...]', '.jsonl, .jsonl.gz or .json file, or folder with SKILL.md files')
    .action(async (named: string[], flags: LoadFlags) => {
      const { place, sources } = await loadedSources(command, named, flags, output);
      return watch(sources, flags, place, output);
    });
  addLoadOptions(command);
};

/** Loads sources, and whatever changes in them, until the command is interrupted. */
export async function watch(
  sources: readonly Source[],
  flags: LoadFlags,
  place: CataloguePlace,
  output: Output,
): Promise<void> {
  const bar = new LoadProgressBar(output.error);
  let isFirst = true;
  const onChange = (change: WatchedChange): void => {
    bar.stop();
    if (flags.json === true) printJson(output, change, 0);
    else printLines(output, isFirst ? loadReportLines(change.report) : changeLines(change));
    isFirst = false;
  };
  await untilInterrupted(async (signal) => {
    try {
      await using _ = await watchSources({
        ...loadOptionsOf(flags),
        ...watchOptionsOf(flags),
        ...place,
        // What else cannot be watched is refused.
        sources: sources as WatchOptions['sources'],
        signal,
        onProgress: (progress) => isFirst && bar.showLoad(progress),
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
  const { warnings, warningCount, rejected, rejectedCount } = report;
  return [line, ...problemLines(warnings, warningCount), ...problemLines(rejected, rejectedCount)];
}
