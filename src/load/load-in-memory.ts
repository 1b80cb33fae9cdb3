import { checkRows } from '../check-arguments.js';
import { readRows } from '../sources/rows/read-rows.js';
import type { CatalogueReader } from '../store/read/catalogue-reader.js';
import { MemoryCatalogue } from '../store/write/memory-catalogue.js';
import { Ingest } from './ingest.js';
import type { RowProblems } from './load-report.js';

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
    for await (const item of readRows(rows, 'skills', { signal })) ingest.take(item, 'skills');
    return { reader: memory.read(), memory, problems: { rejected: ingest.rejected, warnings: ingest.warnings } };
  } catch (error) {
    memory.close();
    throw error;
  }
}
