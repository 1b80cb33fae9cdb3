import type { SkillNumber } from '../../core/index.js';
import { compareCodePoints } from '../../core/index.js';
import { readFacts } from '../notes.js';
import type { Connection } from '../sqlite.js';

/** Tables of which a row belongs to a skill, and the column that says to which. */
const OF_SKILLS = [
  ['skill', 'number'],
  ['claim', 'skill'],
  ['known_row', 'skill'],
  ['derived_label', 'skill'],
] as const;

/**
 * Notes from now on which skills, and which texts with a vector, a connection writes anything of. SQLite does that
 * itself, so whoever writes need not know of it.
 *
 * @param connection in a transaction; its notes go when it is closed
 */
export function watchTouched(connection: Connection): void {
  connection.exec(`
    CREATE TEMP TABLE tried_skill (number INTEGER PRIMARY KEY);
    CREATE TEMP TABLE tried_text (hash BLOB NOT NULL, is_new INTEGER NOT NULL)`);
  for (const [table, column] of OF_SKILLS) {
    for (const [event, rows] of EVENTS) {
      const notes = rows.map((row) => `INSERT OR IGNORE INTO tried_skill VALUES (${row}.${column});`);
      watch(connection, table, event, notes);
    }
  }
  for (const [event, rows] of EVENTS) {
    const notes = rows.map((row) => `INSERT INTO tried_text VALUES (${row}.text_hash, ${event === 'INSERT' ? 1 : 0});`);
    watch(connection, 'vector', event, notes);
  }
}

/** What happens to a row, and under which names a trigger sees it. */
const EVENTS = [
  ['INSERT', ['new']],
  ['UPDATE', ['old', 'new']],
  ['DELETE', ['old']],
] as const;

function watch(connection: Connection, table: string, event: string, notes: readonly string[]): void {
  connection.exec(`
    CREATE TEMP TRIGGER tried_${table}_${event} AFTER ${event} ON main.${table} BEGIN ${notes.join(' ')} END`);
}

/**
 * Ids of the skills of which anything was written, now or before, in code-point order.
 *
 * @param next {@link watchTouched} was called for
 * @param base the same catalogue, as it was then
 */
export function touchedIds(next: Connection, base: Connection): string[] {
  const ids = new Set<string>();
  const numbers = next.prepare<[], SkillNumber>('SELECT number FROM tried_skill').pluck().all();
  for (const connection of [next, base]) {
    const idOf = connection.prepare<[SkillNumber], string>('SELECT id FROM skill WHERE number = ?').pluck();
    for (const number of numbers) {
      const id = idOf.get(number);
      if (id !== undefined) ids.add(id);
    }
  }
  const texts = next.prepare<[], number | null>('SELECT min(is_new) FROM tried_text').pluck().get();
  if (typeof texts === 'number') {
    const ofTexts = next
      .prepare<[SkillNumber], string>(
        'SELECT id FROM skill WHERE number > ? AND text_hash IN (SELECT hash FROM tried_text)',
      )
      .pluck();
    for (const id of ofTexts.all(texts === 1 ? lastEmbedded(base) : 0)) ids.add(id);
  }
  return [...ids].sort(compareCodePoints);
}

/** Up to this number all skills have a vector, so new vectors are of none of them. There is no index of texts. */
function lastEmbedded(base: Connection): SkillNumber {
  const facts = readFacts(base);
  return facts?.unembedded === 0 ? facts.loaded : 0;
}
