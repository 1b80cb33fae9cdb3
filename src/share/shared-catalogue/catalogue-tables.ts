import { SkillSearchError } from '../../core/index.js';
import type { SharedTables } from '../postgres/shared-tables.js';
import type { RunStatement } from '../postgres/statements.js';

/**
 * The tables of a shared catalogue in PostgreSQL: a log of revisions.
 *
 * - `catalogue` is one row. `identity` is a random value made with the tables, `version` goes up by one with each
 *   published load, and `stamp` names the contents of that version. `oldest` is the first version from which changes
 *   are known. `model` and `classifier` are null where there is none. A load that publishes locks this row.
 * - `revision` has the versions that are known: what they are named, and when they were published.
 * - `skill` has a row for each id, with the version that wrote it. `image` is all that is stored of the skill, as JSON;
 *   null where the skill was removed. `digests` are those of its blobs, in hex, with spaces
 *   between.
 * - `blob` has bytes by their SHA-256, and `vector` those of texts by model and hash. Nothing of them depends on a
 *   version, so they may be there before what uses them. `made_at` is when they were stored.
 * - `snapshot` is the manifest of the files of a replica at a version, and `chunk` has the bytes of these files by
 *   SHA-256; see `snapshot/manifest.ts`.
 *
 * Bytes are not compressed by the database: they were before, or cannot be.
 */
export const CATALOGUE_TABLES: SharedTables = {
  part: 'catalogue',
  // As that of catalogue files: the keys of vectors must fit the texts that are embedded.
  format: 2,
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
    CREATE TABLE skill_discovery.revision (
      version bigint PRIMARY KEY,
      stamp text NOT NULL,
      published_at timestamptz NOT NULL
    );
    CREATE TABLE skill_discovery.skill (
      id text COLLATE "C" PRIMARY KEY,
      version bigint NOT NULL,
      text_hash bytea,
      digests text NOT NULL,
      image text
    );
    CREATE INDEX skill_version ON skill_discovery.skill (version);
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
    CREATE TABLE skill_discovery.snapshot (
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

/** Names a revision of a shared catalogue. */
export interface Revision {
  /** A random value made with the tables: another one is another catalogue. */
  readonly identity: string;
  /** Goes up by one with each published load. 0: nothing was ever published. */
  readonly version: number;
  /** Names the contents of that version. Empty at version 0. */
  readonly stamp: string;
  /** When that version was published, by the clock of the database, in Unix milliseconds. 0 at version 0. */
  readonly publishedAt: number;
}

/** The newest revision that a database has. */
export interface PresentRevision extends Revision {
  /** Whether the database follows another one, and may be behind that. */
  readonly isStandby: boolean;
  /** The first version from which changes are known. */
  readonly oldest: number;
  readonly model: { readonly number: number; readonly id: string; readonly dimensions: number } | undefined;
  readonly classifier: string | undefined;
}

/** The column `published_at`, in Unix milliseconds. */
export const PUBLISHED_AT = 'floor(extract(epoch FROM published_at) * 1000)::float8';

export async function readPresent(run: RunStatement): Promise<PresentRevision> {
  type Row = Omit<PresentRevision, 'model' | 'classifier'> &
    Record<'id' | 'classifier', string | null> &
    Record<'number' | 'dimensions', number | null>;
  const [row] = await run<Row>({
    name: 'skill-discovery present',
    text: `SELECT identity, catalogue.version::float8 AS version, catalogue.stamp, oldest::float8 AS oldest, classifier,
        pg_is_in_recovery() AS "isStandby", coalesce(${PUBLISHED_AT}, 0) AS "publishedAt", number, id, dimensions
      FROM skill_discovery.catalogue
        LEFT JOIN skill_discovery.model ON model.number = catalogue.model
        LEFT JOIN skill_discovery.revision ON revision.version = catalogue.version`,
  });
  const { classifier, number, id, dimensions, ...revision } = row!;
  return {
    ...revision,
    model: number === null ? undefined : { number, id: JSON.parse(id!) as string, dimensions: dimensions! },
    classifier: classifier ?? undefined,
  };
}

export function isSameRevision(one: Revision | undefined, other: Revision): boolean {
  return one?.identity === other.identity && one.version === other.version && one.stamp === other.stamp;
}

/**
 * Whether a revision is one that a standby has not got to yet. Where the database is no standby, a later version than
 * its own is of no use: it was restored from a backup, or another one took its place before it had that version.
 */
export function isAhead(revision: Revision, present: PresentRevision): boolean {
  return present.isStandby && revision.identity === present.identity && revision.version > present.version;
}

/** Whether all that has changed since a revision is known. */
export async function isKnown(run: RunStatement, present: PresentRevision, revision: Revision): Promise<boolean> {
  const { identity, version, stamp } = revision;
  if (identity !== present.identity || version < present.oldest || version > present.version) return false;
  if (version === 0) return stamp === '';
  const found = await run({
    text: 'SELECT FROM skill_discovery.revision WHERE version = $1 AND stamp = $2',
    values: [version, stamp],
  });
  return found.length > 0;
}

/**
 * The error of a database without a catalogue.
 *
 * @param shown its address
 */
export function nothingPublished(shown: string): SkillSearchError {
  const message = `${shown} holds no catalogue yet: load sources into it first`;
  return new SkillSearchError('DATABASE_NOT_FOUND', message, { path: shown });
}

/** What helps against damage of what all replicas are made from. */
const REMEDY = 'restore it from a backup, or load all sources into an empty database';

/**
 * The error of a shared catalogue that is damaged.
 *
 * @param shown the address of its database
 * @param problem what is wrong, as a sentence without a full stop
 */
export function sharedDamage(
  shown: string,
  problem: string,
  { skill, remedy = REMEDY }: { readonly skill?: string; readonly remedy?: string } = {},
): SkillSearchError {
  const facts = { path: shown, ...(skill === undefined ? {} : { skill }) };
  return new SkillSearchError('DATABASE_DAMAGED', `the catalogue in ${shown} is damaged: ${problem}; ${remedy}`, facts);
}
