import { SkillSearchError } from '../core/index.js';
import { notWritable, openForReading, openForWriting, storeError } from './database.js';
import { checkNotes, isMetaWhole, sealMeta } from './facts.js';
import { readMeta, writeMeta } from './meta.js';
import type { Connection } from './sqlite/connection.js';

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
  let connection: Connection | undefined;
  try {
    connection = openForReading(database);
    // Both at once: a small change may come between two statements.
    return connection.transaction(() => stateIn(connection!))();
  } catch (error) {
    if (error instanceof SkillSearchError && NO_CATALOGUE.includes(error.code)) return undefined;
    throw storeError(error, database, 'read');
  } finally {
    connection?.close();
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
export function putNote(connection: Connection, stamp: string, note: string): void {
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
