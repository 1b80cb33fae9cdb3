import { Buffer } from 'node:buffer';
import type { SkillNumber, VectorNumber } from '../../core/index.js';
import { isSignatureWhole, isVectorWhole } from '../checksums.js';
import { type BlobRow, ContentRows, isBlobWhole } from '../content-rows.js';
import { damagedError } from '../damaged.js';
import { type DerivedLabelRow, isDerivedLabelWhole } from '../derived-labels.js';
import type { Connection } from '../sqlite/connection.js';
import { hasUnitLength } from '../vector-bytes.js';
import { type StoredFileRow, type StoredRow, StoredRows } from './stored-row.js';

/** What is damaged in a catalogue. */
export interface FoundDamage {
  readonly skills: ReadonlyMap<SkillNumber, DamagedRow>;
  readonly vectors: readonly VectorNumber[];
  /** Skills whose signature is damaged. */
  readonly signatures: readonly SkillNumber[];
  /** Skills whose derived labels are damaged. */
  readonly derivedLabels: readonly SkillNumber[];
}

export interface DamagedRow {
  /** As it is stored, so perhaps wrong. */
  readonly id: string;
  /** What is wrong, as a sentence without a full stop. */
  readonly fault: string;
}

/** Rows of vectors and signatures read at once, and numbers of skills: a few milliseconds. */
const ROWS_A_TURN = 250;

/** Characters of skills and files read in a turn. Past these a skill ends its turn: some ten milliseconds. */
const CHARACTERS_A_TURN = 1 << 20;

/**
 * Compares everything with its checksum: all skills with their files and contents, all vectors, signatures and derived
 * labels. Gives way to the event loop in between.
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
  look?: (row: StoredRow, files: readonly StoredFileRow[]) => string | undefined,
): Promise<FoundDamage> {
  const rows = new StoredRows(connection);
  const skills = new Map<SkillNumber, DamagedRow>();
  const numbers = connection
    .prepare<[number, number], [SkillNumber]>('SELECT number FROM skill WHERE number > ? ORDER BY number LIMIT ?')
    .raw();
  const contents = new ContentRows(connection);
  const damagedBlobs = await findDamagedBlobs(connection, path, signal);
  const isBlobThere = (sha256: Buffer): boolean =>
    contents.hasBlob(sha256) && !damagedBlobs.has(sha256.toString('hex'));
  let characters = 0;
  for await (const batch of inTurns(numbers, path, signal)) {
    for (const [number] of batch) {
      if (characters >= CHARACTERS_A_TURN) {
        characters = 0;
        await nextTurn(signal);
      }
      const row = rows.row(number);
      const files = rows.files(number);
      characters += lengthOf(row?.record) + lengthOf(row?.properties);
      for (const { stored } of files) characters += lengthOf(stored);
      const fault =
        row === undefined
          ? 'its row is missing'
          : (rows.faultOf(row, files) ?? contents.faultOf(number, row.hash, isBlobThere) ?? look?.(row, files));
      if (fault !== undefined) skills.set(number, { id: String(row?.id), fault });
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
  const signatures: SkillNumber[] = [];
  const allSignatures = connection
    .prepare<[number, number], [SkillNumber, number, number, number, unknown, number | null]>(
      'SELECT skill, name, text, words, sketch, checksum FROM text_signature WHERE skill > ? ORDER BY skill LIMIT ?',
    )
    .raw();
  for await (const batch of inTurns(allSignatures, path, signal)) {
    for (const [skill, name, text, words, sketch, checksum] of batch) {
      if (!isSignatureWhole(skill, name, text, words, sketch, checksum)) signatures.push(skill);
    }
  }
  const derivedLabels: SkillNumber[] = [];
  const allLabels = connection
    .prepare<[number, number], [SkillNumber, Buffer, string, number | null]>(
      'SELECT skill, hash, categories, checksum FROM derived_label WHERE skill > ? ORDER BY skill LIMIT ?',
    )
    .raw();
  for await (const batch of inTurns(allLabels, path, signal)) {
    for (const [skill, hash, categories, checksum] of batch) {
      const row: DerivedLabelRow = { hash, categories, checksum };
      if (!isDerivedLabelWhole(skill, row)) derivedLabels.push(skill);
    }
  }
  return { skills, vectors, signatures, derivedLabels };
}

/** Digests of the blobs that are not as they were written. */
async function findDamagedBlobs(
  connection: Connection,
  path: string,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const damaged = new Set<string>();
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
      if (row !== undefined && !isBlobWhole(row.sha256, row)) damaged.add(String(row.sha256?.toString('hex')));
      bytes += lengthOf(row?.bytes);
      if (bytes < CHARACTERS_A_TURN) continue;
      bytes = 0;
      await nextTurn(signal);
    }
  }
  return damaged;
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
    await nextTurn(signal);
  }
}

/** Damage can change the type of a value. */
function lengthOf(value: unknown): number {
  return typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 0;
}

async function nextTurn(signal: AbortSignal | undefined): Promise<void> {
  await new Promise(setImmediate);
  signal?.throwIfAborted();
}
