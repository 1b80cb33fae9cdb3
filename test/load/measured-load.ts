/**
 * A program that loads sources, each into a catalogue of its own, and prints a line of JSON about each: for tests and
 * trials that bound what a load takes.
 *
 *     node --import tsx test/load/measured-load.ts FOLDER OPTIONS SOURCE…
 *
 * FOLDER is for the catalogues, OPTIONS are those of `buildCatalogue`, as JSON.
 */
import { join } from 'node:path';
import { buildCatalogue } from '../../src/index.js';

/** What one load took. */
export interface MeasuredLoad {
  /** The most memory that the process has had so far. */
  readonly megabytes: number;
  /** Turns of the event loop during the load. */
  readonly turns: number;
  readonly added: number;
  readonly rejected: number;
  readonly warnings: number;
  /** Why sources broke. */
  readonly failed: readonly string[];
}

const [folder = '', options = '{}', ...sources] = process.argv.slice(2);

for (const [i, source] of sources.entries()) {
  let turns = 0;
  let isLoading = true;
  const beat = (): void => {
    turns += 1;
    if (isLoading) setImmediate(beat);
  };
  beat();
  const database = join(folder, `${i}.db`);
  const settings = JSON.parse(options) as object;
  const report = await buildCatalogue({ database, sources: [source], semantic: false, ...settings });
  isLoading = false;
  const measured: MeasuredLoad = {
    megabytes: Math.round(process.resourceUsage().maxRSS / 1024),
    turns,
    added: report.added,
    rejected: report.rejectedCount,
    warnings: report.warningCount,
    failed: report.failed.map(({ reason }) => reason),
  };
  process.stdout.write(`${JSON.stringify(measured)}\n`);
}
