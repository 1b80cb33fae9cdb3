import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect } from 'vitest';
import { sha256Of } from '../src/core/index.js';
import type { KeywordQuery, SkillSearch } from '../src/index.js';
import { resolveKeywordQuery } from '../src/query.js';
import { type CatalogueSearch, catalogueSearchOf } from '../src/search/index.js';
import { type StoredText, textOf } from '../src/store/packing.js';
import { Database } from '../src/store/sqlite.js';
import { fieldsOf, readContents } from '../src/store/stored-skill.js';

/** All that a catalogue says of one skill, whatever number it is stored under. */
export interface StoredContent {
  readonly record: unknown;
  readonly categories: unknown;
  readonly occupations: unknown;
  readonly properties: unknown;
  readonly copyKey: string;
  readonly place: string;
  readonly files: readonly (readonly [filename: string, text: string])[];
  /** Its contents with their bytes; absent if it has none. */
  readonly contents?: readonly unknown[];
  /** Names of the sources that hold it, sorted. */
  readonly sources: readonly string[];
}

/** Reads a catalogue with SQLite alone, or changes it. */
export function inDatabase<T>(path: string, work: (database: Database) => T, readonly = true): T {
  const database = new Database(path, { readonly, fileMustExist: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Changes a catalogue behind its back, as damage or somebody else may. */
export function changeIn(path: string, sql: string): void {
  inDatabase(path, (database) => database.exec(`PRAGMA foreign_keys = OFF; ${sql}`), false);
}

/** The whole content of a catalogue by id, read with SQLite and unpacked. No checksum is looked at. */
export function contentOf(path: string): Map<string, StoredContent> {
  return inDatabase(path, (database) => {
    const files = database
      .prepare<[number], [string, StoredText]>('SELECT filename, text FROM file WHERE skill = ? ORDER BY position')
      .raw();
    const sources = database
      .prepare('SELECT name FROM claim JOIN source ON source.number = source WHERE skill = ? ORDER BY name')
      .pluck();
    const blob = database.prepare<[string], Buffer>('SELECT bytes FROM blob WHERE sha256 = unhex(?)').pluck();
    const skills = database.prepare('SELECT * FROM skill ORDER BY id').all() as SkillRow[];
    return new Map(
      skills.map((skill) => [
        skill.id,
        {
          record: fieldsOf({ ...skill, updatedAt: skill.updated_at }),
          categories: JSON.parse(skill.categories),
          occupations: JSON.parse(skill.occupations),
          properties: JSON.parse(skill.properties),
          copyKey: skill.copy_key,
          place: skill.place,
          files: files.all(skill.number).map(([filename, text]) => [filename, textIn(text, skill.record)] as const),
          ...(skill.contents !== null && {
            contents: readContents(skill.contents)!.files.map((one) => [one, blob.get(one.sha256)]),
          }),
          sources: sources.all(skill.number) as string[],
        },
      ]),
    );
  });
}

/** A text of the table `file`. */
function textIn(stored: StoredText, record: string): string {
  return textOf(stored, record) ?? expect.fail('a text cannot be unpacked');
}

interface SkillRow {
  readonly number: number;
  readonly id: string;
  readonly stars: number;
  readonly updated_at: number;
  readonly record: string;
  readonly categories: string;
  readonly occupations: string;
  readonly properties: string;
  readonly copy_key: string;
  readonly place: string;
  readonly contents: string | null;
}

/** A vector as it is stored. */
export interface StoredVector {
  readonly number: number;
  readonly model: string;
  readonly values: readonly number[];
}

/** The vectors of a catalogue in the order of their numbers, read with SQLite alone. */
export function vectorsOf(path: string): StoredVector[] {
  return inDatabase(path, (database) => {
    const rows = database
      .prepare('SELECT vector.number, id, embedding FROM vector JOIN model ON model.number = model ORDER BY 1')
      .all() as { number: number; id: string; embedding: Buffer }[];
    return rows.map(({ number, id, embedding }) => ({
      number,
      model: id,
      values: Array.from({ length: embedding.length / 4 }, (_, i) => embedding.readFloatLE(i * 4)),
    }));
  });
}

/** What changes when a file is written or replaced: its bytes, its time, its inode. */
export function traceOf(path: string): { readonly hash: string; readonly changed: bigint; readonly inode: bigint } {
  const { mtimeNs, ino } = statSync(path, { bigint: true });
  return { hash: sha256Of(readFileSync(path)), changed: mtimeNs, inode: ino };
}

/**
 * Names of the files that stand beside a catalogue and belong to it, but for the index of its words, which every load
 * leaves.
 */
export function filesBeside(path: string): string[] {
  const name = basename(path);
  return readdirSync(dirname(path)).filter(
    (entry) => entry !== name && entry !== `${name}.keyword` && entry.startsWith(name),
  );
}

/** Random value of the load that wrote a catalogue. */
export function stampOf(path: string): string {
  const read = "SELECT value FROM meta WHERE key = 'stamp'";
  return inDatabase(path, (database) => database.prepare<[], string>(read).pluck().get() ?? '');
}

/** What a server sends of the skills of a query; see `keywordRecords` of a search. */
export function storedRecords(search: SkillSearch, query: KeywordQuery): ReturnType<CatalogueSearch['keywordRecords']> {
  return catalogueSearchOf(search).keywordRecords(resolveKeywordQuery(query));
}
