import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAccess } from '../../src/access/index.js';
import { randomNumbers } from '../../src/evaluation/compare.js';
import { buildCatalogue } from '../../src/index.js';
import { CUTS, type FileOperation, readOperations, SimulatedDisk, watchingArguments } from '../disk/simulated-disk.js';
import { type ProgramCall, runProgram, straceMissing } from '../disk/strace.js';
import {
  askQuestions,
  callOf,
  checkLeftBehind,
  type DisturbedLoad,
  DisturbedLoads,
  pathsIn,
  takeCopy,
  textOf,
  trialRows,
} from '../loads.js';
import { oneOf, randomInteger, type Trial } from '../trial.js';

export const POWER_CUT: Trial = {
  name: 'power-cut',
  promise:
    'A power cut during a load or a copy leaves the old or the new catalogue, whole, whatever the disk did with what was not synced, and the next load ends as if nothing had happened. No key that was shown is lost.',
  missing: straceMissing,
  begin: async ({ random, folder }) => {
    const loads = new DisturbedLoads(join(folder, 'loads'), 60);
    const watched = new Map<string, Promise<Watched>>();
    const facts: Record<string, number> = { old: 0, new: 0, copies: 0, keys: 0 };
    const attempt = async (): Promise<undefined> => {
      const subject = await oneSubject(loads, join(folder, 'subjects'), random);
      const { name, before } = subject;
      const run = watched.get(name) ?? watch(subject, join(folder, name));
      watched.set(name, run);
      const { operations, folder: ranIn } = await run;
      const after = subject.onlyAtEnd ? operations.length : randomInteger(random, operations.length + 1);
      const how = oneOf(random, CUTS);
      const disk = new SimulatedDisk(before);
      for (const operation of operations.slice(0, after)) disk.apply(inFolder(operation, ranIn, before));
      const cut = join(folder, 'cut');
      disk.cut(cut, how, random);
      try {
        const state = await subject.check(cut);
        facts[state] = facts[state]! + 1;
      } catch (cause) {
        const { kind, path } = operations[after - 1] ?? { kind: 'nothing', path: '' };
        const where = `${name}, cut after ${after} operations (${kind} ${path}), the disk ${how}`;
        throw new Error(`${where}: ${(cause as Error).stack}`, { cause });
      }
    };
    return { facts, attempt };
  },
};

/** What a power cut may hit. */
interface Subject {
  readonly name: string;
  /** Folder of the files before. */
  readonly before: string;
  /** Whether the promise is about the time after the program has ended. */
  readonly onlyAtEnd?: boolean;
  readonly call: (folder: string) => ProgramCall;
  /** @returns what was found */
  readonly check: (folder: string) => Promise<string>;
}

async function oneSubject(loads: DisturbedLoads, folder: string, random: () => number): Promise<Subject> {
  const kind = randomInteger(random, 8);
  if (kind === 0) return keySubject(join(folder, 'keys'));
  const load = await loads.one(random);
  if (kind === 1 && load.oldContent !== undefined) return copySubject(load, join(folder, `copy-${load.name}`));
  return {
    name: load.name,
    before: load.before,
    call: (at) => callOf(load, at),
    check: (cut) => checkLeftBehind(cut, load),
  };
}

/** A copy of a catalogue over a smaller one. */
async function copySubject({ before, name, oldContent }: DisturbedLoad, folder: string): Promise<Subject> {
  const target = 'target.db';
  if (!existsSync(folder)) {
    takeCopy(before, folder);
    await buildCatalogue({
      database: join(folder, target),
      sources: [{ name: 'rows', rows: trialRows(randomNumbers(3), 5) }],
      semantic: false,
    });
  }
  const formerContent = textOf(join(folder, target));
  return {
    name: `copy-${name}`,
    before: folder,
    call: (at) => ({ args: ['copy', pathsIn(at).database, join(at, target)] }),
    check: async (cut) => {
      const content = textOf(join(cut, target));
      if (content !== oldContent && content !== formerContent) throw new Error('the copy is neither old nor new');
      await askQuestions(join(cut, target), false);
      return 'copies';
    },
  };
}

function keySubject(folder: string): Subject {
  const state = 'access.db';
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    const access = openAccess({ state: join(folder, state) });
    access.createKey();
    access.close();
  }
  return {
    name: 'keys',
    before: folder,
    onlyAtEnd: true,
    call: (at) => ({ args: ['key', join(at, state)] }),
    check: async (cut) => {
      const access = openAccess({ state: join(cut, state) });
      const [first, second] = access.listKeys();
      access.close();
      if (first?.revokedAt === undefined) throw new Error('a revoked key is accepted again');
      if (second === undefined) throw new Error('a key that was shown is lost');
      return 'keys';
    },
  };
}

interface Watched {
  readonly folder: string;
  readonly operations: readonly FileOperation[];
}

/** Runs a program undisturbed and notes what it asks of the disk. */
async function watch({ name, before, call }: Subject, folder: string): Promise<Watched> {
  takeCopy(before, folder);
  const output = `${folder}.strace`;
  const { status, signal, errors } = await runProgram({ ...call(folder), strace: watchingArguments(output) });
  const hasEnded = status === 0 || (name === 'keys' && signal === 'SIGKILL');
  if (!hasEnded) throw new Error(`${name}, which nobody disturbed, failed: ${errors}`);
  return { folder, operations: readOperations(readFileSync(output, 'latin1'), folder) };
}

/** An operation in another folder. */
function inFolder(operation: FileOperation, from: string, to: string): FileOperation {
  const moved = (path: string): string => (path.startsWith(from) ? to + path.slice(from.length) : path);
  const path = moved(operation.path);
  if (operation.kind === 'rename') return { ...operation, path, to: moved(operation.to) };
  return operation.kind === 'copy' ? { ...operation, path, from: moved(operation.from) } : { ...operation, path };
}
