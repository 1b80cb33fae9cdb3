import { constants, existsSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checkDatabase, resolveDatabase } from '../check-arguments.js';
import { SkillSearchError } from '../errors.js';
import { derivedFiles } from '../store/file-names.js';
import { syncToDisk } from '../store/sync-to-disk.js';

/**
 * Copies a catalogue and its derived files, so that a load into the copy can update them instead of building new ones.
 * Replaces what is at `to`.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`, `DATABASE_NOT_FOUND`, `DATABASE_NOT_WRITABLE`
 */
export async function copyCatalogue(options: { readonly from: string; readonly to: string }): Promise<void> {
  const from = resolveDatabase(checkDatabase(options?.from));
  const to = resolveDatabase(checkDatabase(options.to));
  if (from === to) throw new SkillSearchError('INVALID_OPTION', `a catalogue cannot be copied onto itself: ${from}`);
  if (!existsSync(from)) {
    throw new SkillSearchError('DATABASE_NOT_FOUND', `there is no catalogue at ${from}`, { path: from });
  }
  try {
    const targets = filesOf(to);
    for (const [i, file] of filesOf(from).entries()) {
      const target = targets[i]!;
      if (existsSync(file)) await replaceByCopy(file, target);
      else await rm(target, { force: true });
    }
  } catch (cause) {
    const message = `${from} cannot be copied to ${to}: ${(cause as Error).message}`;
    throw new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: to, cause });
  }
}

/** Copies aside and renames: readers that have the former file open go on reading that. */
async function replaceByCopy(file: string, target: string): Promise<void> {
  const part = `${target}.copy-part`;
  try {
    // If the file system can share blocks between files, this reads nothing.
    await copyFile(file, part, constants.COPYFILE_FICLONE);
    syncToDisk(part);
    await rename(part, target);
    syncToDisk(dirname(target));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** The catalogue first. If it is replaced meanwhile, the derived files have another stamp and are not used. */
function filesOf(catalogue: string): string[] {
  return [catalogue, ...derivedFiles(catalogue)];
}
