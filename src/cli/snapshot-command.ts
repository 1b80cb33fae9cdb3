import { type SnapshotReport, writeSnapshot } from '../index.js';
import {
  addSharedOptions,
  databaseOption,
  jsonOption,
  parsePath,
  type SharedFlags,
  sayWaiting,
  sharedOptionsOf,
} from './options.js';
import type { SetUp } from './output.js';
import { type Output, oneLine, printJson, printLines, untilInterrupted } from './output.js';
import { counted } from './text-columns.js';

interface SnapshotFlags extends SharedFlags {
  readonly to: string;
  readonly prune?: true;
  readonly json?: true;
}

export const setUpSnapshot: SetUp = (command, output) => {
  command
    .addOption(databaseOption('the catalogue: a file, or postgres://user@host/database'))
    .requiredOption('--to <folder>', 'the folder that a web server or bucket hands on', parsePath)
    .option('--prune', 'delete chunks that neither this snapshot nor the one before it uses')
    .addOption(jsonOption())
    .action((flags: SnapshotFlags) => snapshot(flags, sharedOptionsOf(command, flags), output));
  addSharedOptions(command);
};

async function snapshot(
  { database, to, prune, json }: SnapshotFlags,
  shared: ReturnType<typeof sharedOptionsOf>,
  output: Output,
): Promise<void> {
  await untilInterrupted(async (signal) => {
    const report = await sayWaiting(database, output, writeSnapshot({ database, ...shared, to, prune, signal }));
    if (json === true) printJson(output, report);
    else printLines(output, linesOf(report));
  });
}

function linesOf({
  version,
  manifest,
  bytes,
  chunks,
  written,
  writtenBytes,
  pruned,
}: SnapshotReport): readonly string[] {
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
