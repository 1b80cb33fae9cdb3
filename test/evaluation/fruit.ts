import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJsonLines } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';

/** Documents of a small benchmark. */
export const FRUIT = [
  { _id: 'apple', title: 'Apple', text: 'A round fruit that grows on trees; cider is pressed from it.' },
  { _id: 'pear', title: 'Pear', text: 'A fruit that is narrow at the stalk; perry is pressed from it.' },
  { _id: 'plum', title: 'Plum', text: 'A stone fruit; dried it is a prune.' },
  { _id: 'leek', title: 'Leek', text: 'A vegetable for soups.' },
  { _id: 'stove', title: '', text: 'Heats a kitchen.' },
] as const;

const FRUIT_QUERIES = [
  { _id: 'drink-1', text: 'cider' },
  { _id: 'drink-2', text: 'what is perry pressed from' },
  { _id: 'dry-1', text: 'a dried stone fruit' },
  { _id: 'soup-1', text: 'soups' },
] as const;

const FRUIT_QRELS =
  'query-id\tcorpus-id\tscore\ndrink-1\tapple\t1\ndrink-2\tpear\t1\ndry-1\tplum\t2\nsoup-1\tleek\t1\n';

/** A benchmark folder with documents of its own. */
export function fruitFolder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const folder = join(scratchFolder());
  const all = {
    'corpus.jsonl': toJsonLines(FRUIT),
    'queries.jsonl': toJsonLines(FRUIT_QUERIES),
    'qrels.tsv': FRUIT_QRELS,
    ...files,
  };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  return folder;
}
