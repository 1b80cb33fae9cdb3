/** `PRAGMA application_id` of a catalogue: the letters SKIL. Distinguishes our files from other SQLite databases. */
export const APPLICATION_ID = 0x534b494c;

/** `PRAGMA user_version` of a catalogue. Change it when this version would misread a file of the version before. */
export const FORMAT_VERSION = 1;

// Columns that a table has in common with that of its superseded rows.
const SKILL_COLUMNS = `  stars INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  record TEXT NOT NULL,
  categories TEXT NOT NULL,
  occupations TEXT NOT NULL,
  properties TEXT NOT NULL,
  copy_key TEXT NOT NULL,
  place TEXT NOT NULL,
  text_hash BLOB NOT NULL,
  hash BLOB NOT NULL,
  tags TEXT NOT NULL,
  checksum INTEGER`;
const CONTENT_FILE_COLUMNS = `  skill INTEGER NOT NULL,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 BLOB NOT NULL,
  executable INTEGER NOT NULL,
  complete INTEGER NOT NULL,
  is_text INTEGER NOT NULL,
  kept TEXT NOT NULL,
  PRIMARY KEY (skill, path)`;
const FILE_COLUMNS = `  position INTEGER NOT NULL,
  filename TEXT NOT NULL,
  text TEXT NOT NULL,
  checksum INTEGER,
  PRIMARY KEY (skill, position)`;
const LABEL_COLUMNS = `  skill INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  categories TEXT NOT NULL,
  checksum INTEGER`;
const SIGNATURE_COLUMNS = `  skill INTEGER PRIMARY KEY,
  name INTEGER NOT NULL,
  text INTEGER NOT NULL,
  words INTEGER NOT NULL,
  sketch BLOB NOT NULL,
  checksum INTEGER`;

/** What a classifier found. */
export const DERIVED_LABELS = 'derived_label';

/**
 * What small changes leave for readers that opened the state before them. Each of these tables has the columns of the
 * table that its rows come from, and no constraint of it.
 */
export const SUPERSEDED: Readonly<
  Record<'skill' | 'file' | 'contents' | 'content_file' | 'derived_label' | 'text_signature', string>
> = {
  skill: 'superseded',
  file: 'superseded_file',
  contents: 'superseded_contents',
  content_file: 'superseded_content_file',
  derived_label: 'superseded_label',
  text_signature: 'superseded_signature',
};

/** Skills that are no longer kept for readers. What is left of them is what derived files of former states need. */
export const FORGOTTEN = 'forgotten';

/** The states that small changes have made since the last whole load. */
export const STATES = 'state';

/**
 * The statements that make a catalogue, as SQLite keeps them: each letter is compared before a table is read.
 *
 * - `skill.record` is the answer nearly ready to send: a JSON object with the eight fields of the specification, in its
 *   order.
 * - `file.text` is a text, or a BLOB with a compressed one (`packing.ts`). Its checksum covers what is stored.
 * - `skill.place` is the location of the skill. A derived id always belongs to the same location.
 * - `skill.hash` covers everything that is stored of a skill. Equal hashes mean that the skill is unchanged. It says by
 *   its length whether the skill has contents.
 * - `skill.text_hash` identifies the text that is embedded. Skills with the same text share a vector.
 * - `skill.copy_key` is equal for skills with the same name and description.
 * - `tags` are labels as texts, categories and occupations are slugs: JSON arrays.
 * - The columns of checksums are described in `checksums.ts`. NULL marks what is known to be damaged.
 * - `claim` says in which sources a skill was found. Pruning a source deletes its claims.
 * - `known_row` says what a row of a source became: a row with this fingerprint makes a skill with this hash. An entry
 *   is void if the skill has another hash by now.
 * - `text_signature` finds skills with nearly the same text. The next load adds missing ones.
 * - `contents` has what a skill is made of, if that is more than excerpts of texts. `complete_id` is the id of a skill whose contents are complete, else NULL.
 * - `content_file` has the files. The bytes of one are `kept` as a `blob`, as the `text` of the file of that name, or
 *   not at all (`none`).
 * - `blob` has bytes, once for each digest: compressed (`deflate`) or, if that does not help, as they are (`raw`).
 * - `derived_label` has what a classifier found of each skill without categories: an array of categories, empty where
 *   it was unsure. An entry is void if the skill has another hash by now.
 * - `vector.embedding` has unit length: 32-bit floats, little-endian. Numbers are never reused, so that derived files
 *   can be updated by them. A finished catalogue has vectors of one model only.
 * - `meta` holds the `stamp`, a random value of each finished load; the
 *   `signature_rules`; the id of the `model` of the vectors; the rules of the `classifier` that made all derived
 *   labels, if the catalogue is classified; the `shared_version` of a replica
 *   (`notes.ts`); and what a finished load notes of the whole: `facts`, and the `checksum` of all
 *   other entries.
 * - `state` has the states that small changes made since the last whole load (`revisions.ts`): the first row is the state
 *   that the load made. A skill above `last_skill` is not of a state, nor is a vector above `last_vector`.
 * - `superseded` has the skills that these changes replaced or removed, under their numbers; `gone` is the sequence of
 *   the first state without them. What belongs to them is in `superseded_file` and so on. The next whole load deletes
 *   all of it.
 * - `forgotten` has the numbers of those that are no longer kept, and of their signatures what tells their relatives.
 */
