import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { openAccess } from '../../src/access/index.js';
import type { Trial, TrialContext } from '../trial.js';

const PROGRAM = fileURLToPath(new URL('../programs/quota-client.ts', import.meta.url));
const ADDRESS = '192.0.2.1';

export const QUOTA_RACES: Trial = {
  name: 'quota-races',
  promise: 'However many processes share a state file and are killed, a quota of N admits N requests.',
  begin: async ({ random, folder }: TrialContext) => {
    const facts = { admitted: 0, killed: 0 };
    const attempt = async (number: number): Promise<undefined> => {
      const quota = 50 + Math.floor(random() * 400);
      const processes = 2 + Math.floor(random() * 3);
      // Each is killed when it has said so much; one is never killed, and uses up what is left.
      const kills = Array.from({ length: processes - 1 }, () => 1 + Math.floor(random() * quota));
      const state = join(folder, `${number}.db`);
      const counts = await Promise.all(
        [Number.POSITIVE_INFINITY, ...kills].map((kill) => askUntilRefused(state, quota, kill)),
      );
      const said = counts.reduce((sum, { said }) => sum + said, 0);
      const died = counts.filter(({ isKilled }) => isKilled).length;
      // Each process that was killed may have been admitted once without having said so.
      if (said > quota || said < quota - died) {
        throw new Error(`${said} of a quota of ${quota}, ${processes} processes, ${died} killed`);
      }
      if (isAdmitted(state, quota)) throw new Error(`one more than a quota of ${quota}`);
      facts.admitted += said;
      facts.killed += died;
    };
    return { facts, attempt };
  },
};

/** @param kill how many admissions the process may tell before it is killed */
async function askUntilRefused(
  state: string,
  quota: number,
  kill: number,
): Promise<{ said: number; isKilled: boolean }> {
  const words = ['--import', 'tsx', PROGRAM, state, String(quota), ADDRESS];
  const child: ChildProcessByStdio<null, Readable, null> = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let said = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'admitted') said += 1;
    if (said === kill) child.kill('SIGKILL');
  }
  const [status, signal] = await ended;
  if (status !== 0 && signal !== 'SIGKILL') throw new Error(`a process ended with ${status ?? signal}`);
  return { said, isKilled: signal === 'SIGKILL' };
}

function isAdmitted(state: string, daily: number): boolean {
  const access = openAccess({ state, anonymous: { daily, perMinute: 0 } });
  try {
    access.admit(access.identify(undefined, ADDRESS));
    return true;
  } catch {
    return false;
  } finally {
    access.close();
  }
}
