import { changeIn } from '../catalogue-file.js';

/** What keeps whoever reads it busy for ever. */
const ENDLESS = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS key, i AS value FROM n';

/** Changes of a catalogue's schema by somebody else, each with what a message names of it. */
export const LIES: readonly (readonly [what: string, named: string, sql: string])[] = [
  ['a view without end', 'its view `meta`', `DROP TABLE meta; CREATE VIEW meta AS ${ENDLESS}`],
  ['another view', 'its view `more`', 'CREATE VIEW more AS SELECT 1'],
  ['a trigger', 'its trigger `more`', `CREATE TRIGGER more AFTER INSERT ON meta BEGIN ${ENDLESS}; END`],
  ['another table', 'its table `more`', 'CREATE TABLE more (a)'],
  ['another index', 'its index `more`', 'CREATE INDEX more ON revision (stars)'],
  ['an index on an expression', 'its index `more`', 'CREATE INDEX more ON revision (length(zeroblob(stars)))'],
  ['a generated column', 'its table `revision`', 'ALTER TABLE revision ADD COLUMN more AS (length(zeroblob(stars)))'],
  ['a virtual table', 'its table `more`', 'CREATE VIRTUAL TABLE more USING fts5 (a)'],
  ['statistics', 'its table `sqlite_stat1`', 'ANALYZE'],
  ['no index', 'it lacks CREATE INDEX claim_skill', 'DROP INDEX claim_skill'],
];

/** Damages what a catalogue notes of itself, so that it cannot be opened. */
export function damageNotes(catalogue: string): void {
  changeIn(catalogue, "UPDATE meta SET value = '0' WHERE key = 'checksum'");
}
