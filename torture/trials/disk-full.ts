import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openAccess } from '../../src/access/index.js';
import { SkillSearchError } from '../../src/index.js';
import { countCalls, type ProgramEnd, runProgram, straceMissing } from '../disk/strace.js';
import { callOf, checkLeftBehind, type DisturbedLoad, DisturbedLoads, takeCopy } from '../loads.js';
import { oneOf, randomInteger, type Trial } from '../trial.js';

/** System calls that a full or failing disk refuses, and how. */
const REFUSALS = [
  ['pwrite64', 'ENOSPC'],
  ['pwrite64', 'ENOSPC'],
  ['pwrite64', 'EIO'],
  ['fsync', 'EIO'],
  ['fsync', 'ENOSPC'],
  ['copy_file_range', 'ENOSPC'],
  ['ftruncate', 'ENOSPC'],
  ['rename', 'ENOSPC'],
] as const;

/** Files that only an index is written to. */
const INDEX_PARTS = ['skills.db.keyword-part', 'skills.db.vectors-part', 'skills.db.vectors-graph-part'];

export const DISK_FULL: Trial = {
  name: 'disk-full',
  promise:
    'A full disk, at whatever phase of a load, gives a coded error or a warning, leaves the old or the new catalogue, whole, and nothing that hinders the next load.',
  missing: straceMissing,
  begin: async ({ random, folder }) => {
    const loads = new DisturbedLoads(join(folder, 'loads'), 60);
    const calls = new Map<DisturbedLoad, ReturnType<typeof countCalls>>();
    const mounts = canMount();
    const facts = {
      'old catalogue': 0,
      'new catalogue': 0,
      refused: 0,
      warned: 0,
      unharmed: 0,
      'small disks': 0,
      'state files': 0,
    };
    const attempt = async (): Promise<undefined> => {
      if (mounts && randomInteger(random, 8) === 0) {
        fillUnderState(join(folder, 'state'), random);
        facts['state files'] += 1;
        return;
      }
      const disturbed = await loads.one(random);
      const full = join(folder, 'full');
      let what: string;
      let end: ProgramEnd;
      if (mounts && randomInteger(random, 3) === 0) {
        const kilobytes = sizeOf(disturbed.before) + 4 * randomInteger(random, 300);
        what = `on a disk of ${kilobytes} KB`;
        facts['small disks'] += 1;
        end = await onSmallDisk(full, kilobytes, disturbed);
      } else {
        const counts = calls.get(disturbed) ?? callsOf(disturbed, join(folder, disturbed.name));
        calls.set(disturbed, counts);
        const { how, strace } = refusalOf(await counts, full, random);
        what = how;
        takeCopy(disturbed.before, full);
        end = await runProgram({ ...callOf(disturbed, full), strace });
      }
      try {
        facts[outcomeOf(end)] += 1;
        facts[`${await checkLeftBehind(full, disturbed)} catalogue`] += 1;
      } catch (cause) {
        throw new Error(`the load "${disturbed.name}", ${what}: ${(cause as Error).stack}`, { cause });
      } finally {
        if (mounts) spawnSync('umount', [full]);
      }
    };
    return { facts, attempt };
  },
};

function canMount(): boolean {
  return process.getuid?.() === 0 && spawnSync('mount', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** Kilobytes of the files of a folder. */
function sizeOf(folder: string): number {
  const bytes = readdirSync(folder).reduce((sum, name) => sum + Math.ceil(statSync(join(folder, name)).size / 4096), 0);
  return 4 * (bytes + 2);
}

/** Runs the load on a disk that may be too small, and enlarges the disk afterwards. */
async function onSmallDisk(folder: string, kilobytes: number, disturbed: DisturbedLoad): Promise<ProgramEnd> {
  mkdirSync(folder, { recursive: true });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder]);
  if (mounted.status !== 0) throw new Error(`no small disk: ${mounted.stderr}`);
  for (const name of readdirSync(disturbed.before)) spawnSync('cp', [join(disturbed.before, name), folder]);
  const end = await runProgram({ ...callOf(disturbed, folder), env: { SQLITE_TMPDIR: folder } });
  spawnSync('mount', ['-o', 'remount,size=64m', folder]);
  return end;
}

/** Fills the disk of a state file while it is in use, and makes room again. */
function fillUnderState(folder: string, random: () => number): void {
  mkdirSync(folder, { recursive: true });
  const mounted = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${160 + 4 * randomInteger(random, 30)}k`,
    'tmpfs',
    folder,
  ]);
  if (mounted.status !== 0) throw new Error(`no small disk: ${mounted.stderr}`);
  try {
    const access = openAccess({ state: join(folder, 'access.db') });
    let kept = 1;
    access.createKey();
    spawnSync('dd', ['if=/dev/zero', `of=${join(folder, 'filler')}`, 'bs=4k']);
    for (let i = 0; i < 200; i++) {
      try {
        access.createKey();
        kept += 1;
      } catch (error) {
        if (!(error instanceof SkillSearchError) || error.code !== 'DATABASE_NOT_WRITABLE') throw error;
      }
    }
    rmSync(join(folder, 'filler'));
    access.createKey();
    const keys = access.listKeys().length;
    access.close();
    if (keys !== kept + 1) throw new Error(`the state file has ${keys} keys, not ${kept + 1}`);
  } finally {
    spawnSync('umount', [folder]);
  }
}

function callsOf(disturbed: DisturbedLoad, folder: string): ReturnType<typeof countCalls> {
  takeCopy(disturbed.before, folder);
  return countCalls(callOf(disturbed, folder), [...new Set(REFUSALS.map(([call]) => call))], `${folder}.strace`);
}

/** Refuses one call, or all from one on. */
function refusalOf(
  counts: Awaited<ReturnType<typeof countCalls>>,
  folder: string,
  random: () => number,
): { readonly how: string; readonly strace: readonly string[] } {
  if (randomInteger(random, 4) === 0) {
    const part = oneOf(random, INDEX_PARTS);
    const when = 1 + randomInteger(random, 8);
    const call = oneOf(random, ['write', 'write', 'fsync', 'rename']);
    const strace = ['-o', '/dev/null', '-P', join(folder, part), '-e', `inject=${call}:error=ENOSPC:when=${when}+`];
    return { how: `${call} of ${part} refused from number ${when} on`, strace };
  }
  const [call, error] = oneOf(random, REFUSALS);
  const { count = 0 } = counts.find((one) => one.call === call) ?? {};
  const when = 1 + randomInteger(random, count + 1);
  const on = oneOf(random, ['+', '+', '']);
  const strace = ['-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:error=${error}:when=${when}${on}`];
  return { how: `${call} refused with ${error} at number ${when}${on}`, strace };
}

function outcomeOf({ status, signal, output, errors }: ProgramEnd): 'refused' | 'warned' | 'unharmed' {
  if (status !== 0) throw new Error(`the load ended by ${signal ?? `status ${status}`}: ${errors}`);
  const { code, warnings } = JSON.parse(output) as { code?: string; warnings?: readonly unknown[] };
  if (code === undefined) return warnings?.length === 0 ? 'unharmed' : 'warned';
  if (code !== 'DATABASE_NOT_WRITABLE') throw new Error(`the load failed with ${code}`);
  return 'refused';
}
