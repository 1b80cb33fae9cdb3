import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DocumentCollector } from '../../../src/keyword/packed/collect-keywords.js';
import { imageIsCurrent, readImage, writeImage } from '../../../src/keyword/packed/image-file.js';
import type { PackedKeywords } from '../../../src/keyword/packed/packed-keywords.js';
import { scratchFile } from '../../scratch-folder.js';

function someKeywords(): PackedKeywords {
  const collector = new DocumentCollector();
  const document = { author: 'ada', labels: ['testing'], files: [{ filename: 'SKILL.md', text: 'GitHub Actions' }] };
  collector.add({ ...document, name: 'release-notes', description: 'Writes release notes, résumé included.' });
  collector.add({ ...document, name: '数据分析', description: 'kite '.repeat(300) });
  collector.add({ ...document, name: 'x', description: '', files: [] });
  return collector.pack();
}

/** As plain arrays: what is read may be of another kind of bytes. */
function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return [...(value as Uint8Array)];
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}

describe('the file of an index', () => {
  test('gives back what was written, and leaves nothing else', async () => {
    const [path, keywords] = [scratchFile('skills.db.keyword'), someKeywords()];
    writeImage(path, 'stamp', keywords);
    expect(plain(await readImage(path, 'stamp'))).toEqual(plain(keywords));
    expect(imageIsCurrent(path, 'stamp')).toBe(true);
    expect(existsSync(`${path}-part`)).toBe(false);
  });

  test('is not believed where a byte was changed, or it was cut off', async () => {
    const path = scratchFile('skills.db.keyword');
    writeImage(path, 'stamp', someKeywords());
    const good = readFileSync(path);
    for (let at = 0; at < good.length; at += 13) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] as number) ^ 0x10;
      writeFileSync(path, bad);
      expect(await readImage(path, 'stamp'), `byte ${at}`).toBeUndefined();
    }
    for (const length of [0, 5, 20, good.length - 1]) {
      writeFileSync(path, good.subarray(0, length));
      expect(await readImage(path, 'stamp'), `${length} bytes`).toBeUndefined();
    }
  });

  test('is not believed where it is of another state of the catalogue, or not there', async () => {
    const path = scratchFile('skills.db.keyword');
    expect([await readImage(path, 'stamp'), imageIsCurrent(path, 'stamp')]).toEqual([undefined, false]);
    writeImage(path, 'stamp', someKeywords());
    expect([await readImage(path, 'other'), imageIsCurrent(path, 'other')]).toEqual([undefined, false]);
  });

  test('stays as it was where a new one cannot be written', async () => {
    const folder = scratchFile('none/skills.db.keyword');
    expect(() => writeImage(folder, 'stamp', someKeywords())).toThrow(/ENOENT/);
  });
});
