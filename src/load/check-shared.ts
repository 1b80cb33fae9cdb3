import { isDamage } from '../core/index.js';
import type { SharedChanges, SharedState } from '../share/index.js';
import {
  type ConnectedCatalogue,
  type ConnectOptions,
  connectShared,
  findSharedFaults,
  holdNewestCopy,
  isSameState,
  type SharedFault,
} from '../share/index.js';
import { findProblems, repairedProblems } from './find-problems.js';
import type { CatalogueProblem, CheckReport } from './reports.js';

const REPAIR = 'check it with the option repair, which makes the local copy anew';

const REMEDIES: Readonly<Record<SharedFault['kind'], string>> = {
  database: 'restore the database from a backup, or load all sources into an empty one',
  copy: REPAIR,
  vector: `check on another machine: if that says the same, the database is damaged, and a backup helps; else ${REPAIR}`,
};

/** Why a copy is not compared with the database. The copy alone, and the database alone, are checked all the same. */
const BEHIND = {
  problem: 'it is behind the local copy, which was not compared with it, as a standby may be',
  remedy: 'check again later, or give the address of the primary',
};
const REPLACED = {
  problem: 'what has changed since the local copy was made is not known, so the two were not compared',
  remedy: 'check again',
};

type Found = Omit<CheckReport, 'repaired'>;

interface FoundInShared extends Found {
  /** That a damaged checkpoint is of. */
  readonly checkpoint: SharedState | undefined;
}

/**
 * The work of `checkCatalogue` for a catalogue in PostgreSQL: brings the local copy up to date, checks it as a file is
 * checked, and compares it with the database, which is compared with its own digests.
 */
export async function checkShared(
  options: ConnectOptions,
  { repair, signal }: { readonly repair: boolean; readonly signal: AbortSignal | undefined },
): Promise<CheckReport> {
  const connected = await connectShared({ ...options, isReader: !repair });
  try {
    const { checkpoint, ...found } = await findAll(connected, false, signal);
    // That the database has another state is nothing to repair.
    const outdated = found.outdated.filter(({ path }) => path !== connected.store.shown);
    const all = [...found.problems, ...outdated];
    if (!repair || all.length === 0) return { ...found, repaired: [] };
    if (checkpoint !== undefined) await connected.store.deleteCheckpoint(checkpoint);
    // Where the database alone is at fault, another copy would be no better.
    const isCopyAtFault = all.some(({ path }) => path !== connected.store.shown);
    const { checkpoint: _, ...left } = await findAll(connected, isCopyAtFault, signal);
    return { ...left, repaired: repairedProblems(all, left) };
  } finally {
    await connected.store.close();
  }
}

/** @param anew whether the copy is made anew before */
async function findAll(
  connected: ConnectedCatalogue,
  anew: boolean,
  signal: AbortSignal | undefined,
): Promise<FoundInShared> {
  const { store, copy } = connected;
  const broken = await store.checkpointFault(signal);
  const checkpoint: CatalogueProblem[] =
    broken === undefined
      ? []
      : [
          {
            part: 'checkpoint',
            path: store.shown,
            problem: broken.problem,
            remedy: 'check it with the option repair, which deletes it: the next load writes another',
          },
        ];
  const facts = { checkpoint: broken?.state };
  try {
    return await holdNewestCopy(connected, { signal, anew }, async (state) => {
      const own = await findProblems(copy.database, signal);
      const problems = own.problems.map((problem) => ({ ...problem, remedy: REPAIR }));
      const compared = await compare(connected, state, signal);
      const outdated = [...own.outdated.map((problem) => ({ ...problem, remedy: REPAIR })), ...compared.outdated];
      return { ...own, outdated, problems: [...problems, ...compared.problems, ...checkpoint], ...facts };
    });
  } catch (error) {
    if (!isDamage(error)) throw error;
    // No copy can be made of what is damaged. The rest is told all the same.
    const compared = await compare(connected, undefined, signal);
    const problems = [...compared.problems, ...checkpoint];
    if (problems.length === 0) throw error;
    return { skills: 0, vectors: 0, problems, outdated: [], ...facts };
  }
}

/** @param state of the copy, which nobody changes; undefined if there is none */
async function compare(
  { store, copy }: ConnectedCatalogue,
  state: SharedState | undefined,
  signal: AbortSignal | undefined,
): Promise<Pick<Found, 'problems' | 'outdated'>> {
  const work = async (shared: SharedChanges) => {
    const isBehind = state?.identity === shared.state.identity && shared.state.version < state.version;
    const path = state === undefined || isBehind ? undefined : copy.database;
    return { faults: await findSharedFaults(shared, path, signal), isBehind, there: shared.state };
  };
  const { faults, isBehind, there } = await store.withChangesSince(undefined, work, signal);
  const isMoved = state !== undefined && !isBehind && !isSameState(state, there);
  // Published since the copy was held. What has changed later still does no harm here.
  const changed = isMoved ? await changedSince(store, state, signal) : new Set<string>();
  const problems = faults
    .filter(({ kind, skill }) => kind === 'database' || changed?.has(skill) === false)
    .map(({ kind, skill, problem }) => ({
      part: 'skill' as const,
      path: kind === 'database' ? store.shown : copy.database,
      skill,
      problem: kind === 'database' ? `in the database ${problem}` : problem,
      remedy: REMEDIES[kind],
    }));
  const reason = isBehind ? BEHIND : changed === undefined ? REPLACED : undefined;
  return { problems, outdated: reason === undefined ? [] : [{ part: 'database', path: store.shown, ...reason }] };
}

/** @returns ids of the skills that are not as they were in a state; undefined if that is not known */
function changedSince(
  store: ConnectedCatalogue['store'],
  state: SharedState,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string> | undefined> {
  const work = async ({ isWhole, isBehind, changed, removed }: SharedChanges) =>
    isWhole || isBehind ? undefined : new Set([...changed, ...removed]);
  return store.withChangesSince(state, work, signal);
}
