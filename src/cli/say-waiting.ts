import { tellWhileWaiting } from '../core/index.js';
import type { Output } from './output.js';
import { oneLine } from './terminal-text.js';

/** Says on standard error what is waited for while work that needs the local copy of a catalogue takes long. */
export function sayWaiting<T>(database: unknown, { error }: Output, work: Promise<T>): Promise<T> {
  return tellWhileWaiting(database, (line) => void error.write(`${oneLine(line)}\n`), work);
}
