import { describe, expect, test } from 'vitest';
import { type Manifest, manifestText, readManifest } from '../../../src/share/snapshot/manifest.js';
import { codeOf } from '../../error-code.js';

const DIGEST = 'a'.repeat(64);
const LAST = 'b'.repeat(64);
const MANIFEST: Manifest = {
  stamp: 'abc',
  written: '2026-01-02T03:04:05.000Z',
  chunkBytes: 10,
  files: [
    { name: 'skills.db', bytes: 25, chunks: [DIGEST, DIGEST, LAST] },
    { name: 'skills.db.keyword', bytes: 10, chunks: [DIGEST] },
  ],
};

describe('a manifest', () => {
  test('is read as it was written', () => {
    expect(readManifest(manifestText(MANIFEST), 'here')).toEqual(MANIFEST);
  });

  test.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['another kind of file', '{"kind":"other"}'],
    ['a later format', changed({ format: 2 })],
    ['a stamp that is no text', changed({ stamp: 5 })],
    ['no date', changed({ written: 'soon' })],
    ['chunks of no bytes', changed({ chunkBytes: 0 })],
    ['chunks of half a byte', changed({ chunkBytes: 0.5 })],
    ['no list of files', changed({ files: {} })],
    ['no files', changed({ files: [] })],
    ['no catalogue', changed({ files: [MANIFEST.files[1]] })],
    ['a file twice', changed({ files: [MANIFEST.files[0], MANIFEST.files[0]] })],
    ['a file elsewhere', changed({ files: [MANIFEST.files[0], { ...MANIFEST.files[1], name: '../evil' }] })],
    ['too few chunks', changed({ files: [{ ...MANIFEST.files[0], chunks: [DIGEST] }] })],
    ['a negative size', changed({ files: [{ ...MANIFEST.files[0], bytes: -1, chunks: [] }] })],
    ['a chunk that is a path', changed({ files: [{ ...MANIFEST.files[1], name: 'skills.db', chunks: ['../x'] }] })],
    ['a file that is null', changed({ files: [null] })],
    ['more lists than any has', changed({ more: Array.from({ length: 100 }, () => []) })],
    ['a chunk of two sizes', changed({ files: [{ ...MANIFEST.files[0], chunks: [DIGEST, DIGEST, DIGEST] }] })],
  ])('is refused if it is %s', async (_, text) => {
    expect(await codeOf(() => readManifest(text, 'here'))).toBe('INVALID_SNAPSHOT');
  });

  /** @param names how often each chunk is named, of 16 MiB each */
  function ofChunks(names: readonly number[], last = 0): string {
    const chunkBytes = 16 * 2 ** 20;
    const chunks = names.flatMap((times, i) => Array.from({ length: times }, () => i.toString(16).padStart(64, '0')));
    if (last > 0) chunks.push('f'.repeat(64));
    const bytes = chunkBytes * chunks.length - (last > 0 ? chunkBytes - last : 0);
    return changed({ chunkBytes, files: [{ name: 'skills.db', bytes, chunks }] });
  }

  test('may repeat as many bytes as its chunks have, and 64 MiB, and no chunk more', () => {
    expect(readManifest(ofChunks([6]), 'here').files[0]?.chunks).toHaveLength(6);
    expect(() => readManifest(ofChunks([7]), 'here')).toThrow(
      'here is not the manifest of a snapshot: its files have 117440512 bytes, and its 1 different chunks 16777216: at most 100663296 fit',
    );
    expect(readManifest(ofChunks([8, 2, 2, 1, 1]), 'here').files[0]?.chunks).toHaveLength(14);
    expect(() => readManifest(ofChunks([9, 2, 2, 1, 1]), 'here')).toThrow(/its 5 different chunks/);
  });

  test('of 64 GiB is read, and of a byte more it is refused', () => {
    const all = Array.from({ length: 4096 }, () => 1);
    expect(readManifest(ofChunks(all), 'here').files[0]?.bytes).toBe(64 * 2 ** 30);
    expect(() => readManifest(ofChunks(all, 1), 'here')).toThrow(
      'its files have 68719476737 bytes, more than 68719476736',
    );
  });

  test('of a later format says which is read', () => {
    expect(() => readManifest(changed({ format: 2 }), 'https://example.org/manifest.json')).toThrow(
      'https://example.org/manifest.json is not the manifest of a snapshot: this version reads format 1, and this is format 2',
    );
  });
});

function changed(change: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...JSON.parse(manifestText(MANIFEST)), ...change });
}
