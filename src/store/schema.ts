/** `PRAGMA application_id` of a catalogue: the letters SKIL. Tells our files from other SQLite databases. */
export const APPLICATION_ID = 0x534b494c;

/** `PRAGMA user_version` of a catalogue. Raised whenever a file of the former kind would be misread. */
export const FORMAT_VERSION = 1;

/**
 * The tables of a catalogue.
 *
 * - `skill.record` is the answer ready to send: a JSON object of the eight fields of the specification, in its order.
 * - `skill.place` is where the skill came from; a derived id belongs to it for good.
 * - `skill.hash` covers all that is stored of a skill: equal means unchanged.
 * - `skill.copy_key` is equal for skills of the same name and description.
 * - `claim` says which sources a skill was found in; pruning a source takes its claims away.
 * - `meta` holds `stamp`, a random value of each finished load, the stamp that it `replaces`, and of a running load its
 *   `load_key`.
 * - `touched` is empty in a finished catalogue; a load notes in it what each skill it changed was before.
 */
export const SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE source (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE skill (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  stars INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  record TEXT NOT NULL,
  categories TEXT NOT NULL,
  occupations TEXT NOT NULL,
  properties TEXT NOT NULL,
  copy_key TEXT NOT NULL,
  place TEXT NOT NULL,
  hash BLOB NOT NULL
);
CREATE TABLE file (
  skill INTEGER NOT NULL REFERENCES skill (number),
  position INTEGER NOT NULL,
  filename TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (skill, position)
);
CREATE TABLE claim (
  source INTEGER NOT NULL REFERENCES source (number),
  skill INTEGER NOT NULL REFERENCES skill (number),
  PRIMARY KEY (source, skill)
) WITHOUT ROWID;
CREATE INDEX claim_skill ON claim (skill);
CREATE TABLE touched (id TEXT PRIMARY KEY, was BLOB) WITHOUT ROWID;
`;
