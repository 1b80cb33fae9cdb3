// Packs what table.py writes into the tables of data/gloss; see README.md.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { GlossTable, glossKey } from '../../src/core/text/gloss.js';

const [work = 'gloss-work', out = 'data/gloss'] = process.argv.slice(2);

for (const file of readdirSync(join(work, 'raw'))) {
  const language = basename(file, '.tsv');
  write(language, pack(language, readFileSync(join(work, 'raw', file), 'utf8')));
}
write('latin', readFileSync(join(work, 'latin.txt'), 'utf8'));

function write(name: string, text: string): void {
  const { BROTLI_PARAM_MODE, BROTLI_PARAM_LGWIN, BROTLI_MODE_TEXT } = constants;
  const packed = brotliCompressSync(text, {
    params: { [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT, [BROTLI_PARAM_LGWIN]: 24 },
  });
  writeFileSync(join(out, `${name}.br`), packed);
  console.log(`${name}: ${text.split('\n').length} lines, ${packed.length} bytes`);
}

/** @param text affixes in two lines, then a line an entry: words, English, how often; the most frequent first */
function pack(language: string, text: string): string {
  const [endings = '', beginnings = '', ...lines] = text.split('\n');
  const affixes = `${endings}\n${beginnings}\n`;
  const english = new Map<string, string>();
  for (const line of lines) {
    const [words = '', read = ''] = line.split('\t');
    const key = glossKey(words, language);
    if (key !== '' && !english.has(key)) english.set(key, read);
  }
  const tableOf = (entries: Iterable<readonly [string, string]>): GlossTable =>
    new GlossTable(language, affixes + [...entries].map((entry) => entry.join('\t')).join('\n'));
  // What the table says without an entry is not said again. So from the shortest to the longest.
  const kept = new Map<string, string>();
  const lengthOf = (key: string): number => (isUnspaced(language) ? [...key].length : key.split(' ').length);
  const lengths = [...new Set([...english.keys()].map(lengthOf))].sort((a, b) => a - b);
  for (const length of lengths) {
    const table = tableOf(kept);
    for (const [key, read] of english) {
      if (lengthOf(key) === length && (length === 1 || read !== table.read(key).text)) kept.set(key, read);
    }
  }
  const stems = tableOf([]);
  const groups = new Map<string, (readonly [string, string])[]>();
  for (const entry of [...english].filter(([key]) => kept.has(key))) {
    const stem = stems.stemOf(entry[0]);
    const group = groups.get(stem) ?? [];
    groups.set(stem, group);
    if (isUnspaced(language) || group[0]?.[1] !== entry[1]) group.push(entry);
  }
  const entries = [...groups.keys()].sort().flatMap((stem) => groups.get(stem) ?? []);
  return affixes + entries.map((entry) => entry.join('\t')).join('\n');
}

function isUnspaced(language: string): boolean {
  return ['ja', 'ko', 'th', 'zh'].includes(language);
}
