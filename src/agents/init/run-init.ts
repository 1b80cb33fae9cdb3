import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  backUp,
  backupPathFor,
  type ConfigFile,
  clearUnfinished,
  deleteConfigFile,
  isUnchanged,
  makeFolder,
  nearestName,
  orUndefined,
  SkillSearchError,
  type Surroundings,
  userCatalogue,
  writeConfigFile,
} from '../../core/index.js';
import { AGENT_HOSTS, type AgentEntry, type AgentHost, isInstalled, type Program } from './agent-hosts.js';
import { lacksVectors, ownsCatalogue, projectCataloguesOf, removeCatalogue } from './catalogue-files.js';
import { type InitRecord, removeEmptyFolders, type WrittenFile } from './init-record.js';
import { type AgentPlan, type PlannedFile, planAgent, planRemoval, refusal } from './plan-agent.js';

/** What a run of `init` is asked to do. */
export interface InitTask {
  readonly of: Surroundings;
  readonly program: Program;
  readonly record: InitRecord;
  /** Names of agents. Undefined: all that are found, or, to undo, all that are in the record. */
  readonly agents: readonly string[] | undefined;
  /** What is written. All is undone, whatever this says. */
  readonly parts: readonly AgentEntry['part'][];
  /** Whether to undo what earlier runs did. */
  readonly isRemoval: boolean;
  /** Makes the catalogue, or brings it up to date. */
  readonly buildCatalogue: () => Promise<unknown>;
  readonly now: () => Date;
}

/** What happens to a catalogue. `keep`: it stays although the rest is undone, because it has other skills. */
export interface CataloguePlan {
  readonly database: string;
  readonly action: 'build' | 'present' | 'remove' | 'keep';
}

/** All that a run is going to do. */
export interface InitPlan {
  readonly agents: readonly AgentPlan[];
  readonly catalogues: readonly CataloguePlan[];
}

/** Whoever decides what of a plan is carried out. */
export interface Dialogue {
  /** @param isAgain whether files have changed since a plan was shown */
  show(plan: InitPlan, isAgain: boolean): void;
  /** @returns the agents whose changes are written; undefined to write nothing */
  choose(plan: InitPlan): Promise<readonly string[] | undefined>;
}

export interface InitResult extends InitPlan {
  /** Whether anything was to be done. */
  readonly hadWork: boolean;
  /** Whether it was done. */
  readonly isDone: boolean;
  /** Copies of configurations as they were. */
  readonly backups: readonly string[];
  /** What could not be written or undone, or was changed since and stays: where, and why. */
  readonly left: readonly string[];
}

/** How often a file may change under a run before it gives up. */
const MOST_PLANS = 5;

/**
 * Plans, shows, asks, and writes. A file that changes after it was read is planned and shown again.
 *
 * @throws {SkillSearchError} `INVALID_OPTION` for an unknown agent, or if none is named and none is found
 * @throws {Error} if files keep changing
 */
export async function runInit(task: InitTask, dialogue: Dialogue): Promise<InitResult> {
  const result = await planAndWrite(task, dialogue);
  const left = result.agents.flatMap(({ faults, entries }) => {
    const kept = entries.filter(({ action }) => task.isRemoval && action === 'kept');
    return [...faults, ...kept.map(({ file, place, reason }) => `${file}: ${place}: ${reason}`)];
  });
  return { ...result, left };
}

async function planAndWrite(task: InitTask, dialogue: Dialogue): Promise<Omit<InitResult, 'left'>> {
  const backups: string[] = [];
  let first: InitPlan | undefined;
  let chosen: readonly string[] | undefined;
  let isBuilt = false;
  for (let round = 0; round < MOST_PLANS; round++) {
    const plan = (task.isRemoval ? planUndoing : planWriting)(task, chosen ?? task.agents);
    first ??= plan;
    const hadWork = hasWork(first);
    if (!hasWork(plan)) {
      const faulty = plan.agents.filter(({ faults }) => faults.length > 0);
      return { ...first, agents: withThose(first.agents, faulty), hadWork, isDone: round > 0, backups };
    }
    dialogue.show(plan, round > 0);
    chosen = await dialogue.choose(plan);
    if (chosen === undefined) return { ...first, hadWork, isDone: false, backups };
    const isChosen = ({ agent }: AgentPlan): boolean => chosen!.includes(agent);
    const agents = plan.agents.filter(isChosen);
    const done = await task.record.whileLocked(async (isChanged) => {
      // What another run has written meanwhile is planned with.
      if (isChanged) return undefined;
      if (!task.isRemoval && !isBuilt) await buildCatalogue(task);
      isBuilt = true;
      const applied = agents.map((one) => applyPlan(one, task.record, task.now()));
      backups.push(...applied.flatMap((one) => one.backups));
      if (applied.some(({ isStale }) => isStale)) return undefined;
      if (task.isRemoval) removeCatalogues(task);
      return agents.map((one, i) => withFaults(one, applied[i]!.faults));
    });
    if (done === undefined) continue;
    return { ...plan, agents: withThose(first.agents.filter(isChosen), done), hadWork, isDone: true, backups };
  }
  throw new Error('other programs keep writing to the configurations: end them and run this again');
}

