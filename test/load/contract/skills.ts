import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAX_DESCRIPTION, MAX_FILE_BYTES, MAX_ID, MAX_NAME, sha256Of } from '../../../src/core/index.js';
import type { Embedder, SkillSearch } from '../../../src/index.js';
import { catalogueSearchOf } from '../../../src/search/index.js';
import { readClassifier } from '../../../src/semantic/classifier.js';
import { codeOf } from '../../error-code.js';
import { type Row, row } from '../../rows.js';
import { scratchFolder } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import { CategoryEmbedder } from '../category-embedder.js';
import { skillMd, whole, writeSkill, written } from '../whole-files.js';
import { type CatalogueStore, CatalogueUnderTest, counts, countsOf } from './catalogue-under-test.js';

/** Characters that databases, encodings and shells are known to lose. */
const AWKWARD = [
  '\u0001\u001b[31m\u007f\u0080\u009f',
  "'; DROP TABLE skill; --",
  '\\x00 \\u0000 \\000 $1 %s $(x) {{x}}',
  'e\u0301 é ﬁ ß ẞ İ ı ǆ',
  '\ufeff\u200b\u200d\u202e\u2066\u2028\u2029',
  '\ufffe\uffff\ufffd',
  '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 \u{10ffff}\u{1f600}',
  '日本語 العربية עברית ไทย',
  '\t\v\f\r\n \u00a0\u3000',
];

/** U+0000 and lone surrogates, which UTF-8 and SQLite cannot carry: they are left out. */
const UNSTORABLE = 'a\0b\ud800c\udc00d\ud83d';

