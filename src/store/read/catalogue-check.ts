import { Buffer } from 'node:buffer';
import { type ExecFileException, execFile } from 'node:child_process';
import nodeModule from 'node:module';
import { loopTurn, type SkillNumber, type VectorNumber } from '../../core/index.js';
import { isVectorWhole } from '../checksums.js';
import {
  asBeyondRepair,
  beyondRepair,
  damagedError,
  guarded,
  openForReading,
  orClose,
  storeError,
} from '../database.js';
import { gatherFacts, isMetaWhole, readFacts, readMeta } from '../notes.js';
import { readHistory } from '../revisions.js';
import { STATEMENTS } from '../schema.js';
import type { Connection } from '../sqlite.js';
import { type BlobRow, faultOfContents, isBlobWhole } from './content-reader.js';
import { SkillRows, type StoredFile, type StoredRow } from './stored-row.js';
import { hasUnitLength } from './stored-vectors.js';

/** What points nowhere, and how it is told. */
const DANGLING = [
  { rows: 'claim WHERE skill NOT IN (SELECT number FROM revision)', what: 'claims of skills' },
  { rows: 'claim WHERE source NOT IN (SELECT number FROM source)', what: 'claims of sources' },
  { rows: 'file WHERE skill NOT IN (SELECT number FROM revision)', what: 'files of skills' },
];

/** Goes through all of a finished catalogue. */
export class CatalogueCheck {
  readonly stamp: string;
  /** Stamps of the states that small changes made since the last whole load, and of the one that it made. */
  readonly states: readonly string[];
  /** Id of the model of the vectors; undefined if there are none. */
  readonly model: string | undefined;
  /** Number of skills and of vectors. */
  readonly skills: number;
  readonly vectors: number;
  readonly #connection: Connection;
  readonly #path: string;

  /** @throws {SkillSearchError} if there is no catalogue that can be read */
  static open(path: string): CatalogueCheck {
    try {
      return orClose(openForReading(path), (connection) => new CatalogueCheck(connection, path), path);
    } catch (error) {
      throw asBeyondRepair(error);
    }
  }

  private constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.#path = path;
    this.stamp = readMeta(connection, 'stamp') ?? '';
    this.states = readHistory(connection).map(({ stamp }) => stamp);
    this.skills = this.#count('skill');
    this.vectors = this.#count('vector');
    this.model = this.vectors === 0 ? undefined : readMeta(connection, 'model');
  }

  /** Where the catalogue contradicts itself, though each part may be whole. */
  contradictions(): string[] {
    return guarded(this.#path, 'read', () => {
      const found: string[] = [];
      const isWhole = isMetaWhole(this.#connection);
      if (!isWhole) found.push('what the last load noted of it is not as it was written');
      const noted = isWhole ? readFacts(this.#connection) : undefined;
      const present = gatherFacts(this.#connection);
      for (const [name, was] of Object.entries(noted ?? {})) {
        // Two are facts of the last whole load.
        if (name === 'unembedded' || name === 'loaded' || present[name as keyof typeof present] === was) continue;
        found.push(`its ${name} are not those that it had`);
      }
      for (const { rows, what } of DANGLING) {
        const count = this.#count(rows);
        if (count > 0) found.push(`it has ${count} ${what} that are not there`);
      }
      return found;
    });
  }

  /**
   * Compares everything with its checksums. Gives way to the event loop in between.
   *
   * @param look looks at a skill that is as it was written, and says what is wrong with it all the same
   * @throws {SkillSearchError} `DATABASE_DAMAGED` if not everything can be read
   */
  async contents(
    signal: AbortSignal | undefined,
    look: (row: StoredRow, files: readonly StoredFile[]) => string | undefined,
  ): Promise<FoundDamage> {
    return findDamage(this.#connection, this.#path, signal, look).catch((error: unknown) => {
      throw storeError(error, this.#path, 'read');
    });
  }

  close(): void {
    this.#connection.close();
  }

  #count(rows: string): number {
    return this.#connection.prepare<[], number>(`SELECT count(*) FROM ${rows}`).pluck().get()!;
  }
}

/** What is damaged in a catalogue. */
export interface FoundDamage {
  readonly skills: readonly DamagedRow[];
  readonly vectors: readonly VectorNumber[];
}

