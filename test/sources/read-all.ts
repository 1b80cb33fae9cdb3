import type { RawRow, ReadOptions, SourceItem } from '../../src/sources/index.js';
import { checkSource, readSource } from '../../src/sources/index.js';

/** Everything a source yields, and what it threw in the end. */
export async function readAll(
  source: string,
  options: ReadOptions = {},
): Promise<{ items: SourceItem[]; error: unknown }> {
  const items: SourceItem[] = [];
  try {
    for await (const item of readSource(await checkSource(source), options)) items.push(item);
  } catch (error) {
    return { items, error };
  }
  return { items, error: undefined };
}

export function rowsOf(items: readonly SourceItem[]): RawRow[] {
  return items.filter((item) => item.kind === 'row');
}

/** A row of a folder source, as far as tests look at it. */
export interface FolderValue {
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly codehostUrl: string;
  readonly skillUrl: string;
  readonly updatedAt: number;
  readonly categories: readonly string[];
  readonly occupations: readonly string[];
  readonly files: readonly { readonly filename: string; readonly text: string }[];
}

export function rowValue(row: RawRow | undefined): FolderValue {
  return row?.value as FolderValue;
}
