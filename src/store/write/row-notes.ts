import { Buffer } from 'node:buffer';
import type { SkillNumber } from '../../core/index.js';
import type { Connection } from '../sqlite/connection.js';
import { HASH_BYTES } from '../stored-skill.js';

/** Characters of a row's fingerprint. */
const FINGERPRINT_BYTES = 16;
/** Where the hash of the skill stands in an entry, behind its length. */
const HASH_AT = 8 + FINGERPRINT_BYTES + 1;
/** An entry: number of the skill, fingerprint of the row, hash of the skill, perhaps with its mark of contents. */
const ENTRY_BYTES = HASH_AT + HASH_BYTES + 1;
const ENTRIES_A_BLOCK = 16_384;

/**
 * What the rows of a load became, for the `KnownRows` of the next load. Written when the load ends.
 *
 * A note says that a row with this fingerprint makes a skill with this hash. That stays true whatever the load does
 * later.
 */
export class RowNotes {
  readonly #bySource = new Map<string, NotesOfSource>();

  add(source: string, fingerprint: string, skill: SkillNumber, hash: Buffer): void {
    let notes = this.#bySource.get(source);
    if (notes === undefined) {
      notes = new NotesOfSource();
      this.#bySource.set(source, notes);
    }
    notes.add(fingerprint, skill, hash);
  }

  /** Writes the notes of every source that the catalogue has. */
  write(catalogue: Connection): void {
    const sourceNumber = catalogue.prepare<[string], number>('SELECT number FROM source WHERE name = ?').pluck();
    for (const [source, notes] of this.#bySource) {
      const number = sourceNumber.get(source);
      if (number !== undefined) notes.write(catalogue, number);
    }
  }
}

/** In flat blocks of bytes, since a load may bring millions of rows. */
class NotesOfSource {
  readonly #blocks: Buffer[] = [];
  #size = 0;

  add(fingerprint: string, skill: SkillNumber, hash: Buffer): void {
    const at = (this.#size % ENTRIES_A_BLOCK) * ENTRY_BYTES;
    if (at === 0) this.#blocks.push(Buffer.allocUnsafe(ENTRIES_A_BLOCK * ENTRY_BYTES));
    const block = this.#blocks.at(-1)!;
    block.writeDoubleLE(skill, at);
    block.write(fingerprint, at + 8, FINGERPRINT_BYTES, 'latin1');
    block[at + HASH_AT - 1] = hash.length;
    hash.copy(block, at + HASH_AT);
    this.#size += 1;
  }

  /** Writes all entries. If there are several for one skill, the last one stays. */
  write(catalogue: Connection, source: number): void {
    const insert = catalogue.prepare(
      'INSERT OR REPLACE INTO known_row (source, skill, fingerprint, hash) VALUES (?, ?, ?, ?)',
    );
    for (let entry = 0; entry < this.#size; entry++) {
      const block = this.#blocks[Math.floor(entry / ENTRIES_A_BLOCK)]!;
      const at = (entry % ENTRIES_A_BLOCK) * ENTRY_BYTES;
      const fingerprint = block.subarray(at + 8, at + 8 + FINGERPRINT_BYTES);
      const hash = block.subarray(at + HASH_AT, at + HASH_AT + block[at + HASH_AT - 1]!);
      insert.run(source, block.readDoubleLE(at), fingerprint, hash);
    }
  }
}

/** Deletes the notes of rows whose source no longer claims the skill. */
export function forgetUnclaimedRows(catalogue: Connection): void {
  catalogue.exec(`
    DELETE FROM known_row WHERE NOT EXISTS (
      SELECT 1 FROM claim WHERE claim.source = known_row.source AND claim.skill = known_row.skill)`);
}
