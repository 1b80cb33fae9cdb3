import type { SkillNumber } from '../../numbers.js';
import type { Connection } from '../../sqlite/connection.js';
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
  const restore = restoreFromBase(statements.connection);
  for (const { id, number, was } of statements.touched.all()) {
    if (number !== null && brought.has(number)) continue;
    if (number !== null) statements.erase(number);
    if (was !== null) restore(id);
    statements.untouch.run(id);
  }
}

/** @returns a function that copies a skill with its files and claims from the database `base`, under a new number */
function restoreFromBase(connection: Connection): (id: string) => void {
  const columns =
    'id, stars, updated_at, record, categories, occupations, properties, copy_key, place, text_hash, hash';
  const skill = connection.prepare<[string], unknown>(
    `INSERT INTO main.skill (${columns}) SELECT ${columns} FROM base.skill WHERE id = ?`,
  );
  const inBase = '(SELECT number FROM base.skill WHERE id = :id)';
  const files = connection.prepare<[{ id: string; number: number | bigint }], unknown>(`
    INSERT INTO main.file (skill, position, filename, text)
    SELECT :number, position, filename, text FROM base.file WHERE skill = ${inBase}`);
  const claims = connection.prepare<[{ id: string; number: number | bigint }], unknown>(`
    INSERT INTO main.claim (source, skill)
    SELECT main.source.number, :number FROM base.claim
      JOIN base.source ON base.source.number = base.claim.source
      JOIN main.source ON main.source.name = base.source.name
    WHERE base.claim.skill = ${inBase}`);
  return (id) => {
    const number = skill.run(id).lastInsertRowid;
    files.run({ id, number });
    claims.run({ id, number });
  };
}
