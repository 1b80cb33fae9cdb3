/**
 * Asks a state file for admissions of one address until its quota of the day is used up, and says `admitted` for each.
 *
 *     node --import tsx torture/programs/quota-client.ts STATE DAILY ADDRESS
 */
import { openAccess } from '../../src/access/index.js';
import { SkillSearchError } from '../../src/index.js';
import { say } from '../trial.js';

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