/** What was planned first, with what became of some agents. */
function withThose(planned: readonly AgentPlan[], others: readonly AgentPlan[]): readonly AgentPlan[] {
  return planned.map((one) => others.find(({ agent }) => agent === one.agent) ?? one);
}

function withFaults(plan: AgentPlan, faults: readonly FileFault[]): AgentPlan {
  if (faults.length === 0) return plan;
  const entries = plan.entries.map((entry) => {
    const fault = faults.find(({ file }) => file === entry.file);
    return fault === undefined ? entry : { ...refusal(entry.part, entry.file, fault.reason), place: entry.place };
  });
  const told = faults.map(({ file, reason }) => `${file}: ${reason}`);
  return { ...plan, entries, notes: [], faults: [...plan.faults, ...told] };
}

function planWriting(task: InitTask, names: readonly string[] | undefined): InitPlan {
  const { of, program, record, parts } = task;
  const hosts = names === undefined ? AGENT_HOSTS.filter((host) => isInstalled(host, of)) : names.map(hostNamed);
  if (hosts.length === 0) {
    const message = `no agent was found: name some with --agents (${AGENT_HOSTS.map(({ name }) => name).join(', ')})`;
    throw new SkillSearchError('INVALID_OPTION', message, { parameter: 'agents' });
  }
  const agents = hosts.map((host) => planAgent(host, of, program, record, parts));
  const { database, semantic } = program;
  const isPresent = existsSync(database) && !(semantic && lacksVectors(database));
  return { agents, catalogues: [{ database, action: isPresent ? 'present' : 'build' }] };
}

export function hostNamed(name: string): AgentHost {
  const host = AGENT_HOSTS.find((one) => one.name === name);
  if (host !== undefined) return host;
  const names = AGENT_HOSTS.map((one) => one.name);
  const nearest = nearestName(name, names);
  const advice = nearest === undefined ? `expected ${names.join(', ')}` : `did you mean ${nearest}?`;
  throw new SkillSearchError('INVALID_OPTION', `unknown agent ${JSON.stringify(name)}: ${advice}`, {
    parameter: 'agents',
  });
}

function planUndoing({ of, record }: InitTask, names: readonly string[] | undefined): InitPlan {
  for (const name of names ?? []) hostNamed(name);
  const recorded = [...new Set(record.files.map(({ agent }) => agent))];
  const wanted = recorded.filter((agent) => names === undefined || names.includes(agent));
  const ofAgent = (name: string): WrittenFile[] => record.files.filter(({ agent }) => agent === name);
  const agents = wanted.map((name) => planRemoval(name, ofAgent(name)));
  const actions = agents.flatMap(({ entries }) => entries.map(({ action }) => action));
  const isAll = wanted.length === recorded.length && actions.every((one) => one === 'remove' || one === 'gone');
  const catalogues = isAll ? [...record.catalogues, ...projectsToRemove(of, record)] : [];
  return {
    agents,
    catalogues: catalogues.map((database) => ({ database, action: ownsCatalogue(database) ? 'remove' : 'keep' })),
  };
}

function hasWork({ agents, catalogues }: InitPlan): boolean {
  const concernsCatalogues = catalogues.some(({ action }) => action !== 'present');
  return concernsCatalogues || agents.some(({ files, forgotten }) => files.length + forgotten.length > 0);
}

async function buildCatalogue({ program, record, buildCatalogue: build }: InitTask): Promise<void> {
  if (!existsSync(program.database)) record.addCatalogue(program.database);
  makeFolder(dirname(program.database), { mode: 0o700, code: 'DATABASE_NOT_WRITABLE' });
  await build();
}