interface DamagedRow {
  /** As it is stored, so perhaps wrong. */
  readonly id: string;
  /** What is wrong, as a sentence without a full stop. */
  readonly fault: string;
}

/** Rows of vectors read at once, and numbers of skills: a few milliseconds. */
const ROWS_A_TURN = 250;

/** Characters of skills and files read in a turn. Past these a skill ends its turn: some ten milliseconds. */
const CHARACTERS_A_TURN = 1 << 20;

/**
 * Compares everything with its checksum: all skills with their files and contents, and all vectors. Gives way to the
 * event loop in between.
 *
 * @param path for messages
 * @param look looks at a skill that is as it was written, and says what is wrong with it all the same
 * @throws {SkillSearchError} `DATABASE_DAMAGED` if rows are not in order, so that not all can be read
 * @throws the signal's reason when aborted
 */
export async function findDamage(
  connection: Connection,
  path: string,
  signal?: AbortSignal,
  look?: (row: StoredRow, files: readonly StoredFile[]) => string | undefined,
): Promise<FoundDamage> {
  const rows = new SkillRows(connection, path);
  const skills: DamagedRow[] = [];
  const numbers = connection
    .prepare<[number, number], [SkillNumber]>('SELECT number FROM skill WHERE number > ? ORDER BY number LIMIT ?')
    .raw();
  const wholeBlobs = await findWholeBlobs(connection, path, signal);
  let characters = 0;
  for await (const batch of inTurns(numbers, path, signal)) {
    for (const [number] of batch) {
      if (characters >= CHARACTERS_A_TURN) {
        characters = 0;
        await loopTurn(signal);
      }
      const row = rows.row(number);
      const files = rows.fileRows(number);
      characters += lengthOf(row?.record) + lengthOf(row?.properties) + lengthOf(row?.contents);
      for (const { stored } of files) characters += lengthOf(stored);
      const fault =
        row === undefined
          ? 'its row is missing'
          : (rows.faultOf(row, files) ??
            faultOfContents(row.contents, (sha256) => wholeBlobs.has(sha256)) ??
            look?.(row, rows.files(number)));
      if (fault !== undefined) skills.push({ id: String(row?.id), fault });
    }
  }
  const vectors: VectorNumber[] = [];
  const allVectors = connection
    .prepare<[number, number], [VectorNumber, unknown, number, number | null]>(`
      SELECT vector.number, embedding, dimensions, checksum
      FROM vector JOIN model ON model.number = model WHERE vector.number > ? ORDER BY vector.number LIMIT ?`)
    .raw();
  for await (const batch of inTurns(allVectors, path, signal)) {
    for (const [number, embedding, dimensions, checksum] of batch) {
      const isWhole = isVectorWhole(number, embedding, checksum) && hasUnitLength(embedding, dimensions);
      if (!isWhole) vectors.push(number);
    }
  }
  return { skills, vectors };
}

/** Digests of the blobs that are as they were written. */
async function findWholeBlobs(
  connection: Connection,
  path: string,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const whole = new Set<string>();
  const numbers = connection
    .prepare<[number, number], [number]>('SELECT number FROM blob WHERE number > ? ORDER BY number LIMIT ?')
    .raw();
  const blob = connection.prepare<[number], BlobRow & { readonly sha256: Buffer }>(
    'SELECT * FROM blob WHERE number = ?',
  );
  let bytes = 0;
  for await (const batch of inTurns(numbers, path, signal)) {
    for (const [number] of batch) {
      const row = blob.get(number);
      if (row !== undefined && isBlobWhole(row.sha256, row)) whole.add(row.sha256.toString('hex'));
      bytes += lengthOf(row?.bytes);
      if (bytes < CHARACTERS_A_TURN) continue;
      bytes = 0;
      await loopTurn(signal);
    }
  }
  return whole;
}

