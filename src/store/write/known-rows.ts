import { Buffer } from 'node:buffer';
import type { Connection } from '../../sqlite/connection.js';

/** Characters of a fingerprint, and bytes of a skill's hash. */
const WIDTH = 16;
/** An entry: number of the skill, fingerprint of the row, hash of the skill. */
const ENTRY_BYTES = 8 + 2 * WIDTH;
const ENTRIES_A_BLOCK = 16_384;

/**
 * What the rows of a source became when they were read last: skills by fingerprint. Only those whose skill is still what
 * the row says; whatever else may have written into the catalogue since, a row that is found here is stored as it stands.
 *
 * @returns numbers of skills that the source has
 */
export function readKnownRows(catalogue: Connection, source: string): Map<string, number> {
  const known = new Map<string, number>();
  if (!hasKnownRows(catalogue)) return known;
  const rows = catalogue
    .prepare<[string], [number, Buffer]>(`
      SELECT skill.number, known_row.fingerprint
      FROM known_row JOIN claim USING (source, skill) JOIN skill ON skill.number = known_row.skill
      WHERE known_row.source = (SELECT number FROM source WHERE name = ?) AND known_row.hash = skill.hash`)
    .raw();
  for (const [number, fingerprint] of rows.iterate(source)) known.set(fingerprint.toString('latin1'), number);
  return known;
}

/** Catalogues that no load of this version changed yet have no such table. */
function hasKnownRows(catalogue: Connection): boolean {
  return (
    catalogue.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'known_row'").get() !== undefined
  );
}

/**
 * Notes of what rows became, until they can be written: each says that a row of that fingerprint makes a skill of that
 * hash, which stays true whatever the load does later. Flat, since a load may bring millions.
 */
export class RowNotes {
  readonly #blocks: Buffer[] = [];
  #size = 0;

  add(fingerprint: string, skill: number, hash: Buffer): void {
    const at = (this.#size % ENTRIES_A_BLOCK) * ENTRY_BYTES;
    if (at === 0) this.#blocks.push(Buffer.allocUnsafe(ENTRIES_A_BLOCK * ENTRY_BYTES));
    const block = this.#blocks.at(-1) as Buffer;
    block.writeDoubleLE(skill, at);
    block.write(fingerprint, at + 8, WIDTH, 'latin1');
    hash.copy(block, at + 8 + WIDTH, 0, WIDTH);
    this.#size += 1;
  }

  /** Writes all of them; of several for one skill the last stays. */
  write(catalogue: Connection, source: string): void {
    const number = catalogue.prepare<[string], number>('SELECT number FROM source WHERE name = ?').pluck().get(source);
    if (number === undefined) return;
    const insert = catalogue.prepare(
      'INSERT OR REPLACE INTO known_row (source, skill, fingerprint, hash) VALUES (?, ?, ?, ?)',
    );
    for (let entry = 0; entry < this.#size; entry++) {
      const block = this.#blocks[Math.floor(entry / ENTRIES_A_BLOCK)]!;
      const at = (entry % ENTRIES_A_BLOCK) * ENTRY_BYTES;
      const [fingerprint, hash] = [at + 8, at + 8 + WIDTH].map((start) => block.subarray(start, start + WIDTH));
      insert.run(number, block.readDoubleLE(at), fingerprint, hash);
    }
  }
}

/** Deletes what is known of rows whose source has let go of the skill. */
export function forgetUnclaimedRows(catalogue: Connection): void {
  catalogue.exec(`
    DELETE FROM known_row WHERE NOT EXISTS (
      SELECT 1 FROM claim WHERE claim.source = known_row.source AND claim.skill = known_row.skill)`);
}
