import { access, constants, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';

import { SkillSearchError } from '../errors.js';
import { readSkillFolders } from './folder/skill-folder.js';
import { readJsonRows } from './json/json-rows.js';
import type { ReadOptions, ResolvedSource } from './rows/read-options.js';
import type { SourceItem } from './rows/row.js';

export type { ReadOptions, ResolvedSource };

const ACCEPTED = 'a folder, .jsonl, .ndjson or .json (each also with .gz), or - for standard input';

/**
 * Tells what a source is, before anything of it is read.
 *
 * Throws {@link SkillSearchError} `SOURCE_NOT_FOUND` where there is nothing, `INVALID_SOURCE` where there is something
 * that is no source.
 */
export async function checkSource(source: string): Promise<ResolvedSource> {
  if (source === '-') return { kind: 'stdin', name: source, path: '', bytes: undefined };
  if (source === '' || source.includes('\0')) {
    throw new SkillSearchError('INVALID_SOURCE', `a source must be ${ACCEPTED}, got an empty path`, { path: source });
  }

  const path = resolve(source);
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' || cause.code === 'ENOTDIR'
      ? new SkillSearchError('SOURCE_NOT_FOUND', `there is no file or folder ${source}`, { path, cause })
      : new SkillSearchError('INVALID_SOURCE', `${source} cannot be opened: ${cause.message}`, { path, cause });
  });
  await access(path, constants.R_OK).catch((cause: NodeJS.ErrnoException) => {
    throw new SkillSearchError('INVALID_SOURCE', `${source} may not be read: ${cause.message}`, { path, cause });
  });
  if (found.isDirectory()) return { kind: 'folder', name: source, path, bytes: undefined };
  if (!found.isFile()) throw invalid(source, path, 'is neither a file nor a folder');
  if (basename(path).toLowerCase() === 'skill.md') {
    throw invalid(source, path, 'is a single SKILL.md: give the folder it stands in');
  }
  if (!/\.(?:jsonl|ndjson|json)(?:\.gz)?$/i.test(path))
    throw invalid(source, path, 'is not of a kind that can be read');
  return { kind: 'file', name: source, path, bytes: found.size };
}

/**
 * Everything a source holds, one item at a time, in constant memory. A row that cannot be read is an item, not an
 * error.
 *
 * Throws an Error that says what broke where the source itself fails on the way (after all that could be read), and
 * the signal's reason where aborted.
 */
export function readSource(source: ResolvedSource, options: ReadOptions = {}): AsyncGenerator<SourceItem> {
  return source.kind === 'folder' ? readSkillFolders(source, options) : readJsonRows(source, options);
}

function invalid(source: string, path: string, what: string): SkillSearchError {
  return new SkillSearchError('INVALID_SOURCE', `${source} ${what}; a source is ${ACCEPTED}`, { path });
}