/** All rows of a statement that takes the number before the first, and how many. */
async function* inTurns<Row extends [number, ...unknown[]]>(
  statement: { all(after: number, limit: number): Row[] },
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Row[]> {
  for (let last = 0; ; ) {
    const rows = statement.all(last, ROWS_A_TURN);
    if (rows.length === 0) return;
    for (const [number] of rows) {
      if (number <= last) throw damagedError(path, 'its rows are not in order');
      last = number;
    }
    yield rows;
    await loopTurn(signal);
  }
}

/** Damage can change the type of a value. */
function lengthOf(value: unknown): number {
  return typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 0;
}

/** A page that is a part of two others: whoever reads such a tree may read for ever. */
const CIRCLE = '2nd reference';

/**
 * The program of the process. It finds pages that lead in circles first, where SQLite stops at the first fault: with
 * more of them to find it would read all rows that such pages seem to have.
 */
const PROGRAM = `
  const [sqlite, file, circle, known, ...checks] = process.argv.slice(1);
  const statements = JSON.parse(known);
  let lines = [];
  try {
    const open = (options) => new (require(sqlite))(file, { fileMustExist: true, ...options });
    const read = (of) => of.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL LIMIT 1000').pluck().all();
    let connection = open({ readonly: true });
    let schema;
    try {
      schema = read(connection);
    } catch (error) {
      // A change was cut off: it is undone by who may write.
      if (error.code !== 'SQLITE_READONLY_ROLLBACK') throw error;
      connection = open({});
      schema = read(connection);
    }
    for (const check of schema.every((sql) => statements.includes(sql)) ? checks : []) {
      lines = connection.pragma(check).map((row) => Object.values(row)[0]).filter((line) => line !== 'ok');
      if (lines.some((line) => line.includes(circle))) break;
    }
  } catch (error) {
    // Whoever opens the file is told of all else.
    if (String(error.code).startsWith('SQLITE_CORRUPT')) lines = [error.message];
    else if (error.code === undefined) throw error;
  }
  process.stdout.write(JSON.stringify(lines));
`;

/**
 * Milliseconds that SQLite may look through a file. `quick`: of a snapshot that was fetched; a gigabyte takes some
 * seconds. `full`: of any file, with its indexes, when a check is asked for.
 */
const LONGEST_CHECK = { quick: 120_000, full: 600_000 } as const;

/**
 * What SQLite finds wrong with the pages of a file that may be no catalogue: the first fault (`quick`), or up to a
 * hundred, also of its indexes. It looks in a process of its own: nothing can interrupt SQLite, but a process can be
 * ended.
 *
 * @param path absolute
 * @param known the statements of a schema: of a file with any other nothing is computed
 * @throws {SkillSearchError} `DATABASE_DAMAGED` if reading the file might never end, or the check took longer or failed
 * @throws the signal's reason when aborted
 */
export async function structureFaults(
  path: string,
  extent: keyof typeof LONGEST_CHECK,
  signal?: AbortSignal,
  time: number = LONGEST_CHECK[extent],
  known: readonly string[] = STATEMENTS,
): Promise<readonly string[]> {
  const checks = extent === 'quick' ? ['quick_check(1)'] : ['quick_check(1)', 'integrity_check(100)'];
  // Not `createRequire` by its name: bundles declare that themselves.
  const sqlite = nodeModule.createRequire(import.meta.url).resolve('better-sqlite3');
  const given = ['--input-type=commonjs', '-e', PROGRAM, sqlite, path, CIRCLE, JSON.stringify(known), ...checks];
  const env = { ...process.env, NODE_OPTIONS: '', ELECTRON_RUN_AS_NODE: '1' };
  const limits = { timeout: time, killSignal: 'SIGKILL', signal, env, maxBuffer: 2 ** 24 } as const;
  const [error, output] = await new Promise<[ExecFileException | null, string]>((resolve) => {
    execFile(process.execPath, given, limits, (failure, stdout) => resolve([failure, stdout]));
  });
  signal?.throwIfAborted();
  if (error !== null) {
    const reason = error.killed === true ? `took longer than ${time / 1000} s` : `failed: ${error.message.slice(-200)}`;
    throw beyondRepair(path, `the check of its pages ${reason}`, error);
  }
  const faults = JSON.parse(output) as string[];
  if (!faults.some((fault) => fault.includes(CIRCLE))) return faults;
  throw beyondRepair(path, `its pages lead in circles: ${faults.join('; ')}`);
}
