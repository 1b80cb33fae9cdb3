import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FileOperation, readOperations, watchingArguments } from '../disk/file-operation.js';
import { CUTS, SimulatedDisk } from '../disk/simulated-disk.js';
import { runProgram, straceMissing } from '../disk/strace.js';
import { checkLeftBehind, type DisturbedLoad, DisturbedLoads, pathsIn, takeCopy } from '../loads.js';
import { oneOf, randomInteger } from '../random.js';
import type { Trial } from '../trial.js';

export const POWER_CUT: Trial = {
  name: 'power-cut',
  promise:
    'A power cut during a load leaves the old or the new catalogue, whole, whatever the disk did with what was not synced, and the next load ends as if nothing had happened.',
  missing: straceMissing,
  run: async ({ random, until, folder, say }) => {
    const loads = new DisturbedLoads(join(folder, 'loads'), 60);
    const watched = new Map<DisturbedLoad, Watched>();
    const left: Record<string, number> = { old: 0, new: 0 };
    let attempts = 0;
    do {
      const disturbed = await loads.one(random);
      let run = watched.get(disturbed);
      if (run === undefined) {
        run = await watch(disturbed, join(folder, disturbed.name));
        watched.set(disturbed, run);
      }
      const after = randomInteger(random, run.operations.length + 1);
      const how = oneOf(random, CUTS);
      const disk = new SimulatedDisk(disturbed.before);
      for (const operation of run.operations.slice(0, after))
        disk.apply(inFolder(operation, run.folder, disturbed.before));
      const cut = join(folder, 'cut');
      disk.cut(cut, how, random);
      try {
        const state = await checkLeftBehind(cut, disturbed);
        left[state] = left[state]! + 1;
      } catch (cause) {
        const { kind, path } = run.operations[after - 1] ?? { kind: 'nothing', path: '' };
        const where = `the load "${disturbed.name}", cut after ${after} operations (${kind} ${path}), the disk ${how}`;
        throw new Error(`${where}: ${(cause as Error).stack}`, { cause });
      }
      attempts += 1;
      if (attempts % 100 === 0) say(`${attempts} attempts`);
    } while (performance.now() < until);
    return { attempts, facts: { 'old catalogue': left['old']!, 'new catalogue': left['new']! } };
  },
};

interface Watched {
  readonly folder: string;
  readonly operations: readonly FileOperation[];
}

/** Runs a load undisturbed and notes what it asks of the disk. */
async function watch({ before, embeds }: DisturbedLoad, folder: string): Promise<Watched> {
  takeCopy(before, folder);
  mkdirSync(folder, { recursive: true });
  const { database, source } = pathsIn(folder);
  const output = `${folder}.strace`;
  const args = [database, source, ...(embeds ? ['embed'] : [])];
  const { status, errors } = await runProgram({ program: 'one-load', args, strace: watchingArguments(output) });
  if (status !== 0) throw new Error(`a load that nobody disturbed failed: ${errors}`);
  return { folder, operations: readOperations(readFileSync(output, 'latin1'), folder) };
}

/** An operation in another folder. */
function inFolder(operation: FileOperation, from: string, to: string): FileOperation {
  const moved = (path: string): string => (path.startsWith(from) ? to + path.slice(from.length) : path);
  const path = moved(operation.path);
  if (operation.kind === 'rename') return { ...operation, path, to: moved(operation.to) };
  return operation.kind === 'copy' ? { ...operation, path, from: moved(operation.from) } : { ...operation, path };
}
