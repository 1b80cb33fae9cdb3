import { isDamage } from '../core/index.js';
import {
  type ConnectedCatalogue,
  type ConnectOptions,
  isSameRevision,
  type Revision,
  type SharedChanges,
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
  /** That a damaged snapshot is of. */
  readonly snapshot: Revision | undefined;
}

/**
 * The work of `checkCatalogue` for a catalogue in PostgreSQL: brings the replica up to date, checks it as a file is
 * checked, and compares it with the database, which is compared with its own digests.
 */
export async function checkShared(
  options: ConnectOptions,
  { repair, signal }: { readonly repair: boolean; readonly signal: AbortSignal | undefined },
): Promise<CheckReport> {
  const { connectShared } = await import('../share/shared-catalogue/replica.js');
  const connected = await connectShared({ ...options, isReader: !repair });
  try {
    const { snapshot, ...found } = await findAll(connected, false, signal);
    // That the database has another revision is nothing to repair.
    const outdated = found.outdated.filter(({ path }) => path !== connected.store.shown);
    const all = [...found.problems, ...outdated];
    if (!repair || all.length === 0) return { ...found, repaired: [] };
    if (snapshot !== undefined) await connected.store.snapshot.delete(snapshot);
    // Where the database alone is at fault, another replica would be no better.
    const isReplicaAtFault = all.some(({ path }) => path !== connected.store.shown);
    const { snapshot: _, ...left } = await findAll(connected, isReplicaAtFault, signal);
    return { ...left, repaired: repairedProblems(all, left) };
  } finally {
    await connected.store.close();
  }
}

/** @param fromNothing whether the replica is made again before */
async function findAll(
  connected: ConnectedCatalogue,
  fromNothing: boolean,
  signal: AbortSignal | undefined,
): Promise<FoundInShared> {
  const { store, replica } = connected;
  const broken = await store.snapshot.fault(signal);
  const remedy = 'check it with the option repair, which deletes it: the next load writes another';
  const ofSnapshot: CatalogueProblem[] =
    broken === undefined ? [] : [{ part: 'snapshot', path: store.shown, problem: broken.problem, remedy }];
  const facts = { snapshot: broken?.revision };
  try {
    return await replica.hold({ signal, fromNothing }, async (revision) => {
      const own = await findProblems(replica.database, signal);
      const problems = own.problems.map((problem) => ({ ...problem, remedy: REPAIR }));
      const compared = await compare(connected, revision, signal);
      const outdated = [...own.outdated.map((problem) => ({ ...problem, remedy: REPAIR })), ...compared.outdated];
      return { ...own, outdated, problems: [...problems, ...compared.problems, ...ofSnapshot], ...facts };
    });
  } catch (error) {
    if (!isDamage(error)) throw error;
    // No replica can be made of what is damaged. The rest is reported all the same.
    const problems = [...(await compare(connected, undefined, signal)).problems, ...ofSnapshot];
    if (problems.length === 0) throw error;
    return { skills: 0, vectors: 0, problems, outdated: [], ...facts };
  }
}

/** @param revision of the replica, which does not change meanwhile; undefined if there is none */
async function compare(
  { store, replica }: ConnectedCatalogue,
  revision: Revision | undefined,
  signal: AbortSignal | undefined,
): Promise<Pick<Found, 'problems' | 'outdated'>> {
  const { findSharedFaults } = await import('../share/shared-catalogue/shared-faults.js');
  const work = async (shared: SharedChanges) => {
    const there = shared.revision;
    const isBehind = revision?.identity === there.identity && there.version < revision.version;
    const path = revision === undefined || isBehind ? undefined : replica.database;
    return { faults: await findSharedFaults(shared, path, signal), isBehind, there };
  };
  const { faults, isBehind, there } = await store.withChangesSince(undefined, work, signal);
  const isMoved = revision !== undefined && !isBehind && !isSameRevision(revision, there);
  // Published since the replica was held. What has changed later still does no harm here.
  const changed = isMoved ? await changedSince(store, revision, signal) : new Set<string>();
  const problems = faults
    .filter(({ kind, skill }) => kind === 'database' || changed?.has(skill) === false)
    .map(({ kind, skill, problem }) => ({
      part: 'skill' as const,
      path: kind === 'database' ? store.shown : replica.database,
      skill,
      problem: kind === 'database' ? `in the database ${problem}` : problem,
      remedy: REMEDIES[kind],
    }));
  const reason = isBehind ? BEHIND : changed === undefined ? REPLACED : undefined;
  return { problems, outdated: reason === undefined ? [] : [{ part: 'database', path: store.shown, ...reason }] };
}

/** @returns ids of the skills that are not as they were in a revision; undefined if that is not known */
function changedSince(
  store: ConnectedCatalogue['store'],
  revision: Revision,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string> | undefined> {
  const work = async ({ isWhole, isBehind, changed, removed }: SharedChanges) =>
    isWhole || isBehind ? undefined : new Set([...changed, ...removed]);
  return store.withChangesSince(revision, work, signal);
}
