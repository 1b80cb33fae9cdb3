import { crc32 } from 'node:zlib';
import type { SkillNumber, VectorNumber } from '../numbers.js';
import type { Connection } from '../sqlite/connection.js';
import { hasContentTables } from './content-rows.js';
import { damagedError } from './damaged.js';
import { hasDerivedLabels, LABELLED_SKILLS } from './derived-labels.js';
import { hasChecksums } from './format.js';
import { type ChecksumForm, ListChecksum } from './list-checksum.js';
import { readMeta, writeMeta } from './meta.js';
import { HASH_BYTES } from './stored-skill.js';

/**
 * What a finished load notes of the catalogue as a whole. SQLite cannot tell a table that has lost a row from one that
 * never had it.
 *
 * A whole load notes it twice. Under `facts` the checksums are `ordered`, as earlier versions read them. Under `sums`
 * they are sums, which a small change brings up to date without reading all rows. A small change deletes `facts`, so an
 * earlier version reads the catalogue without comparing it.
 */
export interface CatalogueFacts {
  /** Absent: `ordered`. */
  readonly form?: ChecksumForm;
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

/** What `sums` says. */
export interface CatalogueSums extends Required<CatalogueFacts> {
  readonly form: 'sum';
  /** Stamp of the state that they are of: an earlier version changes the stamp and leaves them. */
  readonly stamp: string;
  /** Highest number of a skill of the last whole load. */
  readonly loaded: SkillNumber;
  /** Number of skills of the last whole load that have no vector. */
  readonly unembedded: number;
}

const SUMS_KEY = 'sums';
const FACTS_KEY = 'facts';
const CHECKSUM_KEY = 'checksum';

/**
 * Skills, ascending, each with its vector if it has one. Expects three parameters: the highest number of a vector, the
 * skill before, and how many.
 */
export const SKILLS_AND_VECTORS = `
  SELECT skill.number, vector.number FROM skill
    LEFT JOIN vector ON vector.model = (SELECT number FROM model) AND vector.text_hash = skill.text_hash
      AND vector.number <= ?
  WHERE skill.number > ? ORDER BY skill.number LIMIT ?`;

/** @returns undefined if there are none: the catalogue is in memory, or of a format before them */
export function readFacts(connection: Connection): CatalogueFacts | undefined {
  const text = readMeta(connection, FACTS_KEY);
  return text === undefined ? readSums(connection) : (JSON.parse(text) as CatalogueFacts);
}

/** @returns undefined if there are none of the present state */
export function readSums(connection: Connection): CatalogueSums | undefined {
  const text = readMeta(connection, SUMS_KEY);
  const sums = text === undefined ? undefined : (JSON.parse(text) as CatalogueSums);
  return sums?.stamp === readMeta(connection, 'stamp') ? sums : undefined;
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
  if (!hasChecksums(connection) || isMetaWhole(connection)) return;
  throw damagedError(path, 'its schema, or what the last load noted of it, is not as it was written');
}

/** Notes the facts of a catalogue, as the last of what a load writes. */
export function writeFacts(connection: Connection): void {
  const { ordered, sums } = gatherFacts(connection);
  writeMeta(connection, FACTS_KEY, JSON.stringify(ordered));
  writeMeta(connection, SUMS_KEY, JSON.stringify(sums));
  sealMeta(connection);
}

/** Notes the facts of a catalogue, as the last of what a small change writes. */
export function writeSums(connection: Connection, sums: CatalogueSums): void {
  connection.prepare('DELETE FROM meta WHERE key = ?').run(FACTS_KEY);
  writeMeta(connection, SUMS_KEY, JSON.stringify(sums));
  sealMeta(connection);
}

/** Writes the checksum of the table `meta`, after anything in it has changed. */
export function sealMeta(connection: Connection): void {
  writeMeta(connection, CHECKSUM_KEY, String(metaChecksum(connection)));
}

/** Reads all of a catalogue. A table that is missing counts as empty. */
export function gatherFacts(connection: Connection): {
  readonly ordered: CatalogueFacts;
  readonly sums: CatalogueSums;
} {
  const count = (table: string): number =>
    connection.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!;
  const tally = (sql: string): ListChecksum => {
    const checksum = new ListChecksum();
    for (const item of connection.prepare<[], string | number>(sql).pluck().iterate()) checksum.add(`${item}\0`);
    return checksum;
  };
  const hasContents = hasContentTables(connection);
  const hasLabels = hasContents && hasDerivedLabels(connection);
  const ids = tally('SELECT id FROM skill ORDER BY id');
  const links = new ListChecksum();
  let [loaded, unembedded] = [0, 0];
  const pairs = connection
    .prepare<[number, number, number], [SkillNumber, VectorNumber | null]>(SKILLS_AND_VECTORS)
    .raw();
  for (const [skill, vector] of pairs.iterate(Number.MAX_SAFE_INTEGER, 0, -1)) {
    links.add(linkBytes(skill, vector));
    loaded = skill;
    if (vector === null) unembedded += 1;
  }
  const none = new ListChecksum();
  const contents = hasContents ? tally(WITH_CONTENTS) : none;
  const completeIds = hasContents ? tally(COMPLETE_IDS) : none;
  const labels = hasLabels ? tally(LABELLED_SKILLS) : none;
  const counts = { skills: count('skill'), files: count('file'), vectors: count('vector') };
  const blobs = hasContents ? count('blob') : 0;
  return {
    ordered: {
      ...counts,
      ids: ids.ordered,
      links: links.ordered,
      ...(hasContents ? { contents: contents.ordered, blobs, completeIds: completeIds.ordered } : {}),
      ...(hasLabels ? { derivedLabels: labels.ordered } : {}),
    },
    sums: {
      form: 'sum',
      stamp: readMeta(connection, 'stamp') ?? '',
      ...counts,
      ids: ids.sum,
      links: links.sum,
      contents: contents.sum,
      blobs,
      completeIds: completeIds.sum,
      derivedLabels: labels.sum,
      loaded,
      unembedded,
    },
  };
}

/** Whether no skill has lost its derived labels since they were noted. */
export function areDerivedLabelsThere(connection: Connection, facts: CatalogueFacts | undefined): boolean {
  const noted = facts?.derivedLabels;
  if (noted === undefined) return true;
  if (!hasDerivedLabels(connection)) return noted === 0;
  const there = connection.prepare<[], SkillNumber>(LABELLED_SKILLS).pluck();
  return checksumOfIds(there.iterate(), facts) === noted;
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
export function areContentsThere(connection: Connection, facts: CatalogueFacts): boolean {
  const there = connection.prepare<[], SkillNumber>('SELECT skill FROM contents ORDER BY skill').pluck();
  return facts.contents === undefined || checksumOfIds(there.iterate(), facts) === facts.contents;
}

/** The ids of skills with complete contents, in order. */
export const COMPLETE_IDS = 'SELECT complete_id FROM contents WHERE complete_id IS NOT NULL ORDER BY complete_id';

/**
 * @param ids all of them, or all numbers, in order
 * @param facts that the checksum is compared with
 */
export function checksumOfIds(ids: Iterable<string | number>, facts: CatalogueFacts | undefined): number {
  const checksum = new ListChecksum();
  for (const id of ids) checksum.add(`${id}\0`);
  return checksum.inForm(facts?.form);
}

/** What the checksum of an id, or of a number, covers. */
export function sumOfId(id: string | number): number {
  return crc32(`${id}\0`);
}

const pair = new DataView(new ArrayBuffer(16));
/** The same bytes. Node 24 now and then takes a `DataView` for no view at all, once its check is optimised. */
const pairBytes = new Uint8Array(pair.buffer);

/** What the checksum of which skill has which vector covers, for one skill. */
export function linkSum(skill: SkillNumber, vector: VectorNumber | null): number {
  return crc32(linkBytes(skill, vector));
}

/** The bytes that say which skill has which vector. Valid until the next call. */
export function linkBytes(skill: SkillNumber, vector: VectorNumber | null): Uint8Array {
  pair.setFloat64(0, skill, true);
  pair.setFloat64(8, vector ?? 0, true);
  return pairBytes;
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
