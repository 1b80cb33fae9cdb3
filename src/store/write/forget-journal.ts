import { existsSync, rmSync } from 'node:fs';
import { openForReading } from '../database.js';

/**
 * Deletes the journal of a change that was killed, before another file takes the catalogue's place: SQLite finds a
 * journal by its name, and would play it back into that file. The journal of a catalogue that is there is played back
 * first, so that it is whole if the replacement never comes.
 *
 * @param catalogue which no change is written to now
 */
export function forgetJournal(catalogue: string): void {
  const journal = `${catalogue}-journal`;
  if (!existsSync(journal)) return;
  if (existsSync(catalogue)) {
    try {
      openForReading(catalogue).close();
    } catch {
      // What is no catalogue, or cannot be read, is replaced as it is.
    }
  }
  rmSync(journal, { force: true });
}
