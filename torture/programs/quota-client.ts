/**
 * Asks a state file for admissions of one address until its quota of the day is used up, and says `admitted` for each.
 *
 *     node --import tsx torture/programs/quota-client.ts STATE DAILY ADDRESS
 */
import { writeSync } from 'node:fs';
import { openAccess } from '../../src/access/index.js';
import { SkillSearchError } from '../../src/index.js';

const [state = '', daily = '', address = ''] = process.argv.slice(2);
const access = openAccess({ state, anonymous: { daily: Number(daily), perMinute: 0 } });
for (;;) {
  try {
    access.admit(access.identify(undefined, address));
    say('admitted');
  } catch (error) {
    if (!(error instanceof SkillSearchError)) throw error;
    // The file was locked by others for too long: nothing was counted.
    if (error.code === 'DATABASE_NOT_READABLE') continue;
    if (error.code === 'DAILY_QUOTA_EXCEEDED') break;
    throw error;
  }
}
access.close();

/** Writes a line. Standard output is a pipe that does not block by itself. */
function say(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
