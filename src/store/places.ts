import { realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { orUndefined, sha256Of } from '../core/index.js';
import type { SkillFolder } from '../skill.js';

/** What the column `skill.place` says. */
export interface Place {
  /** Where the skill is published, or what its row says. Empty if it has no origin but a folder. */
  readonly location: string;
  /** Its folder as a path from the folder of the catalogue, with `/`; undefined if it comes from no folder. */
  readonly path: string | undefined;
  /** Hash of the absolute path of its folder; undefined unless that is its origin. */
  readonly origin: string | undefined;
}

/** Stands between the parts of the column. No location has it; see {@link withoutMark}. */
const MARK = '\u001f';
const ORIGIN_LENGTH = 32;
/** Bounds between which the places lie whose origin is a folder. */
export const FOLDER_PLACES: readonly [from: string, before: string] = [MARK, '\u0020'];

/**
 * Writes the places of one catalogue:
 *
 *     location                   of a row
 *     location MARK path         of a folder with a git remote
 *     MARK origin MARK path      of another folder
 *
 * The path is relative, so that the folder is known again if it was moved together with the catalogue. The origin is a
 * hash of the absolute path: the folder is known again if only the catalogue was moved or copied.
 */
export class PlaceWriter {
  readonly #home: string;

  /** @param home absolute path of the folder that paths are relative to: that of the catalogue, without links */
  constructor(home: string) {
    this.#home = home;
  }

  textOf(location: string, folder: SkillFolder | undefined): string {
    if (folder === undefined) return location;
    const path = this.pathOf(folder);
    if (folder.isOrigin) return `${MARK}${originOf(folder)}${MARK}${path}`;
    return `${location}${MARK}${path}`;
  }

  /** The path of a folder from the home. */
  pathOf({ path }: SkillFolder): string {
    return relative(this.#home, path).split(sep).join('/') || '.';
  }
}

/** A location fit for the column: one from outside could else pass for a folder of this machine. */
export function withoutMark(location: string): string {
  return location.includes(MARK) ? location.replaceAll(MARK, ' ') : location;
}

/** The location in the column `skill.place`. */
export function locationIn(text: string): string {
  const mark = text.indexOf(MARK);
  return mark < 0 ? text : text.slice(0, mark);
}

/** Reads the column `skill.place`. */
export function readPlace(text: string): Place {
  const mark = text.indexOf(MARK);
  if (mark < 0) return { location: text, path: undefined, origin: undefined };
  if (mark > 0) return { location: text.slice(0, mark), path: text.slice(mark + 1), origin: undefined };
  const end = 1 + ORIGIN_LENGTH;
  return { location: '', path: text.slice(end + 1), origin: text.slice(1, end) };
}

/** The absolute path of the folder that a place names; undefined if it names none. */
export function folderAt(place: string, catalogue: string): string | undefined {
  const { path } = readPlace(place);
  return path === undefined ? undefined : resolve(folderOf(catalogue), path);
}

/** The folder of a file, without symbolic links as far as that can be told. */
export function folderOf(file: string): string {
  return orUndefined(() => realpathSync(dirname(file))) ?? resolve(dirname(file));
}

/** Hash of a folder's absolute path: 32 hex digits of its SHA-256. Says nothing of the machine. */
export function originOf({ path }: SkillFolder): string {
  return sha256Of(path).slice(0, ORIGIN_LENGTH);
}
