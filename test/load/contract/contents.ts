import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SkillSearch } from '../../../src/index.js';
import { catalogueSearchOf } from '../../../src/search/index.js';
import { row } from '../../rows.js';
import { scratchFolder } from '../../scratch-folder.js';
import { type CatalogueStore, CatalogueUnderTest } from './catalogue-under-test.js';

const PICTURE = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]), Buffer.alloc(3000, 7)]);
/** All bytes, and too random to become smaller by packing. */
const NOISE = Buffer.from(Array.from({ length: 5000 }, (_, i) => ((i * i * 7919) % 251) ^ (i % 256)));

/** What skills are made of, and how it is given out. */
export function keepsContents(store: CatalogueStore): void {
  describe('the contents of a skill', () => {
    test('of a folder are given out byte for byte, whatever they are', async () => {
      const files = {
        'pdf/SKILL.md': skillMd('pdf').replaceAll('\n', '\r\n'),
        'pdf/.gitignore': '*.log\n',
        'pdf/assets/logo.png': PICTURE,
        'pdf/assets/noise.bin': NOISE,
        'pdf/empty.txt': '',
        'pdf/inner/SKILL.md': skillMd('inner'),
        'pdf/inner/notes.txt': Buffer.from('\ufeffcaf\xe9\0', 'latin1'),
        'pdf/long.txt': 'é'.repeat(700_000),
        'pdf/scripts/fill.sh': '#!/bin/sh\necho\n',
        'pdf/über — “all”.md': 'a name that is not in ASCII',
      };
      const folder = written(files);
      chmodSync(join(folder, 'pdf/scripts/fill.sh'), 0o755);
      const catalogue = await CatalogueUnderTest.of(store);
      const { warnings } = await catalogue.loadFrom([folder]);
      // What is searched of it; its bytes are all kept.
      expect(warnings.map(({ message }) => message)).toEqual(['long.txt: cut at 1 MiB']);
      await catalogue.searching((search) => {
        const { complete, files: listed } = search.contents('skills-pdf')!;
        expect(complete).toBe(true);
        expect(listed.map(({ path }) => `pdf/${path}`)).toEqual(Object.keys(files).sort());
        for (const { path, size, sha256: digest } of listed) {
          const bytes = readFileSync(join(folder, 'pdf', path));
          expect(bytesOf(search, 'skills-pdf', path).equals(bytes), path).toBe(true);
          expect([size, digest]).toEqual([bytes.length, sha256(bytes)]);
        }
        expect(listed.filter(({ executable }) => executable).map(({ path }) => path)).toEqual(['scripts/fill.sh']);
        expect(Object.fromEntries(listed.map(({ path, mediaType }) => [path, mediaType]))).toMatchObject({
          'SKILL.md': 'text/markdown',
          'assets/logo.png': 'image/png',
          'inner/notes.txt': 'application/octet-stream',
          'scripts/fill.sh': 'text/x-shellscript',
          '.gitignore': 'text/plain',
        });
        expect(search.contents('skills-pdf-inner')?.files).toHaveLength(2);
        expect(catalogueSearchOf(search).completeIds({ limit: 9 })).toEqual(['skills-pdf', 'skills-pdf-inner']);
      });
    });

    test('change with a byte of a file, with its executable bit, and with nothing else', async () => {
      const folder = written({ 'a/SKILL.md': skillMd('a'), 'a/x.bin': PICTURE, 'b/SKILL.md': skillMd('b') });
      const catalogue = await CatalogueUnderTest.of(store);
      await catalogue.loadFrom([folder]);
      await catalogue.staysDuring(() => catalogue.loadFrom([folder]));
      writeFileSync(join(folder, 'a/x.bin'), NOISE);
      expect(await catalogue.loadFrom([folder])).toMatchObject({ updated: 1, unchanged: 1 });
      chmodSync(join(folder, 'a/x.bin'), 0o755);
      expect(await catalogue.loadFrom([folder])).toMatchObject({ updated: 1, unchanged: 1 });
      await catalogue.searching((search) => {
        expect(search.contents('skills-a')?.files[1]).toMatchObject({ executable: true, sha256: sha256(NOISE) });
        expect(bytesOf(search, 'skills-a', 'x.bin')).toEqual(NOISE);
      });
    });

    test('that several skills have stay until the last of them is gone', async () => {
      const folder = written({
        'a/SKILL.md': skillMd('a'),
        'a/x.bin': PICTURE,
        'b/SKILL.md': skillMd('b'),
        'b/y.bin': PICTURE,
      });
      const catalogue = await CatalogueUnderTest.of(store);
      await catalogue.loadFrom([folder]);
      await catalogue.remove(['skills-a']);
      await catalogue.searching((search) => expect(bytesOf(search, 'skills-b', 'y.bin')).toEqual(PICTURE));
      rmSync(join(folder, 'a'), { recursive: true });
      rmSync(join(folder, 'b/y.bin'));
      await catalogue.loadFrom([folder]);
      writeFileSync(join(folder, 'b/z.bin'), PICTURE);
      await catalogue.loadFrom([folder]);
      await catalogue.searching((search) => {
        expect(search.contents('skills-b')).toMatchObject({ complete: true, files: [{}, { path: 'z.bin' }] });
        expect(bytesOf(search, 'skills-b', 'z.bin')).toEqual(PICTURE);
      });
    });

    test('are left out when a load is told to, and a later one completes them', async () => {
      const folder = written({ 'a/SKILL.md': skillMd('a'), 'a/x.bin': PICTURE });
      const catalogue = await CatalogueUnderTest.of(store);
      for (const contents of [false, true, true, false, true]) {
        await catalogue.loadFrom([folder], { contents });
        await catalogue.searching((search) => {
          expect(search.contents('skills-a')?.complete).toBe(contents);
          expect(catalogueSearchOf(search).completeIds({ limit: 9 })).toEqual(contents ? ['skills-a'] : []);
        });
      }
    });

    test('of a row are whole where it says so and gives their digest, else excerpts', async () => {
      const rows = [
        { ...row('whole'), files: [whole('SKILL.md', skillMd('whole')), whole('x.bin', NOISE)] },
        { ...row('wrong'), files: [whole('SKILL.md', 'a'), { ...whole('b.md', 'b'), sha256: sha256('c') }] },
        { ...row('excerpt'), files: [{ filename: 'SKILL.md', text: 'an excerpt' }] },
      ];
      const catalogue = await CatalogueUnderTest.of(store);
      expect((await catalogue.load(rows)).warnings).toHaveLength(1);
      await catalogue.searching((search) => {
        expect(rows.map(({ id }) => search.contents(id!)?.complete)).toEqual([true, false, false]);
        expect(catalogueSearchOf(search).completeIds({ limit: 9 })).toEqual(['whole']);
        expect(bytesOf(search, 'whole', 'x.bin')).toEqual(NOISE);
        expect(bytesOf(search, 'excerpt', 'SKILL.md').toString()).toBe('an excerpt');
        expect(search.read('whole', '../SKILL.md')).toBeUndefined();
      });
    });
  });
}

function written(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = join(scratchFolder(), 'skills');
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return folder;
}

function skillMd(name: string): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n---\n# ${name}\n`;
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function whole(filename: string, bytes: string | Buffer): { filename: string; sha256: string } {
  const content = typeof bytes === 'string' ? { text: bytes } : { base64: bytes.toString('base64') };
  return { filename, ...content, complete: true, sha256: sha256(bytes) } as never;
}

function bytesOf(search: SkillSearch, id: string, path: string): Buffer {
  return Buffer.from(search.read(id, path) ?? expect.fail(`${id} has no ${path}`));
}
