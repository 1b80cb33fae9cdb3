import { type SnapshotReport, writeSnapshot } from '../index.js';
import {
  addPlaceOptions,
  FILE_OR_POSTGRES,
  jsonOption,
  type PlaceFlags,
  parsePath,
  pick,
  placeOf,
  sayWaiting,
} from './options.js';
import { oneLine, printJson, printLines, untilInterrupted } from './output.js';
import type { SetUp } from './run.js';
import { counted } from './text-columns.js';

interface SnapshotFlags extends PlaceFlags {
  readonly to: string;
  readonly prune?: true;
  readonly json?: true;
}

export const setUp: SetUp = (command, output) => {
  addPlaceOptions(command, FILE_OR_POSTGRES)
    .requiredOption('--to <folder>', 'the folder that a web server or bucket hands on', parsePath)
    .option('--prune', 'delete chunks that neither this snapshot nor the one before it uses')
    .addOption(jsonOption())
    .action((flags: SnapshotFlags) => {
      const place = placeOf(command, flags);
      return untilInterrupted(async (signal) => {
        const writing = writeSnapshot({ ...place, ...pick(flags, 'to', 'prune'), signal });
        const report = await sayWaiting(place.database, output, writing);
        if (flags.json === true) printJson(output, report);
        else printLines(output, linesOf(report));
      });
    });
};

function linesOf(report: SnapshotReport): readonly string[] {
  const { version, manifest, bytes, chunks, written, writtenBytes, pruned } = report;
  const lines = [
    `${oneLine(manifest)}: ${megabytes(bytes)} in ${counted(chunks, 'chunk')}, of which ${written} are new (${megabytes(writtenBytes)}).`,
  ];
  if (version !== undefined) lines.push(`It is version ${version} of the catalogue.`);
  if (pruned > 0) lines.push(`Deleted ${counted(pruned, 'chunk')} that nothing uses.`);
  return lines;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
