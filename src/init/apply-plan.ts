import { readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { SkillSearchError } from '../errors.js';
import { makeFolder } from '../make-folder.js';
import { clearUnfinished } from '../unfinished-files.js';
import type { AgentPlan, PlannedFile } from './agent-plan.js';
import {
  backUp,
  backupPathFor,
  type ConfigFile,
  deleteConfigFile,
  isUnchanged,
  writeConfigFile,
} from './config-file.js';
import { removeEmptyFolders } from './folders.js';
import type { InitRecord, WrittenEntry } from './init-record.js';

/** What became of a plan. */
export interface Applied {
  /** Whether a file was no longer as it had been read. Plan again then: files before it are written. */
  readonly isStale: boolean;
  /** Copies of files as they were, that are kept. */
  readonly backups: readonly string[];
  /** The file that could not be written, and why. What comes behind it is left as it is. */
  readonly fault?: FileFault;
}

interface FileFault {
  readonly file: string;
  readonly reason: string;
}

/** Writes what was planned, one file after the other, and keeps the record true at each moment. */
export function applyPlan({ files, forgotten }: AgentPlan, record: InitRecord, now: Date): Applied {
  if (forgotten.length > 0) {
    record.drop(forgotten);
    for (const entry of forgotten) tidyUp(entry);
  }
  const backups: string[] = [];
  for (const planned of files) {
    const written = planned.undone.length > 0 ? undo(planned, record, now) : write(planned, record, now);
    if (written === undefined) return { isStale: true, backups };
    if ('reason' in written) return { isStale: false, backups, fault: written };
    backups.push(...written);
  }
  return { isStale: false, backups };
}

/** The copies that are kept; undefined if the file has changed. */
type Outcome = readonly string[] | FileFault | undefined;

function write({ file, text, written }: PlannedFile, record: InitRecord, now: Date): Outcome {
  if (!isUnchanged(file)) return undefined;
  const backup = file.text === undefined ? [] : [backupPathFor(file.path, now)];
  record.add(written.map((entry) => ({ ...entry, backups: [...entry.backups, ...backup] })));
  try {
    for (const path of backup) backUp(file, path);
    makeFolder(dirname(file.target));
    return writeConfigFile(file, text!) ? backup : undefined;
  } catch (cause) {
    // The entries stay in the record: those that are not in their file need nothing.
    for (const entry of written) tidyUp(entry);
    return faultOf(file, 'written', cause);
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
      backUp(file, backup);
      kept.push(backup);
    }
    if (!(text === undefined ? deleteConfigFile(file) : writeConfigFile(file, text))) return undefined;
  } catch (cause) {
    return faultOf(file, text === undefined ? 'deleted' : 'written', cause);
  }
  record.drop(undone);
  for (const entry of undone) kept.push(...tidyUp(entry));
  return [...new Set(kept)];
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
