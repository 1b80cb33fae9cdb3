import { existsSync } from 'node:fs';
import { checkFlag, checkOptions, checkSignal, isDamage, namesOf } from '../core/index.js';
import {
  indexKeywords,
  indexVectors,
  isCurrentKeywordFile,
  isWholeKeywordFile,
  stampOfKeywordFile,
} from '../indexing/index.js';
import {
  areWholeVectorFiles,
  hashTexts,
  stampOfVectorFile,
  textsToEmbed,
  vectorFilesAreCurrent,
} from '../semantic/index.js';
import {
  type ConnectedCatalogue,
  isSameRevision,
  type Revision,
  type SharedChanges,
  type SharedFault,
} from '../share/index.js';
import type { SkillProperties } from '../skill.js';
import { filesBeside, isLoading, NEW_FILE, problemIn, readStamp } from '../store/index.js';
import { CatalogueCheck, copyKey, fieldsOf, type OpenLoad, publishRepair, structureFaults } from '../store/writing.js';
import type { CheckOptions } from './calls.js';
import { addressOf, SHARED_NAMES, type SharedAddress } from './catalogue-place.js';
import type { CatalogueProblem, CheckReport } from './reports.js';

const REPAIR = 'check it with the option repair';
const LOAD_AGAIN = 'load its source again';

/** States of a catalogue that are checked at most, if loads replace it meanwhile. */
const MOST_STATES = 4;

const CHECK_OPTIONS = namesOf<CheckOptions>({ database: true, ...SHARED_NAMES, repair: true, signal: true });

/** What a look at a catalogue finds. */
type Found = Omit<CheckReport, 'repaired'>;

/** The work of `checkCatalogue`. */
export async function checkAll(options: CheckOptions): Promise<CheckReport> {
  checkOptions(options, CHECK_OPTIONS);
  const { file, shared } = addressOf(options);
  checkFlag('repair', options.repair);
  const signal = checkSignal(options.signal);
  signal?.throwIfAborted();
  const mayRepair = options.repair === true;
  if (shared !== undefined) return checkShared(shared, mayRepair, signal);
  const found = await findProblems(file, signal);
  const all = [...found.problems, ...found.outdated];
  if (!mayRepair || all.length === 0) return { ...found, repaired: [] };
  await repair(file, signal);
  return withRepaired(all, await findProblems(file, signal));
}

/** With the problems of a former look that are not there any more. */
function withRepaired(before: readonly CatalogueProblem[], left: Found): CheckReport {
  const nameOf = ({ part, path, skill, problem }: CatalogueProblem): string =>
    JSON.stringify([part, path, skill, problem]);
  const isLeft = new Set([...left.problems, ...left.outdated].map(nameOf));
  return { ...left, repaired: before.filter((problem) => !isLeft.has(nameOf(problem))) };
}

/**
 * Makes again what can be derived. What cannot be repaired is left as it is: the next check tells it.
 *
 * @throws {SkillSearchError} `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`
 * @throws the signal's reason when aborted
 */
async function repair(path: string, signal: AbortSignal | undefined): Promise<void> {
  let repairing: OpenLoad | undefined;
  try {
    repairing = await publishRepair(path, signal);
    await indexKeywords(path, { signal });
    await indexVectors(path, { signal, onProgress: () => {} });
  } catch (error) {
    if (!isDamage(error)) throw error;
  } finally {
    repairing?.close();
  }
}

/**
 * Reads everything of a catalogue and its derived files; see `checkCatalogue`. If a load replaces the catalogue
 * meanwhile, the derived files belong to another state than was checked, so it begins again.
 */
async function findProblems(path: string, signal: AbortSignal | undefined): Promise<Found> {
  for (let states = 1; ; states++) {
    const { isReplaced, ...found } = await findInState(path, signal);
    if (!isReplaced || states === MOST_STATES) return found;
  }
}

