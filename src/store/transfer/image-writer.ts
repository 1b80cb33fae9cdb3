import type { SkillNumber } from '../../core/index.js';
import type { PackedBlob } from '../blob-packing.js';
import type { Connection, Statement } from '../sqlite/connection.js';
import { OpenChange } from '../write/open-change.js';
import type { OpenLoad } from '../write/open-load.js';
import type { WriterStatements } from '../write/writer-statements.js';
import type { CheckedImage } from './check-image.js';
import type { ImageClaim } from './skill-image.js';

/** Writes images of skills into the open files of a load or of a small change. What is as they say stays. */
export class ImageWriter {
  readonly #load: OpenLoad | OpenChange;
  /** Whether nothing is stored yet, so that nothing need be looked for. */
  readonly #isFresh: boolean;
  #claims: ClaimStatements | undefined;

  constructor(load: OpenLoad | OpenChange, isFresh: boolean) {
    this.#load = load;
    this.#isFresh = isFresh;
  }

  /**
   * @param blobs bytes of its contents that are not stored yet
   * @returns the number of the skill
   */
  put(checked: CheckedImage, blobs: readonly PackedBlob[]): SkillNumber {
    const { image, contents, compared } = checked;
    const { columns, files } = image;
    const statements = this.#load.write(blobs.reduce((sum, { bytes }) => sum + bytes.length, 0));
    this.#claims ??= new ClaimStatements(statements.connection);
    const stored = this.#isFresh ? undefined : statements.find.get(columns.id);
    if (stored?.hash.equals(columns.hash) === true && !this.#isLabelSeen(stored.number, checked)) {
      this.#putLabels(statements, stored.number, checked);
      this.#claims.replace(stored.number, image.claims);
      return stored.number;
    }
    const skill = statements.save(columns, { files, contents }, stored?.number, blobs);
    this.#load.signatures?.sign(skill, compared);
    this.#putLabels(statements, skill, checked);
    if (stored === undefined) this.#claims.insert(skill, image.claims);
    else this.#claims.replace(skill, image.claims);
    return skill;
  }

  /** Does nothing if there is no such skill. */
  remove(id: string): void {
    const stored = this.#load.statements.find.get(id);
    if (stored === undefined) return;
    const statements = this.#load.write();
    this.#claims ??= new ClaimStatements(statements.connection);
    this.#claims.delete(stored.number);
    statements.erase(stored.number);
  }

  /** Whether readers have seen other derived labels of a skill: in place it needs another number then, too. */
  #isLabelSeen(skill: SkillNumber, { image: { columns, derivedCategories } }: CheckedImage): boolean {
    if (!(this.#load instanceof OpenChange)) return false;
    return this.#load.statements.labels.of(skill, columns.hash) !== derivedCategories;
  }

  #putLabels(statements: WriterStatements, skill: SkillNumber, checked: CheckedImage): void {
    const { image, derivedCategories } = checked;
    const { hash } = image.columns;
    const stored = this.#isFresh ? undefined : statements.labels.of(skill, hash);
    if (stored === image.derivedCategories) return;
    if (derivedCategories === undefined) statements.labels.forget([skill]);
    else statements.labels.put(skill, hash, derivedCategories);
  }
}

/** The SQL of claims of one skill, and of what rows became it. */
class ClaimStatements {
  readonly #of: Statement<[SkillNumber], [source: string, fingerprint: Buffer | null, hash: Buffer | null]>;
  readonly #deletes: readonly Statement<[SkillNumber], unknown>[];
  readonly #insertSource: Statement<[name: string], unknown>;
  readonly #sourceOf: Statement<[name: string], number>;
  readonly #insertClaim: Statement<[source: number, skill: SkillNumber], unknown>;
  readonly #insertRow: Statement<[source: number, skill: SkillNumber, fingerprint: Buffer, hash: Buffer], unknown>;
  readonly #sources = new Map<string, number>();

  constructor(connection: Connection) {
    this.#of = connection
      .prepare<[SkillNumber], [string, Buffer | null, Buffer | null]>(`
        SELECT name, fingerprint, hash FROM main.claim JOIN main.source ON source.number = claim.source
          LEFT JOIN main.known_row ON known_row.source = claim.source AND known_row.skill = claim.skill
        WHERE claim.skill = ? ORDER BY name`)
      .raw();
    this.#deletes = [
      connection.prepare('DELETE FROM main.claim WHERE skill = ?'),
      // No index has the skill first, and sources are few.
      connection.prepare('DELETE FROM main.known_row WHERE source IN (SELECT number FROM main.source) AND skill = ?'),
    ];
    this.#insertSource = connection.prepare('INSERT OR IGNORE INTO main.source (name) VALUES (?)');
    this.#sourceOf = connection.prepare<[string], number>('SELECT number FROM main.source WHERE name = ?').pluck();
    this.#insertClaim = connection.prepare('INSERT INTO main.claim (source, skill) VALUES (?, ?)');
    this.#insertRow = connection.prepare(
      'INSERT INTO main.known_row (source, skill, fingerprint, hash) VALUES (?, ?, ?, ?)',
    );
  }

  delete(skill: SkillNumber): void {
    for (const statement of this.#deletes) statement.run(skill);
  }

  replace(skill: SkillNumber, claims: readonly ImageClaim[]): void {
    const present = this.#of.all(skill);
    const isSame = present.length === claims.length && present.every((row, i) => isClaim(row, claims[i]!));
    if (isSame) return;
    this.delete(skill);
    this.insert(skill, claims);
  }

  /** Writes the claims of a skill that has none. */
  insert(skill: SkillNumber, claims: readonly ImageClaim[]): void {
    for (const { source, row } of claims) {
      const number = this.#numberOf(source);
      this.#insertClaim.run(number, skill);
      if (row !== undefined) this.#insertRow.run(number, skill, row.fingerprint, row.hash);
    }
  }

  #numberOf(source: string): number {
    let number = this.#sources.get(source);
    if (number === undefined) {
      this.#insertSource.run(source);
      number = this.#sourceOf.get(source)!;
      this.#sources.set(source, number);
    }
    return number;
  }
}

function isClaim(
  [name, fingerprint, hash]: readonly [string, Buffer | null, Buffer | null],
  { source, row }: ImageClaim,
): boolean {
  if (name !== source) return false;
  if (row === undefined || fingerprint === null || hash === null) return row === undefined && fingerprint === null;
  return fingerprint.equals(row.fingerprint) && hash.equals(row.hash);
}
