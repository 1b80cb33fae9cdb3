import { readArrayFile, WORD_RULES, writeArrayFile } from '../../src/core/index.js';
import { filesBeside } from '../../src/store/index.js';
import { stampOf } from '../catalogue-file.js';

export type NumberArray = Uint8Array | Uint32Array;

/**
 * Writes the keyword file of a catalogue again, with right checksums, after one of its arrays has changed.
 *
 * @param place names with points in between
 * @param change returns undefined for an array that is to be left out
 */
export async function changeKeywordFile(
  database: string,
  place: string,
  change: (array: NumberArray) => NumberArray | undefined,
): Promise<void> {
  const path = filesBeside(database).keyword;
  const tree = (await readArrayFile(path, { kind: 'keywords', origin: {} }))!;
  const names = place.split('.');
  const last = names.pop()!;
  const parent = names.reduce((node, name) => node[name] as never, tree as Record<string, unknown>);
  const changed = change(parent[last] as NumberArray);
  if (changed === undefined) delete parent[last];
  else parent[last] = changed;
  writeArrayFile(path, { kind: 'keywords', origin: { wordRules: WORD_RULES, stamp: stampOf(database) } }, tree);
}
