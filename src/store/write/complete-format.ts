import type { SkillNumber, VectorNumber } from '../../numbers.js';
import type { Connection } from '../../sqlite/connection.js';
import { signatureChecksum, vectorChecksum } from '../checksums.js';
import { formatOf } from '../format.js';
import { StoredRows } from '../read/stored-row.js';
import { FORMAT_UNPACKED, FORMAT_WITHOUT_CHECKSUMS, KNOWN_ROWS, TEXT_SIGNATURES } from '../schema.js';
import { hasUnitLength } from '../vector-bytes.js';
import { SkillSeal } from './seal-skill.js';

/**
 * Completes a catalogue of the format without checksums, so that it has the next one, inside the open transaction. What
 * does not fit the hash of its skill gets none: it stays marked as damaged until a load brings it again. Vectors have
 * no hash, so they are taken as they are if they have unit length.
 */
export function completeFormat(connection: Connection): void {
  if (formatOf(connection) !== FORMAT_WITHOUT_CHECKSUMS) return;
  const former = new StoredRows(connection);
  // The check of each skill is still that of the former format.
  connection.exec(`
    ${KNOWN_ROWS}
    ALTER TABLE skill ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE skill ADD COLUMN record_checksum INTEGER;
    ALTER TABLE skill ADD COLUMN shown_checksum INTEGER;
    ALTER TABLE skill ADD COLUMN checksum INTEGER;
    ALTER TABLE file ADD COLUMN checksum INTEGER;
    ALTER TABLE vector ADD COLUMN checksum INTEGER;`);
  const seal = new SkillSeal(connection);
  for (const number of former.numbers.all()) {
    const row = former.row(number)!;
    const files = former.files(number);
    if (former.faultOf(row, files) === undefined) seal.write(row, files);
  }
  sealVectors(connection);
  sealSignatures(connection);
  connection.pragma(`user_version = ${FORMAT_UNPACKED}`);
}

function sealVectors(connection: Connection): void {
  const read = connection
    .prepare<[VectorNumber], [Buffer, number]>(`
      SELECT embedding, dimensions FROM vector JOIN model ON model.number = model WHERE vector.number = ?`)
    .raw();
  const write = connection.prepare('UPDATE vector SET checksum = ? WHERE number = ?');
  const drop = connection.prepare('DELETE FROM vector WHERE number = ?');
  for (const number of connection.prepare<[], VectorNumber>('SELECT number FROM vector').pluck().all()) {
    const [embedding, dimensions] = read.get(number) ?? [];
    const isWhole = embedding !== undefined && hasUnitLength(embedding, dimensions!);
    if (isWhole) write.run(vectorChecksum(number, embedding), number);
    else drop.run(number);
  }
}

/** Signatures are derived from the texts of their skills, so a wrong one costs no more than a group of copies. */
function sealSignatures(connection: Connection): void {
  const exists = connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'text_signature'").get() !== undefined;
  if (!exists) {
    connection.exec(TEXT_SIGNATURES);
    return;
  }
  connection.exec('ALTER TABLE text_signature ADD COLUMN checksum INTEGER');
  const all = connection
    .prepare<[], [SkillNumber, number, number, number, Buffer]>(
      'SELECT skill, name, text, words, sketch FROM text_signature',
    )
    .raw()
    .all();
  const write = connection.prepare('UPDATE text_signature SET checksum = ? WHERE skill = ?');
  for (const [skill, name, text, words, sketch] of all) {
    write.run(signatureChecksum(skill, name, text, words, sketch), skill);
  }
}
