/**
 * A program that asks a database for admission, for tests with several processes. It says `ready`, waits for a line,
 * and then asks with so many requests in flight at a time; it says `admitted` or the code of the refusal for each.
 *
 *     node --import tsx test/access/shared-access-process.ts ADDRESS CLIENT REQUESTS IN_FLIGHT DAILY
 */
import { once } from 'node:events';
import { connectAccess } from '../../src/access/index.js';
import { SkillSearchError } from '../../src/core/index.js';
import { say } from '../../torture/trial.js';

const [state = '', address = '', requests = '', inFlight = '', daily = ''] = process.argv.slice(2);

const access = await connectAccess({ state, anonymous: { daily: Number(daily), perMinute: 0 } });
say('ready');
await once(process.stdin, 'data');
let left = Number(requests);
await Promise.all(Array.from({ length: Number(inFlight) }, askOnAndOn));
say('done');
await access.close();
process.stdin.destroy();

async function askOnAndOn(): Promise<void> {
  while (left-- > 0) {
    try {
      await access.admit(await access.identify(undefined, address));
      say('admitted');
    } catch (error) {
      if (!(error instanceof SkillSearchError)) throw error;
      say(error.code);
    }
  }
}
