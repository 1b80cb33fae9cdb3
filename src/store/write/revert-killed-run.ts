import type { SkillNumber } from '../../core/index.js';
import { ContentRows } from '../content-rows.js';
import { StoredRows } from '../read/stored-row.js';
import { SkillSeal } from './seal-skill.js';
import type { WriterStatements } from './writer-statements.js';

/**
 * Undoes what a killed run of this load did to skills that the present run did not bring: the sources may have changed
 * since. Skills that the load did not change stay as they are.
 *
 * @param statements of the working copy; if there is a catalogue it is attached as `base`
 * @param brought skills that the present run brought
 */
export function revertKilledRun(
  statements: WriterStatements,
  hasBase: boolean,
  brought: ReadonlySet<SkillNumber>,
): void {
  if (!hasBase) {
    for (const skill of statements.skillNumbers.all()) if (!brought.has(skill)) statements.erase(skill);
    return;
  }
  const restore = restoreFromBase(statements);
  for (const { id, number, was } of statements.touched.all()) {
    if (number !== null && brought.has(number)) continue;
    if (number !== null) statements.erase(number);
    if (was !== null) restore(id);
    statements.untouch.run(id);
  }
}

/**
 * @returns a function that copies a skill with its files, contents and claims from the database `base`, under a new
 *   number. What is damaged there is copied, too, and stays marked.
 */
function restoreFromBase(statements: WriterStatements): (id: string) => void {
  const { connection } = statements;
  const base = new StoredRows(connection, 'base');
  const seal = new SkillSeal(connection);
  const columns =
    'id, stars, updated_at, record, categories, occupations, properties, copy_key, place, text_hash, hash, tags';
  const number = connection.prepare<[string], SkillNumber>('SELECT number FROM base.skill WHERE id = ?').pluck();
  const skill = connection.prepare<[SkillNumber], unknown>(`
    INSERT INTO main.skill (${columns})
    SELECT ${columns} FROM base.skill WHERE number = ?`);
  const files = connection.prepare<[to: SkillNumber, from: SkillNumber], unknown>(`
    INSERT INTO main.file (skill, position, filename, text)
    SELECT ?, position, filename, text FROM base.file WHERE skill = ?`);
  const claims = connection.prepare<[to: SkillNumber, from: SkillNumber], unknown>(`
    INSERT INTO main.claim (source, skill)
    SELECT main.source.number, ? FROM base.claim
      JOIN base.source ON base.source.number = base.claim.source
      JOIN main.source ON main.source.name = base.source.name
    WHERE base.claim.skill = ?`);
  const contents = new ContentRows(connection, 'base');
  /** The bytes are still there: those without a skill are deleted when a load ends. Damaged contents are lost. */
  const restoreContents = (from: SkillNumber, to: SkillNumber): void => {
    const stored = contents.contents(from);
    const storedFiles = contents.files(from);
    if (stored === undefined || !contents.isWhole(from, stored, storedFiles)) return;
    statements.contents.delete(to);
    statements.contents.write(to, stored.hash, stored.completeId, storedFiles);
  };
  return (id) => {
    const from = number.get(id);
    const row = from === undefined ? undefined : base.row(from);
    if (from === undefined || row === undefined) return;
    const to = Number(skill.run(from).lastInsertRowid);
    files.run(to, from);
    claims.run(to, from);
    restoreContents(from, to);
    const stored = base.files(from);
    if (base.faultOf(row, stored) === undefined) seal.write({ ...row, number: to }, stored);
  };
}