export const SCHEMA: readonly string[] = [
  'CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
  'CREATE TABLE source (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)',
  `CREATE TABLE skill (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
${SKILL_COLUMNS}
)`,
  `CREATE TABLE file (
  skill INTEGER NOT NULL REFERENCES skill (number),
${FILE_COLUMNS}
)`,
  `CREATE TABLE claim (
  source INTEGER NOT NULL REFERENCES source (number),
  skill INTEGER NOT NULL REFERENCES skill (number),
  PRIMARY KEY (source, skill)
) WITHOUT ROWID`,
  'CREATE INDEX claim_skill ON claim (skill)',
  'CREATE TABLE model (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL)',
  `CREATE TABLE vector (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  model INTEGER NOT NULL REFERENCES model (number),
  text_hash BLOB NOT NULL,
  embedding BLOB NOT NULL,
  checksum INTEGER,
  UNIQUE (model, text_hash)
)`,
  `CREATE TABLE known_row (
  source INTEGER NOT NULL,
  skill INTEGER NOT NULL,
  fingerprint BLOB NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (source, skill)
) WITHOUT ROWID`,
  `CREATE TABLE text_signature (
${SIGNATURE_COLUMNS}
)`,
  'CREATE INDEX text_signature_name ON text_signature (name)',
  'CREATE INDEX text_signature_text ON text_signature (text)',
  `CREATE TRIGGER skill_changed AFTER UPDATE OF hash ON skill
BEGIN
  DELETE FROM text_signature WHERE skill = old.number;
END`,
  `CREATE TRIGGER skill_deleted AFTER DELETE ON skill
BEGIN
  DELETE FROM text_signature WHERE skill = old.number;
END`,
  `CREATE TABLE contents (
  skill INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  complete_id TEXT UNIQUE,
  checksum INTEGER
)`,
  `CREATE TABLE content_file (
${CONTENT_FILE_COLUMNS}
) WITHOUT ROWID`,
  `CREATE TABLE blob (
  number INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  packing TEXT NOT NULL,
  bytes BLOB NOT NULL,
  checksum INTEGER
)`,
  `CREATE TABLE ${DERIVED_LABELS} (
${LABEL_COLUMNS}
)`,
  `CREATE TABLE ${STATES} (
  sequence INTEGER PRIMARY KEY,
  stamp TEXT NOT NULL UNIQUE,
  last_skill INTEGER NOT NULL,
  last_vector INTEGER NOT NULL
)`,
  `CREATE TABLE ${SUPERSEDED.skill} (
  number INTEGER PRIMARY KEY,
  gone INTEGER NOT NULL,
  id TEXT NOT NULL,
${SKILL_COLUMNS}
)`,
  `CREATE INDEX superseded_gone ON ${SUPERSEDED.skill} (gone)`,
  `CREATE INDEX superseded_id ON ${SUPERSEDED.skill} (id)`,
  `CREATE TABLE ${SUPERSEDED.file} (
  skill INTEGER NOT NULL,
${FILE_COLUMNS}
)`,
  `CREATE TABLE ${SUPERSEDED.contents} (
  skill INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  complete_id TEXT,
  checksum INTEGER
)`,
  `CREATE TABLE ${SUPERSEDED.content_file} (
${CONTENT_FILE_COLUMNS}
) WITHOUT ROWID`,
  `CREATE TABLE ${SUPERSEDED.derived_label} (
${LABEL_COLUMNS}
)`,
  `CREATE TABLE ${SUPERSEDED.text_signature} (
${SIGNATURE_COLUMNS}
)`,
  `CREATE TABLE ${FORGOTTEN} (
  skill INTEGER PRIMARY KEY,
  gone INTEGER NOT NULL,
  name INTEGER,
  text INTEGER,
  words INTEGER
)`,
  `CREATE INDEX forgotten_gone ON ${FORGOTTEN} (gone)`,
];

/**
 * The order of documents, as terms of `ORDER BY`: latest update first, then by id. SQLite compares text by its UTF-8
 * bytes, which is code-point order. A document's number is its position in this order.
 */
export const DOCUMENT_ORDER = 'updated_at DESC, id';

/** All that the schema of a catalogue says. The second is SQLite's own, for the numbers of vectors. */
export const STATEMENTS: readonly string[] = [...SCHEMA, 'CREATE TABLE sqlite_sequence(name,seq)'];
