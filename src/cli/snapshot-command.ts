import { type SnapshotReport, writeSnapshot } from '../index.js';
import { databaseOption, jsonOption, parsePath } from './common-options.js';
import { counted } from './counted.js';
import { type Output, printJson, printLines } from './output.js';
import type { SetUp } from './set-up.js';
import { oneLine } from './terminal-text.js';

interface SnapshotFlags {
  readonly database: string;
  readonly to: string;
  readonly prune?: true;
  readonly json?: true;
}

export const setUpSnapshot: SetUp = (command, output) => {
  command
    .addOption(databaseOption())
    .requiredOption('--to <folder>', 'the folder that a web server or bucket hands on', parsePath)
    .option('--prune', 'delete chunks that neither this snapshot nor the one before it uses')
    .addOption(jsonOption())
    .action((flags: SnapshotFlags) => snapshot(flags, output));
};

async function snapshot({ database, to, prune, json }: SnapshotFlags, output: Output): Promise<void> {
  const report = await writeSnapshot({ database, to, prune });
  if (json === true) printJson(output, report);
  else printLines(output, linesOf(report));
}

function linesOf({ manifest, bytes, chunks, written, writtenBytes, pruned }: SnapshotReport): readonly string[] {
  const lines = [
    `${oneLine(manifest)}: ${megabytes(bytes)} in ${counted(chunks, 'chunk')}, of which ${written} are new (${megabytes(writtenBytes)}).`,
  ];
  if (pruned > 0) lines.push(`Deleted ${counted(pruned, 'chunk')} that nothing uses.`);
  return lines;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
