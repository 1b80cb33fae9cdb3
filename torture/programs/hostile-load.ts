/**
 * Loads one source after the other, each into a catalogue of its own, and tells what each took.
 *
 *     node --import tsx torture/programs/hostile-load.ts FOLDER
 */
import { join } from 'node:path';
import { buildCatalogue, openSkillSearch } from '../../src/index.js';
import { answerMessages } from '../child-program.js';

/** What one load took and told. */
export interface HostileLoad {
  /** The most memory of the process so far. */
  readonly megabytes: number;
  /** Turns of the event loop during the load. */
  readonly turns: number;
  readonly rows: number;
  readonly added: number;
  /** Everything that a reader of the catalogue or of the report can see. */
  readonly shown: string;
}

const [folder = ''] = process.argv.slice(2);
let loads = 0;

answerMessages(async (message): Promise<HostileLoad> => {
  const source = message as string;
  const database = join(folder, `${loads++}.db`);
  let turns = 0;
  let isLoading = true;
  const beat = (): void => {
    turns += 1;
    if (isLoading) setImmediate(beat);
  };
  beat();
  const report = await buildCatalogue({ database, sources: [source], semantic: false, maxListedProblems: 100 });
  isLoading = false;
  const search = await openSkillSearch({ database });
  try {
    const found = search.keyword({ q: 'skill', limit: 50 });
    return {
      megabytes: Math.round(process.resourceUsage().maxRSS / 1024),
      turns,
      rows: report.added + report.updated + report.unchanged + report.rejectedCount,
      added: report.added,
      shown: JSON.stringify([found, report.warnings, report.rejected, report.failed]),
    };
  } finally {
    search.close();
  }
});
