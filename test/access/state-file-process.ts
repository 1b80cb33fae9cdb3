/**
 * A program that works on a state file as it is told, for tests with several processes. It says `ready`, then reads an
 * order a line, `open PATH` or `count PATH`, and says `done` after each.
 *
 *     node --import tsx test/access/state-file-process.ts NOW CLIENT TIMES DAILY PER_MINUTE
 *
 * To count, it asks so many times whether an address may make a request, and says `admitted` or the code of the
 * refusal; times 0 means without end.
 */
import { createInterface } from 'node:readline';
import { openAccess } from '../../src/access/index.js';
import { SkillSearchError } from '../../src/core/index.js';
import { say } from '../../torture/trial.js';

const [now = '', client = '', times = '', daily = '', perMinute = ''] = process.argv.slice(2);

say('ready');
for await (const order of createInterface({ input: process.stdin })) {
  const [verb, state = ''] = order.split(' ');
  const access = openAccess({
    state,
    anonymous: { daily: Number(daily), perMinute: Number(perMinute) },
    now: () => Number(now),
  });
  if (verb === 'count') {
    const wanted = Number(times) || Number.POSITIVE_INFINITY;
    for (let i = 0; i < wanted; i++) say(attempt());
  }
  access.close();
  say('done');

  function attempt(): string {
    try {
      access.admit(access.identify(undefined, client));
      return 'admitted';
    } catch (error) {
      if (error instanceof SkillSearchError) return error.code;
      throw error;
    }
  }
}
