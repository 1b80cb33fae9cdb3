/** `PRAGMA application_id` of a catalogue: the letters SKIL. Tells our files from other SQLite databases. */
export const APPLICATION_ID = 0x534b494c;

/** `PRAGMA user_version` of a catalogue. Raised whenever a file of the former kind would be misread. */
export const FORMAT_VERSION = 2;

/** Came to format 2 later: a catalogue may be without it, and a version that does not know it may leave it as it is. */
export const KNOWN_ROWS: string = `
CREATE TABLE IF NOT EXISTS known_row (
  source INTEGER NOT NULL,
  skill INTEGER NOT NULL,
  fingerprint BLOB NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (source, skill)
) WITHOUT ROWID;
`;

/** Came to format 2 later, too. By its triggers a version that does not know it leaves no signature that is not right. */
export const TEXT_SIGNATURES: string = `
CREATE TABLE IF NOT EXISTS text_signature (
  skill INTEGER PRIMARY KEY,
  name INTEGER NOT NULL,
  text INTEGER NOT NULL,
  words INTEGER NOT NULL,
  sketch BLOB NOT NULL
);
CREATE TRIGGER IF NOT EXISTS skill_changed AFTER UPDATE OF hash ON skill
BEGIN
  DELETE FROM text_signature WHERE skill = old.number;
END;
CREATE TRIGGER IF NOT EXISTS skill_deleted AFTER DELETE ON skill
BEGIN
  DELETE FROM text_signature WHERE skill = old.number;
END;
`;

/**
 * The tables of a catalogue.
 *
 * - `skill.record` is the answer ready to send: a JSON object of the eight fields of the specification, in its order.
 * - `skill.place` is where the skill came from; a derived id belongs to it for good.
 * - `skill.hash` covers all that is stored of a skill: equal means unchanged.
 * - `skill.text_hash` names the text that is embedded of a skill; skills of the same text share a vector.
 * - `skill.copy_key` is equal for skills of the same name and description.
 * - `claim` says which sources a skill was found in; pruning a source takes its claims away.
 * - `known_row` says what a row of a source became: a row of that fingerprint makes a skill of that hash. An entry whose
 *   hash is not the skill's any more says nothing.
 * - `text_signature` tells skills of nearly the same text (`text-signature.ts`); one that is missing is made by the next load.
 * - `vector.embedding` is of unit length: 32-bit floats, little-endian. Numbers are never given again, so that what is
 *   derived from vectors can be brought up to date by them. A finished catalogue has vectors of one model only.
 * - `meta` holds `stamp`, a random value of each finished load, the stamp that it `replaces`, the `signature_rules`, the
 *   id of the `model` of the vectors, and of a running load its `load_key`.
 * - `touched` is empty in a finished catalogue; a load into one that exists notes in it what each skill it
 *   changed was before.
 */
export const SCHEMA: string = `
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
  text_hash BLOB NOT NULL,
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
CREATE TABLE model (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL);
CREATE TABLE vector (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  model INTEGER NOT NULL REFERENCES model (number),
  text_hash BLOB NOT NULL,
  embedding BLOB NOT NULL,
  UNIQUE (model, text_hash)
);
CREATE TABLE touched (id TEXT PRIMARY KEY, was BLOB) WITHOUT ROWID;
${KNOWN_ROWS}${TEXT_SIGNATURES}`;
