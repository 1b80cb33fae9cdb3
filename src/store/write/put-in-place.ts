import { renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncToDisk } from '../../core/index.js';
import { forgetJournal } from './forget-journal.js';

/**
 * Puts a finished file into a catalogue's place, so that it is there after a power cut. Readers that have the former
 * one open go on reading that.
 *
 * @param file without a journal, on the same file system. It is moved away
 */
export function putInPlace(catalogue: string, file: string): void {
  syncToDisk(file);
  forgetJournal(catalogue);
  renameSync(file, catalogue);
  syncToDisk(dirname(catalogue));
}
