import { CLASSIFIER_KEY } from '../derived-labels.js';
import { readMeta } from '../meta.js';
import type { Connection } from '../sqlite/connection.js';
import type { CatalogueHead } from './catalogue-changes.js';

/** Which skills of two catalogues differ, in code-point order. */
export interface ChangedIds {
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/**
 * Compares a catalogue with a former state of it. SQLite does all of it: an object for each of the skills, most of
 * which are as they were, would take longer.
 *
 * @param connection of the later state, in a transaction. The former one is attached as `base`
 * @param model of the vectors of the later state; undefined if it has none
 */
export function changedIds(connection: Connection, model: CatalogueHead['model']): ChangedIds {
  const run = (sql: string, ...parameters: unknown[]): unknown => connection.prepare(sql).run(...parameters);
  const idsOf = (sql: string): string[] => connection.prepare<[], string>(sql).pluck().all();
  run('CREATE TEMP TABLE same (next INTEGER PRIMARY KEY, base INTEGER NOT NULL)');
  run('CREATE TEMP TABLE differs (skill INTEGER PRIMARY KEY)');
  run(SAME_NUMBER);
  run(SAME_ID);
  // After the rows: one that is filled row by row takes longer.
  run('CREATE UNIQUE INDEX temp.same_base ON same (base)');
  run(SOURCES);
  for (const sql of CLAIMS) run(sql);
  const rules = { now: readMeta(connection, CLASSIFIER_KEY) ?? null, before: baseMeta(connection, CLASSIFIER_KEY) };
  for (const sql of LABELS) run(sql, rules);
  if (model !== undefined) run(MORE_VECTORS, model);
  run(LESS_VECTORS, model?.id ?? null);
  return {
    removed: idsOf(`
      SELECT id FROM base.skill AS former
      WHERE number NOT IN (SELECT base FROM same) AND NOT EXISTS (SELECT 1 FROM main.skill WHERE id = former.id)
      ORDER BY id`),
    changed: idsOf(`
      SELECT id FROM main.skill
      WHERE number NOT IN (SELECT next FROM same) OR number IN (SELECT skill FROM differs) ORDER BY id`),
  };
}

/** Most skills that did not change have the number that they had: this reads both tables once, from end to end. */
const SAME_NUMBER = `
  INSERT INTO same SELECT now.number, now.number
  FROM main.skill AS now NOT INDEXED CROSS JOIN base.skill AS former ON former.number = now.number
  WHERE former.id = now.id AND former.hash = now.hash`;

const SAME_ID = `
  INSERT INTO same SELECT now.number, former.number
  FROM main.skill AS now NOT INDEXED CROSS JOIN base.skill AS former ON former.id = now.id
  WHERE now.number NOT IN (SELECT next FROM same) AND former.hash = now.hash`;

const SOURCES = `
  CREATE TEMP TABLE source_pair AS SELECT now.number AS next, former.number AS base
  FROM main.source AS now JOIN base.source AS former ON former.name = now.name`;

/** What is claimed now and was not before or from another row, and the reverse. */
const CLAIMS = [
  `INSERT OR IGNORE INTO differs SELECT now.skill
   FROM main.claim AS now CROSS JOIN same ON same.next = now.skill
     LEFT JOIN source_pair ON source_pair.next = now.source
     LEFT JOIN base.claim AS former ON former.source = source_pair.base AND former.skill = same.base
     LEFT JOIN main.known_row AS row ON row.source = now.source AND row.skill = now.skill
     LEFT JOIN base.known_row AS former_row ON former_row.source = former.source AND former_row.skill = former.skill
   WHERE former.skill IS NULL OR row.fingerprint IS NOT former_row.fingerprint OR row.hash IS NOT former_row.hash`,
  `INSERT OR IGNORE INTO differs SELECT same.next
   FROM base.claim AS former CROSS JOIN same ON same.base = former.skill
     LEFT JOIN source_pair ON source_pair.base = former.source
   WHERE NOT EXISTS (SELECT 1 FROM main.claim WHERE source = source_pair.next AND skill = same.next)`,
];

/**
 * Each expects the rules of the classifier now and before, NULL for none. Labels of another hash than the skill's are
 * void, and so are all in a catalogue that is not classified.
 */
const LABELS = [
  `INSERT OR IGNORE INTO differs SELECT same.next
   FROM main.derived_label AS label CROSS JOIN same ON same.next = label.skill
     JOIN main.skill ON skill.number = same.next AND skill.hash = label.hash
     LEFT JOIN base.derived_label AS former ON former.skill = same.base AND former.hash = label.hash
   WHERE $now IS NOT NULL AND ($before IS NULL OR former.categories IS NOT label.categories)`,
  `INSERT OR IGNORE INTO differs SELECT same.next
   FROM base.derived_label AS former CROSS JOIN same ON same.base = former.skill
     JOIN main.skill ON skill.number = same.next AND skill.hash = former.hash
     LEFT JOIN main.derived_label AS label ON label.skill = same.next AND label.hash = former.hash
   WHERE $before IS NOT NULL AND ($now IS NULL OR label.categories IS NULL)`,
];

/**
 * Expects id and dimensions of the model. The later state has a vector of the text of these skills, and the former one
 * had none.
 */
const MORE_VECTORS = `
  INSERT OR IGNORE INTO differs SELECT number FROM main.skill WHERE text_hash IN (
    SELECT text_hash FROM main.vector AS now
    WHERE now.model = (SELECT number FROM main.model WHERE id = $id) AND NOT EXISTS (
      SELECT 1 FROM base.vector AS former
      WHERE former.model = (SELECT number FROM base.model WHERE id = $id AND dimensions = $dimensions)
        AND former.text_hash = now.text_hash))`;

/** Expects the id of the model, or NULL. The reverse. All vectors of a finished catalogue are of one model. */
const LESS_VECTORS = `
  INSERT OR IGNORE INTO differs SELECT number FROM main.skill WHERE text_hash IN (
    SELECT text_hash FROM base.vector AS former WHERE NOT EXISTS (
      SELECT 1 FROM main.vector AS now
      WHERE now.model = (SELECT number FROM main.model WHERE id = ?) AND now.text_hash = former.text_hash))`;

function baseMeta(connection: Connection, key: string): string | null {
  const sql = 'SELECT value FROM base.meta WHERE key = ?';
  return connection.prepare<[string], string>(sql).pluck().get(key) ?? null;
}
