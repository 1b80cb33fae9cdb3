import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type SkillNumber, SkillSearchError, type VectorNumber } from '../core/index.js';
import { damagedError, notWritable, openForReading, openForWriting, storeError, whileOpen } from './database.js';
import { IS_COMPLETE } from './schema.js';
import type { Connection } from './sqlite.js';

/** What a load or an incremental update adds to the notes, or takes from them. */
interface SkillSums {
  /** Number of skills. */
  readonly skills: number;
  /** Number of files. */
  readonly files: number;
  /** Checksum of all ids. */
  readonly ids: number;
  /** Checksum of which skill has which vector. */
  readonly links: number;
  /** Checksum of the ids of skills with complete contents. */
  readonly completeIds: number;
  /** Number of skills of the last whole load that have no vector. */
  readonly unembedded: number;
}

/**
 * What a finished load notes of the catalogue as a whole. SQLite cannot tell a table that has lost a row from one that
 * never had it. The checksums are sums of one for each item, which an incremental update brings up to date without
 * reading all rows.
 */
export interface CatalogueFacts extends SkillSums {
  /** Number of vectors. */
  readonly vectors: number;
  /** Highest number of a skill of the last whole load. */
  readonly loaded: SkillNumber;
}

/** The key of `meta` that has the rules of the classifier. */
export const CLASSIFIER_KEY = 'classifier';
const FACTS_KEY = 'facts';
const CHECKSUM_KEY = 'checksum';

/** @returns undefined if there are none: the catalogue is in memory, or a load has not ended */
export function readFacts(connection: Connection): CatalogueFacts | undefined {
  const text = readMeta(connection, FACTS_KEY);
  return text === undefined ? undefined : (JSON.parse(text) as CatalogueFacts);
}

/** Whether the table `meta` is as the load left it. Only for a finished catalogue. */
export function isMetaWhole(connection: Connection): boolean {
  return readMeta(connection, CHECKSUM_KEY) === String(metaChecksum(connection));
}

/**
 * Checks the notes of a finished catalogue.
 *
 * @throws {SkillSearchError} `DATABASE_DAMAGED`
 */
export function checkNotes(connection: Connection, path: string): void {
  if (isMetaWhole(connection)) return;
  throw damagedError(path, 'what the last load noted of it is not as it was written');
}

/** Notes the facts of a catalogue, as the last of what a load or an incremental update writes. */
export function writeFacts(connection: Connection, facts: CatalogueFacts = gatherFacts(connection)): void {
  writeMeta(connection, FACTS_KEY, JSON.stringify(facts));
  sealMeta(connection);
}

/** Writes the checksum of the table `meta`, after anything in it has changed. */
function sealMeta(connection: Connection): void {
  writeMeta(connection, CHECKSUM_KEY, String(metaChecksum(connection)));
}

/** Reads all of a catalogue. */
export function gatherFacts(connection: Connection): CatalogueFacts {
  const highest = connection.prepare<[], number | null>('SELECT max(number) FROM skill').pluck();
  return {
    ...sumsOf(connection, 'gone = 0', Number.MAX_SAFE_INTEGER),
    vectors: connection.prepare<[], number>('SELECT count(*) FROM vector').pluck().get()!,
    loaded: highest.get() ?? 0,
  };
}

/**
 * What is noted after an incremental update, from what was noted before: only the rows of the update are read.
 *
 * @param connection in the transaction of the update
 * @param before the highest numbers before it, and the sequence of the state
 */
