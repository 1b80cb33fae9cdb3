import { join } from 'node:path';
import { countCalls, killingAt, type ProgramCall, runProgram, straceMissing } from '../disk/strace.js';
import { callOf, checkLeftBehind, type DisturbedLoad, DisturbedLoads, takeCopy } from '../loads.js';
import { oneOf, randomInteger, type Trial } from '../trial.js';

/** System calls that change files. */
const CALLS = ['pwrite64', 'fsync', 'rename', 'unlink', 'ftruncate', 'copy_file_range', 'write'] as const;

export const LOAD_KILLS: Trial = {
  name: 'load-kills',
  promise:
    'A load that is killed, at a random moment or at any system call, leaves the old or the new catalogue, whole, and the next load ends as if nothing had happened.',
  begin: async ({ random, folder }) => {
    const loads = new DisturbedLoads(join(folder, 'loads'), 60);
    const undisturbed = new Map<DisturbedLoad, Promise<Undisturbed>>();
    const canTrace = straceMissing() === undefined;
    const facts = { 'old catalogue': 0, 'new catalogue': 0, 'killed at a system call': 0, 'ended before': 0 };
    const attempt = async (): Promise<undefined> => {
      const disturbed = await loads.one(random);
      const run = undisturbed.get(disturbed) ?? runUndisturbed(disturbed, join(folder, disturbed.name), canTrace);
      undisturbed.set(disturbed, run);
      const killed = join(folder, 'killed');
      takeCopy(disturbed.before, killed);
      const kills: string[] = [];
      for (let left = 1 + randomInteger(random, 2); left > 0; left--) {
        const { what, disturbance } = killOf(await run, random);
        const { signal, status, errors } = await runProgram({ ...callOf(disturbed, killed), ...disturbance });
        const isKilled = signal === 'SIGKILL';
        if (!isKilled && status !== 0) throw new Error(`${what}: status ${status}, ${errors}`);
        kills.push(isKilled ? what : `${what}, which came too late`);
        if (!isKilled) facts['ended before'] += 1;
        else if (disturbance.strace !== undefined) facts['killed at a system call'] += 1;
      }
      try {
        facts[`${await checkLeftBehind(killed, disturbed)} catalogue`] += 1;
      } catch (cause) {
        throw new Error(`the load "${disturbed.name}", ${kills.join(', then ')}: ${(cause as Error).stack}`, { cause });
      }
    };
    return { facts, attempt };
  },
};

/** How long a load takes that nobody disturbs, and how often it makes each system call; no calls without `strace`. */
interface Undisturbed {
  readonly milliseconds: number;
  readonly calls: readonly { readonly call: string; readonly count: number }[];
}

async function runUndisturbed(disturbed: DisturbedLoad, folder: string, canTrace: boolean): Promise<Undisturbed> {
  takeCopy(disturbed.before, folder);
  const began = performance.now();
  const call = callOf(disturbed, folder);
  if (canTrace) return { calls: await countCalls(call, CALLS, `${folder}.strace`), milliseconds: half(began) };
  await runProgram(call);
  return { calls: [], milliseconds: half(began) };
}

/** The start of the program is about as long as the load. */
function half(began: number): number {
  return (performance.now() - began) / 2;
}

function killOf(
  { milliseconds, calls }: Undisturbed,
  random: () => number,
): { readonly what: string; readonly disturbance: Pick<ProgramCall, 'strace' | 'killAfter'> } {
  if (calls.length === 0 || randomInteger(random, 5) === 0) {
    const killAfter = Math.floor(milliseconds * random());
    return { what: `killed after ${killAfter} ms`, disturbance: { killAfter } };
  }
  const { call, count } = oneOf(random, calls);
  // The last calls are the publishing: half of all kills hit these.
  const when =
    randomInteger(random, 2) === 0
      ? 1 + randomInteger(random, count)
      : count - randomInteger(random, Math.min(count, 12));
  return { what: `killed at ${call} number ${when}`, disturbance: { strace: killingAt(call, when) } };
}
