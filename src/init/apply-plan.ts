import { mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentPlan, PlannedFile } from './agent-plan.js';
import { backUp, backupPathFor, deleteConfigFile, isUnchanged, unfinishedOf, writeConfigFile } from './config-file.js';
import { removeEmptyFolders } from './folders.js';
import type { InitRecord, WrittenEntry } from './init-record.js';

/** What became of a plan. */
export interface Applied {
  /** Whether a file was no longer as it had been read. Plan again then: files before it are written. */
  readonly isStale: boolean;
  /** Copies of files as they were, that are kept. */
  readonly backups: readonly string[];
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
    backups.push(...written);
  }
  return { isStale: false, backups };
}

/** @returns the copies that are kept; undefined if the file has changed */
function write({ file, text, written }: PlannedFile, record: InitRecord, now: Date): readonly string[] | undefined {
  if (!isUnchanged(file)) return undefined;
  const backup = file.text === undefined ? [] : [backupPathFor(file.path, now)];
  record.add(written.map((entry) => ({ ...entry, backups: [...entry.backups, ...backup] })));
  for (const path of backup) backUp(file, path);
  mkdirSync(dirname(file.target), { recursive: true });
  return writeConfigFile(file, text!) ? backup : undefined;
}

function undo(planned: PlannedFile, record: InitRecord, now: Date): readonly string[] | undefined {
  const { file, text, undone, isExact } = planned;
  if (!isUnchanged(file)) return undefined;
  const kept: string[] = [];
  // What somebody wrote since is in no other copy.
  if (!isExact) {
    const backup = backupPathFor(file.path, now);
    backUp(file, backup);
    kept.push(backup);
  }
  if (!(text === undefined ? deleteConfigFile(file) : writeConfigFile(file, text))) return undefined;
  record.drop(undone);
  for (const entry of undone) kept.push(...tidyUp(entry));
  return [...new Set(kept)];
}

/** Deletes what else was made for an entry: copies that the file is equal to again, and empty folders. */
function tidyUp({ file, backups, madeFolders }: WrittenEntry): readonly string[] {
  rmSync(unfinishedOf(targetOf(file)), { force: true });
  const now = contentsOf(file);
  const kept = backups.filter((backup) => {
    rmSync(unfinishedOf(backup), { force: true });
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
