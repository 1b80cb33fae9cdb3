import { access, constants, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { SkillSearchError } from '../core/index.js';
import { SKILL_FOLDER } from './folder/skill-folder.js';
import { JSON_FILE, STANDARD_INPUT } from './json/json-source.js';
import type { ReadOptions, ResolvedSource, SourceItem, SourceKind } from './rows/row.js';
import { isSkillFile } from './rows/texts.js';

/** Every kind of source. The first that recognises a source reads it. */
const KINDS: readonly SourceKind[] = [SKILL_FOLDER, JSON_FILE, STANDARD_INPUT];

/**
 * Finds out what a source is, before anything of it is read.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND` if nothing is there, `INVALID_SOURCE` if it is not a source
 */
export async function checkSource(source: string): Promise<ResolvedSource> {
  const byName = KINDS.find((kind) => kind.isName?.(source) === true);
  if (byName !== undefined) return { kind: byName, name: source, path: '', bytes: undefined };
  if (source === '' || source.includes('\0')) {
    throw new SkillSearchError('INVALID_SOURCE', `a source must be ${accepted()}, got an empty path`, { path: source });
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
  const kind = KINDS.find(({ isPath }) => isPath?.(path, found) === true);
  if (kind !== undefined) return { kind, name: source, path, bytes: found.isFile() ? found.size : undefined };
  if (!found.isFile()) throw invalid(source, path, 'is neither a file nor a folder');
  if (isSkillFile(basename(path))) throw invalid(source, path, 'is a single SKILL.md: give the folder it stands in');
  throw invalid(source, path, 'is not of a kind that can be read');
}

/** Reads everything in a source; see {@link SourceKind.read}. */
export function readSource(source: ResolvedSource, options: ReadOptions = {}): AsyncGenerator<SourceItem> {
  return source.kind.read(source, options);
}

function accepted(): string {
  const kinds = KINDS.map(({ description }) => description);
  return `${kinds.slice(0, -1).join(', ')}, or ${kinds.at(-1)}`;
}

function invalid(source: string, path: string, what: string): SkillSearchError {
  return new SkillSearchError('INVALID_SOURCE', `${source} ${what}; a source is ${accepted()}`, { path });
}
