import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCatalogue, type Embedder } from '../../src/index.js';

/** A catalogue of some of the skills of a home. */
export interface PartOfHome {
  readonly database: string;
  readonly ids: ReadonlySet<string>;
}

/** Homes of one size. */
const MOST_HOMES = 3;

/**
 * Parts the skills of `home.jsonl` into homes of other sizes. Catalogues that are there already are used again.
 *
 * @param embedder of their vectors; without it they have none
 * @returns for each size at most three homes, without a skill in common
 */
export async function partsOfHome(
  folder: string,
  sizes: readonly number[],
  embedder: Embedder | undefined,
): Promise<PartOfHome[][]> {
  const semantic = embedder !== undefined;
  const parted = semantic ? 'parts' : 'parts-by-words';
  const rows = readHome(folder);
  const parts: PartOfHome[][] = [];
  for (const size of sizes) {
    const count = Math.max(1, Math.round(rows.length / size));
    const ofSize: PartOfHome[] = [];
    const step = Math.max(1, Math.floor(count / MOST_HOMES));
    for (let i = 0; i < count && ofSize.length < MOST_HOMES; i += step) {
      // Neighbours have the same author: each goes to another home.
      const own = rows.filter((_, place) => place % count === i);
      const database = join(folder, parted, `${size}-${i}.db`);
      mkdirSync(join(folder, parted), { recursive: true });
      if (!existsSync(database)) await buildCatalogue({ database, sources: [own], embedder, semantic });
      ofSize.push({ database, ids: new Set(own.map(({ id }) => id)) });
    }
    parts.push(ofSize);
  }
  return parts;
}

/** The skills of `home.jsonl`. */
export function readHome(folder: string): { readonly id: string }[] {
  return readFileSync(join(folder, 'home.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly id: string });
}
