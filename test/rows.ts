import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** A row of a source, as far as tests fill it in. */
export interface Row {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly author?: string;
  readonly codehostUrl?: string;
  readonly skillUrl?: string;
  readonly stars?: number;
  readonly updatedAt?: number | string;
  readonly license?: string;
  readonly categories?: readonly string[];
  readonly occupations?: readonly string[];
  readonly installations?: readonly unknown[];
  readonly frontMatter?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly files?: readonly { readonly filename: string; readonly text: string }[];
}

/** A row that becomes a skill. */
export function row(id: string, more: Row = {}): Row {
  return { id, name: `name of ${id}`, description: `description of ${id}`, ...more };
}

export function toJsonLines(rows: readonly unknown[]): string {
  return rows.map((one) => `${JSON.stringify(one)}\n`).join('');
}

/** Writes a JSON Lines file, packed where its name ends in `.gz`. */
export function writeJsonLines(path: string, rows: readonly unknown[]): void {
  const text = toJsonLines(rows);
  writeFileSync(path, path.endsWith('.gz') ? gzipSync(text) : text);
}

/** What rows may say of themselves: few ids, and places whose slugs collide. */
export const COLLIDING: readonly object[] = [
  { id: 'a' },
  { id: 'b' },
  { id: 'o-r-x' },
  { id: 'o-r-x', place: 'o-r/x' },
  { place: 'o/r-x' },
  { place: 'o-r/x' },
  { place: 'o/日本' },
  { id: 'a', stars: 'many' },
  { author: 'o' },
];
