import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { forgetJournal } from '../store/write/forget-journal.js';
import { syncToDisk } from '../sync-to-disk.js';

/** Puts a catalogue, without derived files, into the place of a copy, as a load does. */
export function replaceCopy(database: string, scratch: string): void {
  syncToDisk(scratch);
  forgetJournal(database);
  renameSync(scratch, database);
  syncToDisk(dirname(database));
}
