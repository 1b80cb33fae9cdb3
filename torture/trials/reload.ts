import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ChildProgram } from '../child-program.js';
import type { ReloadOrder, ReloadReport } from '../programs/reloading.js';
import type { Trial, TrialContext } from '../trial.js';
import { randomInteger } from '../trial.js';

/** Reloads before memory is measured for the first time: until then caches fill. */
const FIRST = 20;
/** Reloads between two measurements. */
const STEP = 20;
/** Megabytes that the process may take more after a hundred reloads than after twenty: a state takes about ten. */
const MOST_GROWTH = 40;
/** Milliseconds from which on a part of the time is spent with the model of the library. */
const LONG = 60_000;

export const RELOAD: Trial = {
  name: 'reload',
  promise:
    'Each answer is of one state of the catalogue, however often it is reloaded; memory, open files and threads stay bounded, and a damaged new catalogue leaves the former one in use.',
  run: async (context) => {
    const now = performance.now();
    const isLong = context.until - now > LONG;
    const withStandIn = await follow(context, 'stand-in', isLong ? now + (context.until - now) / 2 : context.until);
    if (!isLong) return { attempts: withStandIn.reloads, facts: withStandIn.facts };
    const withModel = await follow(context, 'model', context.until);
    const ofModel = Object.entries(withModel.facts).map(([name, value]) => [`${name}, with the model`, value] as const);
    return {
      attempts: withStandIn.reloads + withModel.reloads,
      facts: { ...withStandIn.facts, ...Object.fromEntries(ofModel) },
    };
  },
};

async function follow(
  { folder, random, say }: TrialContext,
  embeds: 'stand-in' | 'model',
  until: number,
): Promise<{ readonly reloads: number; readonly facts: Readonly<Record<string, number>> }> {
  const own = join(folder, embeds);
  mkdirSync(own);
  const child = new ChildProgram('reloading', [own, embeds]);
  let [reloads, answers, damaged] = [0, 0, 0];
  let first: ReloadReport | undefined;
  let last: ReloadReport;
  try {
    do {
      const order: ReloadOrder = { reloads: reloads === 0 ? FIRST : STEP, seed: randomInteger(random, 2 ** 32) };
      last = await child.ask<ReloadReport>(order, 300_000);
      if (last.broken !== undefined) throw new Error(`after ${reloads} reloads, seed ${order.seed}: ${last.broken}`);
      reloads += order.reloads;
      answers += last.answers;
      damaged += last.damaged;
      first ??= last;
      check(first, last, reloads);
      if (reloads % 500 === 0) say(`${reloads} reloads, ${Math.round(last.megabytes)} MB`);
    } while (performance.now() < until || reloads < 3 * STEP);
  } finally {
    child.end();
  }
  const megabytes = { 'MB after 20': Math.round(first.megabytes), 'MB at the end': Math.round(last.megabytes) };
  return { reloads, facts: { answers, damaged, ...megabytes, files: last.files, threads: last.threads } };
}

function check(first: ReloadReport, last: ReloadReport, reloads: number): void {
  const compared = `after ${reloads} reloads, compared with after ${FIRST}`;
  const grown = Math.round(last.megabytes - first.megabytes);
  if (grown > MOST_GROWTH) throw new Error(`${grown} MB more ${compared}`);
  // A file that is just being closed may still be open.
  if (last.files > first.files + 3) throw new Error(`${last.files - first.files} open files more ${compared}`);
  if (last.threads > first.threads + 2) throw new Error(`${last.threads - first.threads} threads more ${compared}`);
}