/** What becomes of texts that others lose, or take for orders. */
export function keepsAwkwardTexts(store: CatalogueStore): void {
  describe('awkward texts', () => {
    test('come back as they were, in every field that keeps them', async () => {
      const catalogue = await CatalogueUnderTest.of(store);
      const rows = AWKWARD.map((text, i) => ({
        ...row(`awkward-${i}`),
        description: `It is (${text}).`,
        license: `L ${text}`,
        metadata: { [`key ${text}`]: [`value ${text}`] },
        frontMatter: { [text]: text, deep: { [text]: [text] } },
        files: [
          { filename: `${i}.md`, text },
          {
            filename: `x ${text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069/\\]/gu, '')}.md`,
            text: `b ${text}`,
          },
          whole('bytes.bin', Buffer.from(`\xff${text}`, 'utf16le')),
          whole('SKILL.md', Buffer.from(text)),
        ],
      }));
      expect(countsOf(await catalogue.load(rows))).toEqual(counts({ added: rows.length }));
      const skills = await catalogue.skills();
      for (const [i, text] of AWKWARD.entries()) {
        const { skill, files, bytes } = skills.get(`awkward-${i}`)!;
        expect(skill?.metadata, text).toEqual({ [`key ${text}`]: [`value ${text}`] });
        expect(skill?.frontMatter, text).toEqual({ [text]: text, deep: { [text]: [text] } });
        expect(files.slice(0, 2).map((file) => file.text)).toEqual([text, `b ${text}`]);
        expect(Buffer.from(bytes['bytes.bin']!, 'base64')).toEqual(Buffer.from(`\xff${text}`, 'utf16le'));
        expect(Buffer.from(bytes['SKILL.md']!, 'base64').toString()).toBe(text);
      }
      await catalogue.staysDuring(() => catalogue.load(rows));
      expect(await catalogue.remove(rows.map(({ id }) => id!))).toBe(rows.length);
    });

    test('lose U+0000 and lone surrogates, and nothing else', async () => {
      const catalogue = await CatalogueUnderTest.of(store);
      const rows = [
        {
          id: `id-${UNSTORABLE}`,
          name: `name ${UNSTORABLE}`,
          description: `description ${UNSTORABLE}`,
          author: `author ${UNSTORABLE}`,
          categories: [`category ${UNSTORABLE}`],
          occupations: [`occupation ${UNSTORABLE}`],
          tags: [`tag ${UNSTORABLE}`],
          license: `license ${UNSTORABLE}`,
          metadata: { [`key ${UNSTORABLE}`]: `value ${UNSTORABLE}` },
          frontMatter: { [`key ${UNSTORABLE}`]: `value ${UNSTORABLE}` },
          files: [{ filename: `file ${UNSTORABLE}.md`, text: `text ${UNSTORABLE}` }],
        },
      ];
      expect(countsOf(await catalogue.load(rows))).toEqual(counts({ added: 1 }));
      const skills = await catalogue.skills();
      expect([...skills.keys()]).toEqual(['id-abcd']);
      const { skill, files } = skills.get('id-abcd')!;
      expect(skill).toMatchObject({ name: 'name abcd', description: 'description abcd', author: 'author abcd' });
      // Keys of objects are kept as JSON has them, escaped.
      const members = { [`key ${UNSTORABLE}`]: 'value abcd' };
      expect(skill).toMatchObject({ license: 'license abcd', metadata: members, frontMatter: members });
      expect(files).toMatchObject([{ filename: 'file abcd.md', text: 'text abcd' }]);
      await catalogue.staysDuring(() => catalogue.load(rows));
    });
  });

  test('ids that differ by case, by accent, by composition or by width alone are of different skills', async () => {
    const ids = [
      'a',
      'A',
      'ä',
      'a\u0308',
      'Ä',
      'ａ',
      'ss',
      'ß',
      'fi',
      'ﬁ',
      'i',
      'İ',
      'ı',
      'a-',
      'a.',
      '_a',
      '\u{1f600}',
      '\uffee',
    ];
    const catalogue = await CatalogueUnderTest.of(store);
    const rows = ids.map((id) => ({ ...row(id), files: [whole('SKILL.md', Buffer.from(id))] }));
    expect(countsOf(await catalogue.load(rows))).toEqual(counts({ added: ids.length }));
    await catalogue.searching((search) => {
      for (const id of ids) {
        expect(search.get(id)?.description).toBe(`description of ${id}`);
        expect(Buffer.from(search.read(id, 'SKILL.md')!).toString()).toBe(id);
      }
      const inOrder = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(catalogueSearchOf(search).completeIds({ limit: 50 })).toEqual(inOrder);
    });
    expect(await catalogue.update([row('A', { stars: 5 })])).toMatchObject({ added: 0, updated: 1 });
    expect(await catalogue.remove(['a', 'ß', 'a\u0308'])).toBe(3);
    expect(await catalogue.load(rows.filter(({ id }) => id !== 'A'))).toMatchObject({ added: 3, updated: 0 });
    expect((await catalogue.skills()).get('A')?.skill?.stars).toBe(5);
  });

  test('a skill as large as one may be comes back as it was', async () => {
    const id = '\u{1f600}'.repeat(MAX_ID);
    const large = (letter: string): string => `${letter} `.repeat(MAX_FILE_BYTES / 2);
    const files = ['a', 'b', 'c', 'd'].map((letter) => ({ filename: `${letter}.md`, text: large(letter) }));
    const bytes = Buffer.from(Array.from({ length: 3 * 1024 * 1024 }, (_, i) => (i * i * 7919) >> 3));
    const skill = {
      ...row(id),
      name: '\u{1f600}'.repeat(MAX_NAME),
      description: '\u{1f600}'.repeat(MAX_DESCRIPTION),
      files: [...files, whole('large.bin', bytes)],
    };
    const catalogue = await CatalogueUnderTest.of(store);
    const report = await catalogue.load([skill]);
    expect([countsOf(report), report.warnings]).toEqual([counts({ added: 1 }), []]);
    await catalogue.searching((search) => {
      expect(search.get(id)).toMatchObject({ name: skill.name, description: skill.description });
      expect(search.files(id).map(({ text }) => text)).toEqual(files.map(({ text }) => text));
      expect(Buffer.compare(Buffer.from(search.read(id, 'large.bin')!), bytes)).toBe(0);
    });
  });
}

const at = (path: string, more: Row = {}): Row => ({
  name: 'n',
  description: 'd',
  codehostUrl: `https://github.com/Owner/repo/tree/main/${path}`,
  ...more,
});

