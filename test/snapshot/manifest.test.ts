import { describe, expect, test } from 'vitest';
import { type Manifest, manifestText, readManifest } from '../../src/snapshot/manifest.js';
import { codeOf } from '../error-code.js';

const DIGEST = 'a'.repeat(64);
const MANIFEST: Manifest = {
  stamp: 'abc',
  written: '2026-01-02T03:04:05.000Z',
  chunkBytes: 10,
  files: [
    { name: 'skills.db', bytes: 25, chunks: [DIGEST, DIGEST, DIGEST] },
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
  ])('is refused if it is %s', async (_, text) => {
    expect(await codeOf(() => readManifest(text, 'here'))).toBe('INVALID_SNAPSHOT');
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