/** Deletes the catalogues when nothing uses them any more. One that has other skills is its user's now. */
function removeCatalogues({ of, record }: InitTask): void {
  if (record.files.length > 0) return;
  for (const database of projectsToRemove(of, record).filter(ownsCatalogue)) {
    removeCatalogue(database);
    removeEmptyFolders([dirname(dirname(database)), dirname(database)]);
  }
  for (const database of record.catalogues) {
    if (ownsCatalogue(database)) removeCatalogue(database);
    record.dropCatalogue(database);
  }
}

/** The catalogues of projects go with the user's: servers made them. */
function projectsToRemove(of: Surroundings, { catalogues }: InitRecord): readonly string[] {
  const database = userCatalogue(of);
  return catalogues.includes(database) && ownsCatalogue(database) ? projectCataloguesOf(of) : [];
}

/** A file that stays as it is, or the record, which then still has what is undone. */
interface FileFault {
  readonly file: string;
  readonly reason: string;
}

/**
 * Writes what was planned, one file after the other, and keeps the record true at each moment. Behind a file that
 * cannot be written nothing more is added for that agent; what can be undone is undone.
 *
 * @returns whether a file was no longer as it had been read (plan again then: files before it are written), the copies
 *   of files as they were that are kept, and the files that could not be written, and why
 */
function applyPlan({ files, forgotten }: AgentPlan, record: InitRecord, now: Date) {
  for (const written of forgotten) {
    record.drop(written);
    tidyUp(written);
  }
  const backups: string[] = [];
  const faults: FileFault[] = [];
  for (const planned of files) {
    const [first] = faults;
    if (first !== undefined && planned.before === planned.after) {
      faults.push({ file: planned.file.path, reason: `${first.file} could not be written` });
      continue;
    }
    const written = writePlanned(planned, record, now, faults);
    if (written === undefined) return { isStale: true, backups, faults };
    backups.push(...written);
  }
  return { isStale: false, backups, faults };
}

/** @returns the copies that are kept; undefined if the file has changed */
function writePlanned(
  { file, text, before, after, needsCopy }: PlannedFile,
  record: InitRecord,
  now: Date,
  faults: FileFault[],
): readonly string[] | undefined {
  if (!isUnchanged(file)) return undefined;
  const isRemoval = before !== after;
  const copies = needsCopy ? [backupPathFor(file.path, now)] : [];
  const noted = { ...before, backups: [...before.backups, ...copies] };
  try {
    if (!isRemoval || needsCopy) record.put(noted);
    for (const path of copies) backUp(file, path);
    if (!isRemoval) makeFolder(dirname(file.target));
    if (!(text === undefined ? deleteConfigFile(file) : writeConfigFile(file, text))) return undefined;
  } catch (cause) {
    faults.push(faultOf(file, text === undefined ? 'deleted' : 'written', cause));
    // The entries stay in the record: those that are not in their file need nothing.
    if (isRemoval) return copies.filter((path) => existsSync(path));
    tidyUp(noted);
    return [];
  }
  if (!isRemoval) return copies;
  const kept = tidyUp(noted);
  try {
    if (after === undefined) record.drop(before);
    else record.put({ ...after, backups: kept });
  } catch (cause) {
    faults.push({ file: record.path, reason: (cause as Error).message });
  }
  return kept;
}

/** @throws the cause if it does not come from the file system */
function faultOf({ path }: ConfigFile, what: 'written' | 'deleted', cause: unknown): FileFault {
  const isOfFiles = cause instanceof SkillSearchError || (cause as NodeJS.ErrnoException).syscall !== undefined;
  if (!isOfFiles) throw cause;
  return { file: path, reason: `it cannot be ${what}: ${(cause as Error).message}` };
}

/** Deletes what else was made for a file: copies that the file is equal to again, and empty folders. */
function tidyUp({ file, backups, madeFolders }: WrittenFile): readonly string[] {
  for (const path of new Set([file, orUndefined(() => realpathSync(file)) ?? file])) clearUnfinished(path);
  const now = orUndefined(() => readFileSync(file));
  const kept = backups.filter((backup) => {
    const copy = orUndefined(() => readFileSync(backup));
    if (copy === undefined) return false;
    if (now === undefined || !copy.equals(now)) return true;
    rmSync(backup);
    return false;
  });
  removeEmptyFolders(madeFolders);
  return kept;
}