/** Which ids skills get that bring none. */
export function derivesIds(store: CatalogueStore): void {
  async function loaded(rows: readonly unknown[]): Promise<CatalogueUnderTest> {
    const catalogue = await CatalogueUnderTest.of(store);
    await catalogue.load(rows);
    return catalogue;
  }

  describe('ids that are derived', () => {
    test('stay when the text changes', async () => {
      const catalogue = await loaded([at('a'), at('漢字')]);
      const ids = await catalogue.ids();
      const changed = { name: 'other', description: 'other', stars: 3 };
      expect(countsOf(await catalogue.load([at('a', changed), at('漢字', changed)]))).toEqual(counts({ updated: 2 }));
      expect(await catalogue.ids()).toEqual(ids);
    });

    test('get a hash where two places make one slug, and keep it in whatever order they come later', async () => {
      const [one, two] = [at('a/b'), at('a-b')];
      const catalogue = await loaded([one, two]);
      const ids = await catalogue.ids();
      expect(ids).toEqual(['owner-repo-a-b', expect.stringMatching(/^owner-repo-a-b-[0-9a-f]{8}$/)]);
      await catalogue.staysDuring(async () => {
        for (const rows of [[two, one], [two], [one]]) {
          expect(countsOf(await catalogue.load(rows))).toEqual(counts({ unchanged: rows.length }));
        }
      });
      await catalogue.load([two], { prune: true });
      expect(await catalogue.ids()).toEqual([ids[1]]);
      // An id that became free is not taken by a skill that has one.
      expect(countsOf(await catalogue.update([at('a-b', { stars: 5 })]))).toEqual(counts({ updated: 1 }));
    });
  });

  test.each(['in one load', 'in two loads'])(
    'two folders with the same last name are two origins, and each keeps its ids: %s',
    async (loads) => {
      const home = scratchFolder();
      const [a, b] = ['a', 'b'].map((name) => join(home, name, 'skills')) as [string, string];
      for (const [folder, text] of [
        [a, 'of a'],
        [b, 'of b'],
      ] as const)
        writeSkill(join(folder, 'pdf'), text);
      const catalogue = await CatalogueUnderTest.of(store);
      for (const sources of loads === 'in one load' ? [[a, b]] : [[a], [b]]) await catalogue.loadFrom(sources);
      const ids = await catalogue.ids();
      expect(ids).toEqual(['skills-pdf', expect.stringMatching(/^skills-pdf-[0-9a-f]{8}$/)]);
      expect(await catalogue.descriptions()).toEqual({ [ids[0]!]: 'of a', [ids[1]!]: 'of b' });

      await catalogue.staysDuring(async () => {
        for (const sources of [[b, a], [a], [b]]) await catalogue.loadFrom(sources, { prune: true });
      });
      rmSync(join(a, 'pdf'), { recursive: true });
      writeSkill(join(a, 'other'), 'another');
      expect(await catalogue.loadFrom([a], { prune: true })).toMatchObject({ added: 1, removed: 1 });
      expect(await catalogue.descriptions()).toEqual({ 'skills-other': 'another', [ids[1]!]: 'of b' });
    },
  );
}

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
          expect([size, digest]).toEqual([bytes.length, sha256Of(bytes)]);
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
        expect(search.contents('skills-a')?.files[1]).toMatchObject({ executable: true, sha256: sha256Of(NOISE) });
        expect(bytesOf(search, 'skills-a', 'x.bin')).toEqual(NOISE);
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
        { ...row('wrong'), files: [whole('SKILL.md', 'a'), { ...whole('b.md', 'b'), sha256: sha256Of('c') }] },
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

function bytesOf(search: SkillSearch, id: string, path: string): Buffer {
  return Buffer.from(search.read(id, path) ?? expect.fail(`${id} has no ${path}`));
}

const ROWS = [
  row('notes', { name: 'release notes', description: 'Writes release notes from the log.' }),
  row('forms', { name: 'forms', description: 'Fills in forms of PDF files.' }),
  row('charts', { name: 'charts', description: 'Draws charts of tables.' }),
];

