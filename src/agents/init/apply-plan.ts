import { readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  backUp,
  backupPathFor,
  type ConfigFile,
  clearUnfinished,
  deleteConfigFile,
  isUnchanged,
  makeFolder,
  SkillSearchError,
  writeConfigFile,
} from '../../core/index.js';
import type { AgentPlan, PlannedFile } from './agent-plan.js';
import { removeEmptyFolders } from './folders.js';
import type { InitRecord, WrittenEntry } from './init-record.js';

/** What became of a plan. */
export interface Applied {
  /** Whether a file was no longer as it had been read. Plan again then: files before it are written. */
  readonly isStale: boolean;
  /** Copies of files as they were, that are kept. */
  readonly backups: readonly string[];
  /** Files that could not be written, and why. */
  readonly faults: readonly FileFault[];
}

/** A file that stays as it is, or the record, which then still has what is undone. */
export interface FileFault {
  readonly file: string;
  readonly reason: string;
}

/**
 * Writes what was planned, one file after the other, and keeps the record true at each moment. Behind a file that
 * cannot be written nothing more is added for that agent; what can be undone is undone.
 */
export function applyPlan({ files, forgotten }: AgentPlan, record: InitRecord, now: Date): Applied {
  if (forgotten.length > 0) {
    record.drop(forgotten);
    for (const entry of forgotten) tidyUp(entry);
  }
  const backups: string[] = [];
  const faults: FileFault[] = [];
  for (const planned of files) {
    const isRemoval = planned.undone.length > 0;
    const [first] = faults;
    if (first !== undefined && !isRemoval) {
      faults.push({ file: planned.file.path, reason: `${first.file} could not be written` });
      continue;
    }
    const outcome = isRemoval ? undo(planned, record, now) : write(planned, record, now);
    if (outcome === undefined) return { isStale: true, backups, faults };
    backups.push(...(outcome.backups ?? []));
    if (outcome.fault !== undefined) faults.push(outcome.fault);
  }
  return { isStale: false, backups, faults };
}

/** The copies that are kept, and what went wrong; undefined if the file has changed. */
type Outcome = { readonly backups?: readonly string[]; readonly fault?: FileFault } | undefined;

function write({ file, text, written, isExact }: PlannedFile, record: InitRecord, now: Date): Outcome {
  if (!isUnchanged(file)) return undefined;
  const backup = file.text === undefined || isExact ? [] : [backupPathFor(file.path, now)];
  record.add(written.map((entry) => ({ ...entry, backups: [...entry.backups, ...backup] })));
  try {
    for (const path of backup) backUp(file, path);
    makeFolder(dirname(file.target));
    return writeConfigFile(file, text!) ? { backups: backup } : undefined;
  } catch (cause) {
    // The entries stay in the record: those that are not in their file need nothing.
    for (const entry of written) tidyUp(entry);
    return { fault: faultOf(file, 'written', cause) };
  }
}

function undo(planned: PlannedFile, record: InitRecord, now: Date): Outcome {
  const { file, text, undone, isExact } = planned;
  if (!isUnchanged(file)) return undefined;
  const kept: string[] = [];
  try {
    // What somebody wrote since is in no other copy.
    if (!isExact) {
      const backup = backupPathFor(file.path, now);
      record.add(undone.map((entry) => ({ ...entry, backups: [...entry.backups, backup] })));
      backUp(file, backup);
      kept.push(backup);
    }
    if (!(text === undefined ? deleteConfigFile(file) : writeConfigFile(file, text))) return undefined;
  } catch (cause) {
    return { backups: kept, fault: faultOf(file, text === undefined ? 'deleted' : 'written', cause) };
  }
  for (const entry of undone) kept.push(...tidyUp(entry));
  const backups = [...new Set(kept)];
  try {
    record.drop(undone);
    return { backups };
  } catch (cause) {
    return { backups, fault: { file: record.path, reason: (cause as Error).message } };
  }
}

/** @throws the cause if it does not come from the file system */
function faultOf({ path }: ConfigFile, what: 'written' | 'deleted', cause: unknown): FileFault {
  const isOfFiles = cause instanceof SkillSearchError || (cause as NodeJS.ErrnoException).syscall !== undefined;
  if (!isOfFiles) throw cause;
  return { file: path, reason: `it cannot be ${what}: ${(cause as Error).message}` };
}

/** Deletes what else was made for an entry: copies that the file is equal to again, and empty folders. */
function tidyUp({ file, backups, madeFolders }: WrittenEntry): readonly string[] {
  for (const path of new Set([file, targetOf(file)])) clearUnfinished(path);
  const now = contentsOf(file);
  const kept = backups.filter((backup) => {
    const copy = contentsOf(backup);
    if (copy === undefined) return false;
    if (now === undefined || !copy.equals(now)) return true;
    rmSync(backup);
    return false;
  });
  removeEmptyFolders(madeFolders);
  return kept;
}

function contentsOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** The file behind links; the path itself if there is none. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
