import { checkRows } from '../core/index.js';
import { readRows, Turns } from '../sources/index.js';
import type { CatalogueReader } from '../store/index.js';
import { MemoryCatalogue } from '../store/index.js';
import { Ingest } from './ingest.js';
import type { RowProblems } from './load-report.js';

/** Rows after which the event loop gets a turn, even if they took no time. */
const ROWS_A_TURN = 1000;

/**
 * Loads rows into a catalogue in memory.
 *
 * @throws {SkillSearchError} `INVALID_OPTION` if they cannot be iterated
 * @throws the signal's reason when aborted
 */
export async function loadInMemory(
  skills: unknown,
  signal: AbortSignal | undefined,
): Promise<{
  readonly reader: CatalogueReader;
  readonly memory: MemoryCatalogue;
  readonly problems: RowProblems;
}> {
  const rows = checkRows(skills, 'skills');
  const memory = new MemoryCatalogue();
  try {
    const ingest = new Ingest(memory);
    const turns = new Turns(ROWS_A_TURN);
    for await (const item of readRows(rows, 'skills', { signal })) {
      const waiting = ingest.take(item, 'skills');
      if (waiting !== undefined) await waiting;
      if (turns.isDue()) await turns.take();
    }
    ingest.warnOfUnlisted();
    return { reader: memory.read(), memory, problems: { rejected: ingest.rejected, warnings: ingest.warnings } };
  } catch (error) {
    memory.close();
    throw error;
  }
}
