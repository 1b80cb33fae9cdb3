import { randomBytes } from 'node:crypto';

/** A random value that names a state of a catalogue. */
export function newStamp(): string {
  return randomBytes(16).toString('hex');
}
