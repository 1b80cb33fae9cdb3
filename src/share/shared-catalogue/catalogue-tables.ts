import type { SharedTables } from '../postgres/shared-tables.js';

/**
 * The tables of a shared catalogue in PostgreSQL. Columns with the name of one in `store/schema.ts` have what that has,
 * but for `record`, which is not packed.
 *
 * - `catalogue` is one row. `identity` is a random value made with the tables, `version` goes up by one with each
 *   published load, and `stamp` names the state of that version. `oldest` is the first version from which changes are
 *   known. `model` and `classifier` are null where there is none. Whoever publishes holds a lock on this row.
 * - `version` has the later versions: of which state, when, and how many skills were changed or removed by it.
 * - `skill.version` is that of the last change of the skill. `derived_categories` is null where no classifier has seen
 *   the skill, `contents_complete` where nothing but excerpts of texts is stored.
 * - `skill_file` has the texts that are searched; their bytes are blobs. `content_file` has what a skill is made of.
 * - `claim` says in which sources a skill is. `fingerprint` and `hash` are those of `known_row`, or null.
 * - `removed` has the version in which an id went away.
 * - `blob` has bytes by their SHA-256, and `vector` those of texts by model and hash. Nothing of them depends on a
 *   version, so they may be there before what uses them. `made_at` is when they were stored.
 * - `published_vector` has the hashes of those texts whose vectors, of the catalogue's model, belong to the present
 *   version. Other vectors are for loads only: copies of one version must not differ.
 * - `checkpoint` is the manifest of the files of a copy at a version, and `chunk` has the bytes of these files by
 *   SHA-256; see `snapshot/manifest.ts`.
 *
 * In texts the character U+0000 is written another way; see `stored-text.ts`. Counts, sizes and times of a skill are
 * of the type that has the same numbers as JavaScript. Bytes are not compressed by the database: they were before, or
 * cannot be.
 */
export const CATALOGUE_TABLES: SharedTables = {
  part: 'catalogue',
  noun: 'catalogue',
  foreignCode: 'NOT_A_CATALOGUE',
  statements: `CREATE TABLE skill_discovery.model (
      number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      dimensions integer NOT NULL
    );
    CREATE TABLE skill_discovery.catalogue (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      identity text NOT NULL,
      version bigint NOT NULL,
      stamp text NOT NULL,
      oldest bigint NOT NULL,
      model integer REFERENCES skill_discovery.model (number),
      classifier text,
      cleaned_at timestamptz NOT NULL
    );
    INSERT INTO skill_discovery.catalogue (identity, version, stamp, oldest, cleaned_at)
      VALUES (gen_random_uuid()::text, 0, '', 0, now());
    CREATE TABLE skill_discovery.version (
      version bigint PRIMARY KEY,
      stamp text NOT NULL,
      published_at timestamptz NOT NULL,
      changed integer NOT NULL,
      removed integer NOT NULL
    );
    CREATE TABLE skill_discovery.skill (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      version bigint NOT NULL,
      stars double precision NOT NULL,
      updated_at double precision NOT NULL,
      record text NOT NULL,
      categories text NOT NULL,
      occupations text NOT NULL,
      tags text NOT NULL,
      properties text NOT NULL,
      copy_key text NOT NULL,
      place text NOT NULL,
      text_hash bytea NOT NULL,
      hash bytea NOT NULL,
      derived_categories text,
      contents_complete boolean
    );
    CREATE INDEX skill_version ON skill_discovery.skill (version);
    CREATE INDEX skill_text_hash ON skill_discovery.skill (text_hash);
    CREATE TABLE skill_discovery.skill_file (
      skill bigint NOT NULL,
      position integer NOT NULL,
      filename text NOT NULL,
      sha256 bytea NOT NULL,
      PRIMARY KEY (skill, position)
    );
    CREATE TABLE skill_discovery.content_file (
      skill bigint NOT NULL,
      position integer NOT NULL,
      path text NOT NULL,
      size double precision NOT NULL,
      sha256 bytea NOT NULL,
      executable smallint NOT NULL,
      complete smallint NOT NULL,
      is_text smallint NOT NULL,
      kept text NOT NULL,
      PRIMARY KEY (skill, position)
    );
    CREATE TABLE skill_discovery.source (
      number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text COLLATE "C" NOT NULL UNIQUE
    );
    CREATE TABLE skill_discovery.claim (
      skill bigint NOT NULL,
      source integer NOT NULL,
      fingerprint bytea,
      hash bytea,
      PRIMARY KEY (skill, source)
    );
    CREATE TABLE skill_discovery.removed (
      id text COLLATE "C" PRIMARY KEY,
      version bigint NOT NULL
    );
    CREATE INDEX removed_version ON skill_discovery.removed (version);
    CREATE TABLE skill_discovery.blob (
      sha256 bytea PRIMARY KEY,
      size double precision NOT NULL,
      packing text NOT NULL,
      bytes bytea NOT NULL,
      made_at timestamptz NOT NULL DEFAULT now()
    );
    ALTER TABLE skill_discovery.blob ALTER bytes SET STORAGE EXTERNAL;
    CREATE TABLE skill_discovery.vector (
      model integer NOT NULL,
      text_hash bytea NOT NULL,
      embedding bytea NOT NULL,
      made_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (model, text_hash)
    );
    ALTER TABLE skill_discovery.vector ALTER embedding SET STORAGE EXTERNAL;
    CREATE TABLE skill_discovery.published_vector (text_hash bytea PRIMARY KEY);
    CREATE TABLE skill_discovery.checkpoint (
      version bigint PRIMARY KEY,
      stamp text NOT NULL,
      manifest text NOT NULL,
      made_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE skill_discovery.chunk (
      sha256 bytea PRIMARY KEY,
      bytes bytea NOT NULL
    );
    ALTER TABLE skill_discovery.chunk ALTER bytes SET STORAGE EXTERNAL;`,
};
