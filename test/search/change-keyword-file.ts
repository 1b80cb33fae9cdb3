import type { NumberArray } from '../../src/core/arrays/array-file-header.js';
import { numbersOf, treeOf } from '../../src/core/arrays/array-file-header.js';
import { arraysOf, readArrayFile, WORD_RULES, writeArrayFile } from '../../src/core/index.js';
import { filesBeside } from '../../src/store/files.js';
import { stampOf } from '../catalogue-file.js';

/** Writes the keyword file of a catalogue again, with right checksums, after something has changed its arrays. */
export async function changeKeywordFile(
  database: string,
  change: (leaves: Map<string, NumberArray>) => void,
): Promise<void> {
  const path = filesBeside(database).keyword;
  const tree = (await readArrayFile(path, { kind: 'keywords', origin: {} }))!;
  const leaves = new Map(arraysOf(tree).map(({ path: of, value }) => [of, value]));
  change(leaves);
  const origin = { wordRules: WORD_RULES, stamp: stampOf(database) };
  const arrays = Array.from(leaves, ([of, value]) => ({ path: of, value }));
  writeArrayFile(path, { kind: 'keywords', origin }, treeOf([...numbersOf(tree), ...arrays]));
}
