import { ChildProgram } from '../child-program.js';
import type { ReloadOrder, ReloadReport } from '../programs/reloading.js';
import { randomInteger, type Trial } from '../trial.js';

/** Reloads between two measurements. The first is made after as many: until then caches fill. */
const STEP = 20;
/** Megabytes that the process may take more than after the first measurement: a revision takes about ten. */
const MOST_GROWTH = 40;

export const RELOAD: Trial = {
  name: 'reload',
  promise:
    'Each answer is of one revision of the catalogue, however often it is reloaded; memory, open files and threads stay bounded, and a damaged new catalogue leaves the former one in use.',
  begin: async ({ folder, random }) => {
    const child = new ChildProgram('reloading', [folder]);
    const facts = { answers: 0, damaged: 0, 'MB after 20': 0, 'MB at the end': 0, files: 0, threads: 0 };
    let first: ReloadReport | undefined;
    const attempt = async (number: number): Promise<number> => {
      const order: ReloadOrder = { reloads: STEP, seed: randomInteger(random, 2 ** 32) };
      const last = await child.ask<ReloadReport>(order, 300_000);
      if (last.broken !== undefined) throw new Error(`after ${number} reloads, seed ${order.seed}: ${last.broken}`);
      first ??= last;
      check(first, last, number + STEP);
      facts.answers += last.answers;
      facts.damaged += last.damaged;
      facts['MB after 20'] = Math.round(first.megabytes);
      facts['MB at the end'] = Math.round(last.megabytes);
      facts.files = last.files;
      facts.threads = last.threads;
      return STEP;
    };
    return { facts, attempt, end: () => child.end() };
  },
};

function check(first: ReloadReport, last: ReloadReport, reloads: number): void {
  const compared = `after ${reloads} reloads, compared with after ${STEP}`;
  const grown = Math.round(last.megabytes - first.megabytes);
  if (grown > MOST_GROWTH) throw new Error(`${grown} MB more ${compared}`);
  // A file that is just being closed may still be open.
  if (last.files > first.files + 3) throw new Error(`${last.files - first.files} open files more ${compared}`);
  if (last.threads > first.threads + 2) throw new Error(`${last.threads - first.threads} threads more ${compared}`);
}
