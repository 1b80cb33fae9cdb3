/** `PRAGMA application_id` of a catalogue: the letters SKIL. Distinguishes our files from other SQLite databases. */
export const APPLICATION_ID = 0x534b494c;

/** `PRAGMA user_version` of a catalogue. Change it when this version would misread a file of the version before. */
export const FORMAT_VERSION = 2;

/** Columns of a revision that are read. */
export const SKILL_COLUMNS = `number, id, stars, updated_at, record, categories, occupations, tags, properties, copy_key,
  place, text_hash, hash, derived, signature, checksum, contents`;

/** Whether all files of a skill are kept as they are, as SQL: an index has those of which it is true. */
export const IS_COMPLETE = "substr(contents, 1, 6) = '[true,'";

/**
 * The statements that make a catalogue, as SQLite keeps them: each letter is compared before a table is read.
 *
 * - `revision` has a row for each revision of a skill. The present ones are `skill`: `gone` is 0. An incremental update
 *   leaves what it replaced or removed for readers that opened the catalogue before; `gone` is then the sequence of the
 *   first state without it. The next whole load deletes all of these. What belongs to a revision lies under its number.
 * - `record` has the texts of an answer, `properties` what else a source says: see `stored-skill.ts`. `tags` are labels
 *   as texts, categories and occupations are slugs: JSON arrays.
 * - `copy_key` is equal for skills with the same name and description.
 * - `place` is the location of the skill. A derived id always belongs to the same location.
 * - `text_hash` identifies the texts that are embedded. Skills with the same texts share a vector.
 * - `hash` covers all that comes from the source. Equal hashes mean that the skill is unchanged.
 * - `derived` has what a classifier found of a skill without categories, empty where it was unsure; NULL if none has
 *   seen the skill. `signature` finds skills with nearly the same text: see `text-signature.ts`.
 * - The columns of checksums are described in `checksums.ts`. NULL marks what is known to be damaged.
 * - `file.text` is a text, or a BLOB with a compressed one (`packing.ts`). Its checksum covers what is stored.
 * - `claim` says in which sources a skill was found. Pruning a source deletes its claims. A row of the source with the
 *   `fingerprint`, if there is one, makes a skill with the `hash`: it is void if the skill has another hash by now.
 * - `contents` has what a skill is made of, if that is more than excerpts of texts, as JSON: whether it is complete, and
 *   its files. The bytes of one are kept as a `blob`, as the `text` of the file of that name, or not at all (`none`).
 * - `blob` has bytes, once for each digest: compressed (`deflate`) or, if that does not help, as they are (`raw`).
 * - `vector.embedding` has unit length: 32-bit floats, little-endian. Numbers are never reused, so that derived files
 *   can be updated by them. A finished catalogue has vectors of one model only.
 * - `meta` holds the `stamp`, a random value of each finished load; the `signature_rules`; the id of the `model` of the
 *   vectors; the rules of the `classifier` that made all derived labels, if the catalogue is classified; the
 *   `shared_version` of a replica; and what a finished load notes of the whole (`notes.ts`): `facts`, and the
 *   `checksum` of all other entries.
 * - `state` has the states that incremental updates made since the last whole load (`revisions.ts`): the first row is
 *   the state that the load made. A skill above `last_skill` is not of a state, nor is a vector above `last_vector`.
 */
export const SCHEMA: readonly string[] = [
  'CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
  'CREATE TABLE source (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)',
  `CREATE TABLE revision (
  number INTEGER PRIMARY KEY,
  gone INTEGER NOT NULL DEFAULT 0,
  id TEXT NOT NULL,
  stars INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  record TEXT NOT NULL,
  categories TEXT NOT NULL,
  occupations TEXT NOT NULL,
  tags TEXT NOT NULL,
  properties TEXT NOT NULL,
  copy_key TEXT NOT NULL,
  place TEXT NOT NULL,
  text_hash BLOB NOT NULL,
  hash BLOB NOT NULL,
  derived TEXT,
  signature BLOB NOT NULL,
  checksum INTEGER,
  contents TEXT,
  UNIQUE (id, gone)
)`,
  'CREATE INDEX revision_gone ON revision (gone) WHERE gone > 0',
  `CREATE INDEX revision_complete ON revision (id) WHERE ${IS_COMPLETE}`,
  'CREATE INDEX revision_name ON revision (substr(signature, 1, 4))',
  'CREATE INDEX revision_text ON revision (substr(signature, 5, 8))',
  `CREATE VIEW skill AS SELECT ${SKILL_COLUMNS} FROM revision WHERE gone = 0`,
  `CREATE TABLE file (
  skill INTEGER NOT NULL REFERENCES revision (number) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  filename TEXT NOT NULL,
  text TEXT NOT NULL,
  checksum INTEGER,
  PRIMARY KEY (skill, position)
)`,
  `CREATE TABLE claim (
  source INTEGER NOT NULL REFERENCES source (number),
  skill INTEGER NOT NULL REFERENCES revision (number) ON DELETE CASCADE,
  fingerprint BLOB,
  hash BLOB,
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
  `CREATE TABLE blob (
  number INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  packing TEXT NOT NULL,
  bytes BLOB NOT NULL,
  checksum INTEGER
)`,
  `CREATE TABLE state (
  sequence INTEGER PRIMARY KEY,
  stamp TEXT NOT NULL UNIQUE,
  last_skill INTEGER NOT NULL,
  last_vector INTEGER NOT NULL
)`,
];

/**
 * The order of documents, as terms of `ORDER BY`: latest update first, then by id. SQLite compares text by its UTF-8
 * bytes, which is code-point order. A document's number is its position in this order.
 */
export const DOCUMENT_ORDER = 'updated_at DESC, id';

/** All that the schema of a catalogue says. The second is SQLite's own, for the numbers of vectors. */
export const STATEMENTS: readonly string[] = [...SCHEMA, 'CREATE TABLE sqlite_sequence(name,seq)'];
