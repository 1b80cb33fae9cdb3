import type { RunStatement } from '../postgres/postgres-session.js';

/** Names a state of a shared catalogue. */
export interface SharedState {
  /** A random value made with the tables: another one is another catalogue. */
  readonly identity: string;
  /** Goes up by one with each published load. 0: nothing was ever published. */
  readonly version: number;
  /** Names the contents of that version. Empty at version 0. */
  readonly stamp: string;
  /**
   * When that version was published, by the clock of the database, in Unix milliseconds. Absent at version 0, and where
   * it is not known: a copy that an earlier version of this program has made does not say it.
   */
  readonly publishedAt?: number;
}

/** The present state of a shared catalogue, as far as its database has it. */
export interface PresentState extends SharedState {
  /** Whether the database follows another one, and may be behind that. */
  readonly isStandby: boolean;
}

/** The one row of the table `catalogue`. */
export interface CatalogueRow extends PresentState {
  /** The first version from which changes are known. */
  readonly oldest: number;
  readonly model: { readonly number: number; readonly id: string; readonly dimensions: number } | undefined;
  readonly classifier: string | undefined;
}

interface Row {
  readonly identity: string;
  readonly version: number;
  readonly stamp: string;
  readonly publishedAt: number | null;
  readonly oldest: number;
  readonly isStandby: boolean;
  readonly classifier: string | null;
  readonly number: number | null;
  readonly id: string | null;
  readonly dimensions: number | null;
}

/** The column `published_at` of the table `version`, in Unix milliseconds. */
export const PUBLISHED_AT = 'floor(extract(epoch FROM published_at) * 1000)::float8';

/** Reads the one row of the table `catalogue`. */
export async function readCatalogueRow(run: RunStatement): Promise<CatalogueRow> {
  const [row] = await run<Row>({
    text: `SELECT identity, catalogue.version::float8 AS version, catalogue.stamp, oldest::float8 AS oldest, classifier,
        pg_is_in_recovery() AS "isStandby",
        ${PUBLISHED_AT} AS "publishedAt",
        number, id, dimensions
      FROM skill_discovery.catalogue
        LEFT JOIN skill_discovery.model ON model.number = catalogue.model
        LEFT JOIN skill_discovery.version ON version.version = catalogue.version`,
  });
  const { classifier, number, id, dimensions, publishedAt, ...state } = row!;
  const model = number === null ? undefined : { number, id: id!, dimensions: dimensions! };
  return {
    ...state,
    ...(publishedAt === null ? {} : { publishedAt }),
    model,
    classifier: classifier ?? undefined,
  };
}

/**
 * Whether a state is one that a standby has not got to yet. Where the database is no standby, a later version than its
 * own is of no use: it was restored from a backup, or another one took its place before it had that version.
 */
export function isAhead(state: SharedState, present: PresentState): boolean {
  return present.isStandby && state.identity === present.identity && state.version > present.version;
}

/** Whether all that has changed since a state is known. */
export async function isKnown(run: RunStatement, head: CatalogueRow, state: SharedState): Promise<boolean> {
  if (state.identity !== head.identity || state.version < head.oldest || state.version > head.version) return false;
  if (state.version === 0) return state.stamp === '';
  const found = await run({
    text: 'SELECT FROM skill_discovery.version WHERE version = $1 AND stamp = $2',
    values: [state.version, state.stamp],
  });
  return found.length > 0;
}