/** Which vectors and derived categories there are after loads. */
export function keepsMeaning(store: CatalogueStore): void {
  const empty = (): Promise<CatalogueUnderTest> => CatalogueUnderTest.of(store);
  const nearest = (catalogue: CatalogueUnderTest, embedder: Embedder, q: string): Promise<readonly string[]> =>
    catalogue.searching(
      async (search) => (await search.semantic({ q, ranking: 'vector' })).hits.map(({ skill }) => skill.id),
      embedder,
    );

  describe('vectors', () => {
    test('are made once for a text, whichever load, row or skill brings it', async () => {
      const catalogue = await empty();
      const embedder = new StandInEmbedder();
      expect(await catalogue.load(ROWS, { embedder })).toMatchObject({ added: 3, embedded: 3 });
      expect(embedder.asked).toHaveLength(3);

      const same = { name: ROWS[0]!.name!, description: ROWS[0]!.description! };
      await catalogue.loadFrom([{ name: 'other', rows: [row('copy', same)] }], { embedder });
      await catalogue.update([row('another', { ...same, stars: 3 })], { embedder });
      await catalogue.remove(['notes', 'forms']);
      await catalogue.load(ROWS.slice(0, 1), { embedder });
      expect(embedder.asked).toHaveLength(3);
      expect(await nearest(catalogue, embedder, 'draws charts')).toContain('charts');
      expect(await catalogue.searching((search) => search.stats())).toMatchObject({ model: 'stand-in', skills: 4 });
    });

    test('stay where a load makes none, and the next one makes what is missing', async () => {
      const catalogue = await empty();
      const embedder = new StandInEmbedder();
      await catalogue.load(ROWS.slice(0, 2), { embedder });
      expect(await catalogue.load(ROWS)).toMatchObject({ added: 1, unchanged: 2, embedded: 0 });
      expect([...(await nearest(catalogue, embedder, 'charts'))].sort()).toEqual(['forms', 'notes']);
      expect(await catalogue.load(ROWS, { embedder })).toMatchObject({ unchanged: 3, embedded: 1 });
      expect((await nearest(catalogue, embedder, 'charts'))[0]).toBe('charts');
      await catalogue.staysDuring(() => catalogue.load(ROWS, { embedder }));
    });

    test('of another model replace them all', async () => {
      const catalogue = await empty();
      await catalogue.load(ROWS, { embedder: new StandInEmbedder() });
      const other = new StandInEmbedder('other', 24);
      expect(await catalogue.load(ROWS.slice(0, 1), { embedder: other })).toMatchObject({ unchanged: 1, embedded: 3 });
      expect((await nearest(catalogue, other, 'charts'))[0]).toBe('charts');
      expect(await catalogue.searching((search) => search.stats())).toMatchObject({ model: 'other', vectors: 3 });
      const former = nearest(catalogue, new StandInEmbedder(), 'charts');
      expect(await codeOf(() => former)).toBe('MODEL_MISMATCH');
      // And back: what was made before need not be there any more.
      await catalogue.load(ROWS, { embedder: new StandInEmbedder() });
      expect((await nearest(catalogue, new StandInEmbedder(), 'charts'))[0]).toBe('charts');
    });
  });

  describe('derived categories', () => {
    const embedder = new CategoryEmbedder();
    const TESTS = row('tests', {
      name: 'unit-tests',
      description: 'Write unit tests and integration tests with pytest.',
    });
    const COMMITS = row('commits', {
      name: 'git-commit',
      description: 'Write commit messages for git, rebase, open a PR.',
    });
    const GIVEN: Row = { ...TESTS, id: 'given', name: 'unit-tests-given', categories: ['my-own-slug'] };
    const ALL = [TESTS, COMMITS, GIVEN];

    const derived = (catalogue: CatalogueUnderTest): Promise<readonly string[]> =>
      catalogue.searching((search) =>
        search
          .ids()
          .filter((id) => search.get(id)?.derivedCategories !== undefined)
          .sort(),
      );

    test('are given to skills without any, count as categories, and stay with the catalogue', async () => {
      const catalogue = await empty();
      expect(await catalogue.load(ALL, { embedder, classify: true })).toMatchObject({ added: 3, classified: 2 });
      await catalogue.searching((search) => {
        expect(search.get('tests')?.derivedCategories).toContain('testing');
        expect(search.get('commits')?.derivedCategories).toContain('git-workflows');
        expect(search.get('given')).not.toHaveProperty('derivedCategories');
        expect(search.categories()).toContainEqual({ slug: 'testing', count: 1, derived: 1 });
        expect(search.list({ category: 'git-workflows' }).hits.map(({ skill }) => skill.id)).toEqual(['commits']);
      });
      for (const more of [{ classify: true }, {}]) {
        await catalogue.staysDuring(async () =>
          expect(await catalogue.load(ALL, { embedder, ...more })).toMatchObject({ unchanged: 3, classified: 0 }),
        );
      }
      // Nobody says it again: the catalogue is classified.
      const another = { ...COMMITS, id: 'new', name: 'git-commit-2' };
      expect(await catalogue.load([another], { embedder })).toMatchObject({ added: 1, classified: 1 });
      expect(await catalogue.update([{ ...another, id: 'newer', name: 'git-commit-3' }], { embedder })).toMatchObject({
        classified: 1,
      });
      expect(await derived(catalogue)).toEqual(['commits', 'new', 'newer', 'tests']);
    });

    test('are not given without vectors of the right model, and a warning says so', async () => {
      const catalogue = await empty();
      const { classified, warnings } = await catalogue.load(ALL, { classify: true });
      expect([classified, warnings.map(({ message }) => message)]).toEqual([
        0,
        [
          `no skill was classified: that needs vectors of the model ${readClassifier().model}, and the catalogue has none`,
        ],
      ]);
    });
  });
}
