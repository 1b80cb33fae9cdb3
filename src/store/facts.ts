import { crc32 } from 'node:zlib';
import type { SkillNumber, VectorNumber } from '../numbers.js';
import type { Connection } from '../sqlite/connection.js';
import { hasContentTables } from './content-rows.js';
import { damagedError } from './damaged.js';
import { hasDerivedLabels, LABELLED_SKILLS } from './derived-labels.js';
import { readMeta, writeMeta } from './meta.js';
import { FORMAT_VERSION } from './schema.js';
import { HASH_BYTES } from './stored-skill.js';

/**
 * What a finished load notes of the catalogue as a whole. SQLite cannot tell a table that has lost a row from one that
 * never had it.
 */
export interface CatalogueFacts {
  /** Number of skills. */
  readonly skills: number;
  /** Number of files. */
  readonly files: number;
  /** Number of vectors. */
  readonly vectors: number;
  /** Checksum of all ids in order. */
  readonly ids: number;
  /** Checksum of which skill has which vector. */
  readonly links: number;
  /**
   * Checksum of the numbers of skills that have contents or lost them, in order; absent from what an earlier version
   * noted, as is what follows.
   */
  readonly contents?: number;
  /** Number of blobs. */
  readonly blobs?: number;
  /** Checksum of the ids of skills with complete contents, in order. */
  readonly completeIds?: number;
  /** Checksum of the numbers of skills that a classifier has seen, in order. */
  readonly derivedLabels?: number;
}

const FACTS_KEY = 'facts';
const CHECKSUM_KEY = 'checksum';

/** Skills, ascending, each with its vector if it has one. Expects two parameters: the skill before, and how many. */
export const SKILLS_AND_VECTORS = `
  SELECT skill.number, vector.number FROM skill
    LEFT JOIN vector ON vector.model = (SELECT number FROM model) AND vector.text_hash = skill.text_hash
  WHERE skill.number > ? ORDER BY skill.number LIMIT ?`;

/** @returns undefined if there are none: the catalogue is in memory, or of a format before them */
export function readFacts(connection: Connection): CatalogueFacts | undefined {
  const text = readMeta(connection, FACTS_KEY);
  return text === undefined ? undefined : (JSON.parse(text) as CatalogueFacts);
}

/** Whether the table `meta` is as the load left it. Only for a finished catalogue of the present format. */
export function isMetaWhole(connection: Connection): boolean {
  return readMeta(connection, CHECKSUM_KEY) === String(metaChecksum(connection));
}

/**
 * Checks the notes and the schema of a finished catalogue, if its format has checksums.
 *
 * @throws {SkillSearchError} `DATABASE_DAMAGED`
 */
export function checkNotes(connection: Connection, path: string): void {
  if (connection.pragma('user_version', { simple: true }) !== FORMAT_VERSION || isMetaWhole(connection)) return;
  throw damagedError(path, 'its schema, or what the last load noted of it, is not as it was written');
}

/** Notes the facts of a catalogue, as the last of what a load writes. */
export function writeFacts(connection: Connection): void {
  writeMeta(connection, FACTS_KEY, JSON.stringify(gatherFacts(connection)));
  writeMeta(connection, CHECKSUM_KEY, String(metaChecksum(connection)));
}

export function gatherFacts(connection: Connection): CatalogueFacts {
  const count = (table: string): number =>
    connection.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!;
  const ids = checksumOfIds(connection.prepare<[], string>('SELECT id FROM skill ORDER BY id').pluck().iterate());
  let links = 0;
  const pairs = connection.prepare<[number, number], [SkillNumber, VectorNumber | null]>(SKILLS_AND_VECTORS).raw();
  for (const [skill, vector] of pairs.iterate(0, -1)) links = addToLinks(links, skill, vector);
  const facts = { skills: count('skill'), files: count('file'), vectors: count('vector'), ids, links };
  if (!hasContentTables(connection)) return facts;
  const completeIds = checksumOfIds(connection.prepare<[], string>(COMPLETE_IDS).pluck().iterate());
  return {
    ...facts,
    contents: checksumOfIds(connection.prepare<[], SkillNumber>(WITH_CONTENTS).pluck().iterate()),
    blobs: count('blob'),
    completeIds,
    ...(hasDerivedLabels(connection) ? { derivedLabels: checksumOfLabelled(connection) } : {}),
  };
}

function checksumOfLabelled(connection: Connection): number {
  return checksumOfIds(connection.prepare<[], SkillNumber>(LABELLED_SKILLS).pluck().iterate());
}

/** Whether no skill has lost its derived labels since they were noted. */
export function areDerivedLabelsThere(connection: Connection): boolean {
  const noted = readFacts(connection)?.derivedLabels;
  return noted === undefined || (hasDerivedLabels(connection) && checksumOfLabelled(connection) === noted);
}

/** Whether a catalogue has as many blobs as the last load noted. */
export function hasNotedBlobs(connection: Connection): boolean {
  const noted = readFacts(connection)?.blobs;
  if (noted === undefined || !hasContentTables(connection)) return false;
  return connection.prepare<[], number>('SELECT count(*) FROM blob').pluck().get() === noted;
}

/** The numbers of skills that have contents, or say so and have lost them, in order. */
const WITH_CONTENTS = `
  SELECT skill FROM contents UNION SELECT number FROM skill WHERE length(hash) > ${HASH_BYTES} ORDER BY 1`;

/** Whether no skill has lost its contents since they were noted. */
export function areContentsThere(connection: Connection, { contents }: CatalogueFacts): boolean {
  const there = connection.prepare<[], SkillNumber>('SELECT skill FROM contents ORDER BY skill').pluck();
  return contents === undefined || checksumOfIds(there.iterate()) === contents;
}

/** The ids of skills with complete contents, in order. */
export const COMPLETE_IDS = 'SELECT complete_id FROM contents WHERE complete_id IS NOT NULL ORDER BY complete_id';

/** @param ids all of them, or all numbers, in order */
export function checksumOfIds(ids: Iterable<string | number>): number {
  let checksum = 0;
  for (const id of ids) checksum = crc32(`${id}\0`, checksum);
  return checksum;
}

const pair = new DataView(new ArrayBuffer(16));

/** Continues the checksum of which skill has which vector. */
export function addToLinks(checksum: number, skill: SkillNumber, vector: VectorNumber | null): number {
  pair.setFloat64(0, skill, true);
  pair.setFloat64(8, vector ?? 0, true);
  return crc32(pair, checksum);
}

/** Covers the schema, too: with another letter there, the same pages would mean something else. */
function metaChecksum(connection: Connection): number {
  const schema = connection.prepare<[], [string | null]>('SELECT sql FROM sqlite_schema ORDER BY name').raw().all();
  const rows = connection
    .prepare<[string], [string, string]>('SELECT key, value FROM meta WHERE key <> ? ORDER BY key')
    .raw()
    .all(CHECKSUM_KEY);
  return crc32(JSON.stringify([schema, rows]));
}