/** @returns also whether derived files do not fit because the catalogue was replaced */
async function findInState(
  path: string,
  signal: AbortSignal | undefined,
): Promise<Found & { readonly isReplaced: boolean }> {
  const problems: CatalogueProblem[] = [];
  const add = (part: CatalogueProblem['part'], problem: string, remedy: string, skill?: string): unknown =>
    problems.push({ part, path, problem, remedy, ...(skill !== undefined && { skill }) });
  // First: nobody else could end what reads pages that lead in circles.
  const faults = await structureFaults(path, 'full', signal);
  const check = CatalogueCheck.open(path);
  try {
    for (const problem of faults) {
      add('database', `SQLite says: ${problem}`, /\bindex\b/.test(problem) ? REPAIR : NEW_FILE);
    }
    // What cannot be read to its end throws. What was found before is told all the same.
    try {
      for (const problem of check.contradictions()) add('database', problem, REPAIR);
      const found = await check.contents(signal, (row, files) => {
        const { name, description } = fieldsOf(row);
        if (copyKey(name, description) !== row.copyKey) return 'its key of copies does not follow from its text';
        const texts = textsToEmbed({
          name,
          description,
          properties: JSON.parse(row.properties) as SkillProperties,
          files,
        });
        const isOfText = hashTexts(texts).equals(row.textHash);
        return isOfText ? undefined : 'the hash of its text does not follow from its text';
      });
      for (const { id, fault } of found.skills) add('skill', fault, LOAD_AGAIN, id);
      for (const number of found.vectors) {
        const problem = `the vector ${number} is not as it was written, or has not unit length`;
        add('vectors', problem, `${REPAIR}, then load anything: that embeds again`);
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      add('database', problemIn(error), NEW_FILE);
    }
    const { outdated, isReplaced } = await checkDerived(path, check, problems);
    return { skills: check.skills, vectors: check.vectors, problems, outdated, isReplaced };
  } finally {
    check.close();
  }
}

/**
 * Reads the derived files completely.
 *
 * @param problems gets those of files that are missing or damaged
 */
async function checkDerived(
  path: string,
  { stamp, states, model }: CatalogueCheck,
  problems: CatalogueProblem[],
): Promise<{ readonly outdated: readonly CatalogueProblem[]; readonly isReplaced: boolean }> {
  const files = filesBeside(path);
  const wasLoading = isLoading(path);
  const unfit: (Pick<CatalogueProblem, 'part' | 'path'> & { readonly isWhole: boolean })[] = [];
  // After small changes, searches use the files of a former state, and what changed since.
  const orFormer = (found: string | undefined): string =>
    found !== undefined && states.includes(found) ? found : stamp;
  if (!(await isCurrentKeywordFile(path, orFormer(stampOfKeywordFile(path))))) {
    unfit.push({ part: 'keyword file', path: files.keyword, isWhole: await isWholeKeywordFile(path) });
  }
  const ofVectors = orFormer(stampOfVectorFile(files.vectors));
  if (model !== undefined && !(await vectorFilesAreCurrent({ files, stamp: ofVectors, model }))) {
    unfit.push({ part: 'vector files', path: files.vectors, isWhole: await areWholeVectorFiles(files) });
  }
  const isReplaced = unfit.length > 0 && readStamp(path) !== stamp;
  const isInMaking = wasLoading || isReplaced || isLoading(path);
  const outdated: CatalogueProblem[] = [];
  for (const { isWhole, ...file } of unfit) {
    if (isInMaking) {
      outdated.push({ ...file, problem: 'a load is making it', remedy: 'wait for the end of the load' });
    } else if (isWhole) {
      const problem = 'it belongs to another state of the catalogue, or to another version';
      outdated.push({ ...file, problem, remedy: `${REPAIR}, or load anything` });
    } else {
      const problem = existsSync(file.path) ? 'it is damaged, or of another version' : 'it is missing';
      problems.push({ ...file, problem, remedy: REPAIR });
    }
  }
  return { outdated, isReplaced };
}

const NEW_REPLICA = `${REPAIR}, which makes the local copy anew`;

const REMEDIES: Readonly<Record<SharedFault['kind'], string>> = {
  database: 'restore the database from a backup, or load all sources into an empty one',
  copy: NEW_REPLICA,
  vector: `check on another machine: if that says the same, the database is damaged, and a backup helps; else ${NEW_REPLICA}`,
};

/** Why a replica is not compared with the database. Each of the two is checked by itself all the same. */
const BEHIND = {
  problem: 'it is behind the local copy, which was not compared with it, as a standby may be',
  remedy: 'check again later, or give the address of the primary',
};
const CHANGED = {
  problem: 'it has changed since the local copy was read, so the two were not compared',
  remedy: 'check again',
};

/**
 * Brings the replica of a catalogue in PostgreSQL up to date, checks it as a file is checked, and compares it with the
 * database, which is compared with its own digests.
 */
async function checkShared(
  address: SharedAddress,
  mayRepair: boolean,
  signal: AbortSignal | undefined,
): Promise<CheckReport> {
  const { connectShared } = await import('../share/shared-catalogue/replica.js');
  const connected = await connectShared({ ...address, isReader: !mayRepair });
  const { store } = connected;
  try {
    const { broken, found } = await findInShared(connected, false, signal);
    // That the database has another revision is nothing to repair.
    const all = [...found.problems, ...found.outdated.filter(({ path }) => path !== store.shown)];
    if (!mayRepair || all.length === 0) return { ...found, repaired: [] };
    if (broken !== undefined) await store.snapshot.delete(broken);
    // Where the database alone is at fault, another replica would be no better.
    const isReplicaAtFault = all.some(({ path }) => path !== store.shown);
    return withRepaired(all, (await findInShared(connected, isReplicaAtFault, signal)).found);
  } finally {
    await store.close();
  }
}

/**
 * @param fromNothing whether the replica is made again before
 * @returns also which revision a damaged snapshot is of
 */
async function findInShared(
  connected: ConnectedCatalogue,
  fromNothing: boolean,
  signal: AbortSignal | undefined,
): Promise<{ readonly broken: Revision | undefined; readonly found: Found }> {
  const { store, replica } = connected;
  const broken = await store.snapshot.fault(signal);
  const remedy = `${REPAIR}, which deletes it: the next load writes another`;
  const ofSnapshot: CatalogueProblem[] =
    broken === undefined ? [] : [{ part: 'snapshot', path: store.shown, problem: broken.problem, remedy }];
  const withRemedy = (problem: CatalogueProblem): CatalogueProblem => ({ ...problem, remedy: NEW_REPLICA });
  const find = async (revision: Revision): Promise<Found> => {
    const own = await findProblems(replica.database, signal);
    const compared = await compare(connected, revision, signal);
    return {
      ...own,
      outdated: [...own.outdated.map(withRemedy), ...compared.outdated],
      problems: [...own.problems.map(withRemedy), ...compared.problems, ...ofSnapshot],
    };
  };
  const found = await replica.hold({ signal, fromNothing }, find).catch(async (error: unknown) => {
    if (!isDamage(error)) throw error;
    // No replica can be made of what is damaged. The rest is reported all the same.
    const problems = [...(await compare(connected, undefined, signal)).problems, ...ofSnapshot];
    if (problems.length === 0) throw error;
    return { skills: 0, vectors: 0, problems, outdated: [] };
  });
  return { broken: broken?.revision, found };
}

/** @param revision of the replica, which does not change meanwhile; undefined if there is none */
async function compare(
  { store, replica }: ConnectedCatalogue,
  revision: Revision | undefined,
  signal: AbortSignal | undefined,
): Promise<Pick<Found, 'problems' | 'outdated'>> {
  const { findSharedFaults } = await import('../share/shared-catalogue/shared-faults.js');
  const work = async (shared: SharedChanges): Promise<Pick<Found, 'problems' | 'outdated'>> => {
    const there = shared.revision;
    const isSame = revision !== undefined && isSameRevision(revision, there);
    const faults = await findSharedFaults(shared, isSame ? replica.database : undefined, signal);
    const problems = faults.map(({ kind, skill, problem }) => ({
      part: 'skill' as const,
      path: kind === 'database' ? store.shown : replica.database,
      skill,
      problem: kind === 'database' ? `in the database ${problem}` : problem,
      remedy: REMEDIES[kind],
    }));
    if (isSame || revision === undefined) return { problems, outdated: [] };
    const isBehind = revision.identity === there.identity && there.version < revision.version;
    return { problems, outdated: [{ part: 'database', path: store.shown, ...(isBehind ? BEHIND : CHANGED) }] };
  };
  return store.withChangesSince(undefined, work, signal);
}
