import type { RunStatement } from '../postgres/postgres-statement.js';
import { inParts } from './in-parts.js';

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
