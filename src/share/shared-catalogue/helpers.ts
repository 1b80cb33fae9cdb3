import { SkillSearchError } from '../../core/index.js';
import type { PostgresPool } from '../postgres/postgres-pool.js';
import type { RunStatement } from '../postgres/postgres-session.js';

/** Bounds of a catalogue in PostgreSQL. Times are in milliseconds. */
interface SharedCatalogueLimits {
  /** What one statement of a load or of a copy may take: each handles some thousand skills at most. */
  readonly statementTime: number;
  /**
   * Between two statements of a load that publishes, after which the database ends it: a machine that went away must
   * not keep others from publishing. Some thousand skills are read and compressed meanwhile.
   */
  readonly publishingPause: number;
  /** Likewise of a copy that reads. It keeps nobody waiting, but the database cannot clean up what it may still see. */
  readonly readingPause: number;
  /** How long a load waits for others to have published. A first load of 94,254 skills takes a minute. */
  readonly publishingWait: number;
  /** How long it waits at a time: so soon it notices that it was aborted. */
  readonly lockTime: number;
  /** Skills that are published together. */
  readonly publishedTogether: number;
  /**
   * Bytes of texts and files of skills that are read, sent or stored together: a slow line must bring them within the
   * time of a statement. One skill alone may have twice as many.
   */
  readonly bytesTogether: number;
  /** Ids of removed skills that are remembered. A copy of a version before them is made anew. */
  readonly removed: number;
  /** Versions that are remembered, likewise. */
  readonly versions: number;
  /** Days for which vectors and bytes are kept that no skill has: a load that was stopped is soon started again. */
  readonly unusedDays: number;
  /** Hours between two removals of what is older. */
  readonly cleaningHours: number;
}

/** The limits of a catalogue in PostgreSQL. They cannot be changed. */
export const SHARED_CATALOGUE_LIMITS: SharedCatalogueLimits = {
  statementTime: 60_000,
  publishingPause: 60_000,
  readingPause: 600_000,
  publishingWait: 600_000,
  lockTime: 500,
  publishedTogether: 1000,
  bytesTogether: 16 * 1024 * 1024,
  removed: 200_000,
  versions: 10_000,
  unusedDays: 7,
  cleaningHours: 24,
};

/** Each of some digests once. */
export function distinct(digests: readonly Buffer[]): Buffer[] {
  return [...new Map(digests.map((digest) => [digest.toString('hex'), digest])).values()];
}

/** Bytes as SQL, for queries that can have no values. */
export function bytesArray(values: readonly Buffer[]): string {
  return `ARRAY[${values.map((value) => `decode('${value.toString('hex')}','hex')`).join()}]::bytea[]`;
}

/**
 * Puts bytes together, for a statement that takes them apart again.
 *
 * @returns where each begins, from 1; how many each has; and all of them
 */
export function joinBytes(values: readonly Buffer[]): [starts: number[], lengths: number[], all: Buffer] {
  const starts: number[] = [];
  let start = 1;
  for (const { length } of values) {
    starts.push(start);
    start += length;
  }
  return [starts, values.map(({ length }) => length), Buffer.concat(values)];
}

/**
 * Cuts a list into parts: of at most `most` items, and of at most `mostBytes`, unless one item alone has more.
 */
export function* inParts<T>(
  items: readonly T[],
  most: number,
  mostBytes: number = Number.POSITIVE_INFINITY,
  bytesOf: (item: T) => number = () => 0,
): Generator<T[]> {
  let part: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (part.length > 0 && (part.length === most || bytes + size > mostBytes)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(item);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

/** Lets some of what is asked for run at a time, in the order in which it was asked for. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

/** Stands before what must not be taken as it is. No text that people write has it. */
const ESCAPE = '\u0010';

/**
 * A text as PostgreSQL stores it, which cannot store U+0000. Rows have none, but a program may give a source any name.
 * (Half of a surrogate pair becomes U+FFFD, as in SQLite.)
 */
export function toStoredText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, `${ESCAPE}${ESCAPE}`).replaceAll('\0', `${ESCAPE}0`);
}

/** What {@link toStoredText} was given. */
export function fromStoredText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replace(STORED, (_, character: string) => (character === '0' ? '\0' : character));
}

const STORED = new RegExp(`${ESCAPE}(.)`, 'gu');

/** Runs statements that may take long, each in a transaction of its own. */
export function runAlone(pool: PostgresPool, signal: AbortSignal | undefined): RunStatement {
  const { statementTime } = SHARED_CATALOGUE_LIMITS;
  return (statement) => pool.session({ statementTime, pauseTime: statementTime, signal }, ({ run }) => run(statement));
}

/**
 * Those of some hashes that no row of a table has.
 *
 * @param together hashes of one statement
 * @param isThere SQL that says whether there is a row for `wanted.hash`; its values are numbered from $2
 */
export async function missingHashes(
  run: RunStatement,
  hashes: readonly Buffer[],
  together: number,
  isThere: string,
  values: readonly unknown[] = [],
): Promise<Buffer[]> {
  const missing: Buffer[] = [];
  for (const part of inParts(hashes, together)) {
    const rows = await run<{ place: number }>({
      text: `SELECT place::int FROM unnest($1::bytea[]) WITH ORDINALITY AS wanted (hash, place) WHERE NOT ${isThere}`,
      values: [part, ...values],
    });
    for (const { place } of rows) missing.push(part[place - 1]!);
  }
  return missing;
}

/** What helps against damage of what all copies are made from. */
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

/**
 * The error of a database without a catalogue.
 *
 * @param shown its address
 */
export function nothingPublished(shown: string): SkillSearchError {
  const message = `${shown} holds no catalogue yet: load sources into it first`;
  return new SkillSearchError('DATABASE_NOT_FOUND', message, { path: shown });
}