export function changedFacts(
  connection: Connection,
  facts: CatalogueFacts,
  { sequence, lastSkill, lastVector }: { sequence: number; lastSkill: SkillNumber; lastVector: VectorNumber },
): CatalogueFacts {
  const came = sumsOf(connection, `gone = 0 AND skill.number > ${lastSkill}`, Number.MAX_SAFE_INTEGER);
  const went = sumsOf(connection, `gone = ${sequence + 1}`, lastVector);
  const embedded = connection.prepare<[VectorNumber], number>('SELECT count(*) FROM vector WHERE number > ?').pluck();
  const vectors = facts.vectors + embedded.get(lastVector)!;
  let { links, unembedded } = facts;
  // Skills that were there before, and whose text got a vector only now.
  const from = unembedded > 0 && vectors > facts.vectors ? 0 : facts.loaded;
  const late = connection
    .prepare<[VectorNumber, VectorNumber, SkillNumber, SkillNumber], [SkillNumber, VectorNumber]>(`
      SELECT skill.number, vector.number FROM skill JOIN vector ON ${HAS_VECTOR}
      WHERE vector.number > ? AND skill.number > ? AND skill.number <= ?`)
    .raw();
  for (const [skill, vector] of late.iterate(Number.MAX_SAFE_INTEGER, lastVector, from, lastSkill)) {
    links = addToSum(links, linkSum(skill, vector) - linkSum(skill, null));
    if (skill <= facts.loaded) unembedded -= 1;
  }
  return {
    skills: facts.skills + came.skills - went.skills,
    files: facts.files + came.files - went.files,
    ids: addToSum(facts.ids, came.ids - went.ids),
    links: addToSum(links, came.links - went.links),
    completeIds: addToSum(facts.completeIds, came.completeIds - went.completeIds),
    unembedded,
    vectors,
    loaded: facts.loaded,
  };
}

/** SQL that joins a skill with the vector of its text. Expects the highest number of a vector. */
const HAS_VECTOR = `vector.model = (SELECT number FROM model) AND vector.text_hash = skill.text_hash
  AND vector.number <= ?`;

/**
 * Skills, ascending, each with its vector if it has one. Expects three parameters: the highest number of a vector, the
 * skill before, and how many.
 */
export const SKILLS_AND_VECTORS: string = `
  SELECT skill.number, vector.number FROM skill LEFT JOIN vector ON ${HAS_VECTOR}
  WHERE skill.number > ? ORDER BY skill.number LIMIT ?`;

/**
 * @param where which revisions, as SQL
 * @param lastVector vectors above do not count
 */
function sumsOf(connection: Connection, where: string, lastVector: VectorNumber): SkillSums {
  const sums = { skills: 0, files: 0, ids: 0, links: 0, completeIds: 0, unembedded: 0 };
  const rows = connection
    .prepare<[VectorNumber], [SkillNumber, string, number, 0 | 1 | null, VectorNumber | null]>(`
      SELECT skill.number, skill.id, (SELECT count(*) FROM file WHERE file.skill = skill.number),
        ${IS_COMPLETE}, vector.number
      FROM revision AS skill LEFT JOIN vector ON ${HAS_VECTOR}
      WHERE ${where}`)
    .raw();
  for (const [skill, id, files, isComplete, vector] of rows.iterate(lastVector)) {
    sums.skills += 1;
    sums.files += files;
    sums.ids = addToSum(sums.ids, sumOfId(id));
    sums.links = addToSum(sums.links, linkSum(skill, vector));
    if (isComplete === 1) sums.completeIds = addToSum(sums.completeIds, sumOfId(id));
    if (vector === null) sums.unembedded += 1;
  }
  return sums;
}

/** The ids of skills with complete contents that come behind an id, in order. Expects that id, and how many. */
export const COMPLETE_IDS: string = `
  SELECT id FROM skill WHERE ${IS_COMPLETE} AND id > ? ORDER BY id LIMIT ?`;

/** @param ids all of them */
export function checksumOfIds(ids: Iterable<string>): number {
  let sum = 0;
  for (const id of ids) sum = addToSum(sum, sumOfId(id));
  return sum;
}

/** What the checksum of an id covers. */
function sumOfId(id: string): number {
  return crc32(`${id}\0`);
}

/** Sums are kept below this: whole numbers that a double holds, with room to add. */
const MODULUS = 2 ** 48;

/** Adds to a sum of checksums; with a negative number takes from it. */
export function addToSum(sum: number, checksum: number): number {
  return (((sum + checksum) % MODULUS) + MODULUS) % MODULUS;
}

const pair = new DataView(new ArrayBuffer(16));
/** The same bytes. Node 24 now and then takes a `DataView` for no view at all, once its check is optimised. */
const pairBytes = new Uint8Array(pair.buffer);

/** What the checksum of which skill has which vector covers, for one skill. */
export function linkSum(skill: SkillNumber, vector: VectorNumber | null): number {
  pair.setFloat64(0, skill, true);
  pair.setFloat64(8, vector ?? 0, true);
  return crc32(pairBytes);
}

function metaChecksum(connection: Connection): number {
  const rows = connection
    .prepare<[string], [string, string]>('SELECT key, value FROM meta WHERE key <> ? ORDER BY key')
    .raw()
    .all(CHECKSUM_KEY);
  return crc32(JSON.stringify(rows));
}

/** Reads a value of the table `meta`. Returns undefined if the key is not there. */
export function readMeta(connection: Connection, key: string): string | undefined {
  return connection.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(key);
}

/** Sets a value of the table `meta`. */
export function writeMeta(connection: Connection, key: string, value: string): void {
  connection
    .prepare('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value')
    .run(key, value);
}

/** A random value that names a state of a catalogue. */
export function newStamp(): string {
  return randomBytes(16).toString('hex');
}

/** Names the state that a transaction makes, with its note if it has a name already. To be followed by the facts. */
export function writeStamp(connection: Connection, state: NamedState | undefined): string {
  const stamp = state?.stamp ?? newStamp();
  writeMeta(connection, 'stamp', stamp);
  if (state !== undefined) putNote(connection, stamp, state.note);
  return stamp;
}

/** The key of `meta` that says which state of a shared catalogue a local copy is. */
const NOTE_KEY = 'shared_version';

/** A state of a catalogue that has a name before it is made here: somebody else has made it. */
export interface NamedState {
  readonly stamp: string;
  /** See {@link readNamedState}. */
  readonly note: string;
}

/** Milliseconds to wait for readers. Each reads for some milliseconds. */
const LONGEST_WAIT = 10_000;

/** Why there may be no catalogue that could have a note. */
const NO_CATALOGUE: readonly string[] = ['DATABASE_NOT_FOUND', 'NOT_A_CATALOGUE', 'UNSUPPORTED_FORMAT'];

/**
 * The present state of a catalogue, with what was noted of it when it was made; undefined if there is no catalogue, or
 * nothing is noted. A load that makes another state leaves the note, which is void then.
 *
 * @throws {SkillSearchError} `DATABASE_NOT_READABLE`, `DATABASE_DAMAGED`
 */
export function readNamedState(database: string): NamedState | undefined {
  try {
    // Both at once: a small change may come between two statements.
    return whileOpen(database, (connection) => connection.transaction(() => stateIn(connection))());
  } catch (error) {
    if (error instanceof SkillSearchError && NO_CATALOGUE.includes(error.code)) return undefined;
    throw storeError(error, database, 'read');
  }
}

/** The note of the present state; see {@link readNamedState}. */
export function noteIn(connection: Connection): string | undefined {
  return stateIn(connection)?.note;
}

function stateIn(connection: Connection): NamedState | undefined {
  if (!isMetaWhole(connection)) return undefined;
  const stamp = readMeta(connection, 'stamp') ?? '';
  const value = readMeta(connection, NOTE_KEY);
  return value?.startsWith(`${stamp} `) === true ? { stamp, note: value.slice(stamp.length + 1) } : undefined;
}

/** Writes the note of a state, inside the transaction that makes it, before its facts. */
function putNote(connection: Connection, stamp: string, note: string): void {
  writeMeta(connection, NOTE_KEY, `${stamp} ${note}`);
}

/**
 * Notes something of the present state of a catalogue, and changes nothing else.
 *
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`, `DATABASE_DAMAGED`, and those of opening a catalogue
 */
export function writeNote(database: string, note: string): void {
  // Plays back the journal of a killed change, and refuses what is no catalogue.
  openForReading(database).close();
  let connection: Connection | undefined;
  try {
    connection = openForWriting(database, LONGEST_WAIT);
    const write = connection.transaction((writing: Connection) => {
      checkNotes(writing, database);
      if (noteIn(writing) === note) return;
      putNote(writing, readMeta(writing, 'stamp') ?? '', note);
      sealMeta(writing);
    });
    write.immediate(connection);
  } catch (error) {
    throw notWritable(database, error);
  } finally {
    connection?.close();
  }
}
