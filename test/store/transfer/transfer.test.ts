import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Of } from '../../../src/core/index.js';
import { buildCatalogue, openSkillSearch, removeSkills, updateSkills } from '../../../src/index.js';
import { indexOrWarn } from '../../../src/indexing/index-or-warn.js';
import { blobsIn } from '../../../src/store/stored-skill.js';
import { applyChanges } from '../../../src/store/transfer/apply-changes.js';
import type { CatalogueChanges, SkillImage } from '../../../src/store/transfer/skill-image.js';
import { changeIn, contentOf, traceOf } from '../../catalogue-file.js';
import { type Row, row, writeJsonLines } from '../../rows.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';
import { allOf, numbersIn, signedByEarlierVersion, withChanges } from './states.js';

const embedder = new StandInEmbedder();
const ROWS = [row('a'), row('b'), row('c')];

/** What the difference of two catalogues says is removed, and what is changed. */
function idsOf(base: string | undefined, next: string): Promise<(readonly string[])[]> {
  return withChanges(base, next, ({ removed, changed }) => [removed, changed]);
}

/** A catalogue with three skills, and a copy of it. */
async function twoCatalogues(more: object = { semantic: false }): Promise<{ base: string; next: string }> {
  const folder = scratchFolder();
  const [base, next] = [join(folder, 'base.db'), join(folder, 'next.db')];
  await buildCatalogue({ database: base, sources: [{ name: 'one', rows: ROWS }], ...more });
  cpSync(base, next);
  return { base, next };
}

describe('the difference of two catalogues', () => {
  test('has every skill of the later one if there is no former one, in code-point order', async () => {
    const database = scratchFile('skills.db');
    const ids = ['b', '\u{1F600}', '\uFFEE', 'a'];
    await buildCatalogue({ database, sources: [ids.map((id) => row(id))], semantic: false });
    expect(await idsOf(undefined, database)).toEqual([[], ['a', 'b', '\uFFEE', '\u{1F600}']]);
  });

  test('tells what came, what changed and what went', async () => {
    const { base, next } = await twoCatalogues();
    const rows = [row('d'), row('b', { stars: 1 })];
    await updateSkills({ database: next, rows, source: 'one', semantic: false });
    await removeSkills({ database: next, ids: ['c'] });
    expect(await idsOf(base, next)).toEqual([['c'], ['b', 'd']]);
    expect(await idsOf(next, base)).toEqual([['d'], ['b', 'c']]);
  });

  test('has the skills that another row has become', async () => {
    const folder = scratchFolder();
    const [file, base, next] = ['rows.jsonl', 'base.db', 'next.db'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeJsonLines(file, ROWS);
    await buildCatalogue({ database: base, sources: [file], semantic: false });
    cpSync(base, next);
    // What else a row says makes no other skill. A load that changes nothing writes nothing, hence the new one.
    writeJsonLines(file, [row('a'), { ...row('b'), unknown: 1 }, row('c'), row('d')]);
    await buildCatalogue({ database: next, sources: [file], semantic: false });
    expect(await idsOf(base, next)).toEqual([[], ['b', 'd']]);
    expect(await idsOf(next, base)).toEqual([['d'], ['b']]);
  });

  test('has the skills whose text got a vector, or lost it, and all with a vector if another model made them', async () => {
    const { base, next } = await twoCatalogues();
    await buildCatalogue({ database: next, sources: [{ name: 'one', rows: ROWS }], embedder });
    expect(await idsOf(base, next)).toEqual([[], ['a', 'b', 'c']]);
    expect(await idsOf(next, base)).toEqual([[], ['a', 'b', 'c']]);
    const other = scratchFile('other.db');
    cpSync(next, other);
    const another = new StandInEmbedder('another');
    await buildCatalogue({ database: other, sources: [{ name: 'one', rows: ROWS }], embedder: another });
    expect(await idsOf(next, other)).toEqual([[], ['a', 'b', 'c']]);
    await withChanges(next, other, ({ model }) => expect(model).toEqual({ id: 'another', dimensions: 48 }));
  });
});

test('skills with large files come in batches of 16 MiB', async () => {
  const database = scratchFile('skills.db');
  const rows = Array.from({ length: 5 }, (_, i) => {
    const bytes = randomBytes(5 * 2 ** 20);
    const files = [
      { filename: 'SKILL.md', base64: Buffer.from('# All').toString('base64'), sha256: sha256Of('# All') },
      { filename: 'x.bin', base64: bytes.toString('base64'), sha256: sha256Of(bytes) },
    ];
    return { ...row(`skill-${i}`), files: files.map((file) => ({ ...file, complete: true, executable: false })) };
  });
  await buildCatalogue({ database, sources: [rows], contents: true, semantic: false });
  const batches: number[] = [];
  await withChanges(undefined, database, async (changes) => {
    for await (const batch of changes.images()) {
      const digests = batch.flatMap(({ columns }) => blobsIn(columns.contents));
      const blobs = await changes.blobs(digests.map((file) => Buffer.from(file.sha256, 'hex')));
      batches.push(blobs.filter(({ size }) => size > 1000).length);
    }
  });
  expect(batches).toEqual([3, 2]);
});

describe('what is damaged is not handed on', () => {
  test.each([
    ['its row', "UPDATE revision SET record = replace(record, 'description of b', 'description of x') WHERE id = 'b'"],
    ['its file', "UPDATE file SET filename = 'x' WHERE skill = (SELECT number FROM skill WHERE id = 'b')"],
    ['its files', "DELETE FROM file WHERE skill = (SELECT number FROM skill WHERE id = 'b')"],
  ])('and the skill is named: %s', async (fault, sql) => {
    const { next } = await twoCatalogues();
    changeIn(next, sql);
    await withChanges(undefined, next, async ({ images }) => {
      const reading = images()[Symbol.asyncIterator]().next();
      await expect(reading).rejects.toMatchObject({ code: 'DATABASE_DAMAGED', skill: 'b' });
      await expect(images()[Symbol.asyncIterator]().next()).rejects.toThrow(`not as it was written: ${fault}`);
    });
  });

  test('be it the bytes of its files', async () => {
    const next = await folderCatalogue(join(scratchFolder(), 'skills', 'pdf'));
    const { columns } = (await allOf(next)).images[0]!;
    const digest = Buffer.from(blobsIn(columns.contents)[0]!.sha256, 'hex');
    changeIn(next, `UPDATE blob SET bytes = x'00' WHERE sha256 = x'${digest.toString('hex')}'`);
    await withChanges(undefined, next, async ({ blobs }) => {
      await expect(blobs([digest])).rejects.toMatchObject({ code: 'DATABASE_DAMAGED', skill: columns.id });
      expect(await blobs([Buffer.alloc(32)])).toEqual([]);
    });
  });
});

test('a catalogue that is changed while it is compared is told from the one that was opened', async () => {
  const { base, next } = await twoCatalogues();
  await updateSkills({ database: next, rows: [row('d')], source: 'one', semantic: false });
  await withChanges(base, next, async (changes) => {
    await updateSkills({ database: next, rows: [row('e')], source: 'one', semantic: false });
    await expect(applyChanges(base, changes, { note: 'a 1' })).rejects.toMatchObject({ code: 'LOAD_IN_PROGRESS' });
  });
  expect((await allOf(base)).images).toHaveLength(3);
});

/** A catalogue with a skill of a folder, beside it. */
async function folderCatalogue(folder: string): Promise<string> {
  const database = join(dirname(dirname(folder)), 'skills.db');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: pdf\ndescription: Fills forms.\n---\n\nText.\n');
  writeFileSync(join(folder, 'run.bin'), '\0one');
  await buildCatalogue({ database, sources: [dirname(folder)], semantic: false, git: false });
  return database;
}

describe('refused images', () => {
  const embedder = new StandInEmbedder();

  /**
   * What is wrong with what comes. The skill at fault is `b`, but for files that are kept as they are, which `skills-pdf`
   * has.
   */
  const FAULTS: readonly (readonly [
    what: string,
    skill: string,
    (c: CatalogueChanges) => Partial<CatalogueChanges>,
  ])[] = [
    [
      'a text that its hash does not cover',
      'b',
      only('b', (image) => ({ ...image, files: [{ filename: 'SKILL.md', text: 'x' }] })),
    ],
    ['no files', 'b', only('b', (image) => ({ ...image, files: [] }))],
    [
      'a label that its hash does not cover',
      'b',
      only('b', (image) => ({ ...image, columns: { ...image.columns, tags: '["x"]' } })),
    ],
    [
      'a date that its record does not say',
      'b',
      only('b', (image) => ({ ...image, columns: { ...image.columns, updatedAt: 7 } })),
    ],
    [
      'an id that its record does not say',
      'bb',
      ({ changed, ...changes }) => ({
        changed: changed.map((id) => (id === 'b' ? 'bb' : id)),
        images: only('b', (image) => ({ ...image, columns: { ...image.columns, id: 'bb' } }))({ changed, ...changes })
          .images!,
      }),
    ],
    ['derived categories that are no list', 'b', only('b', (image) => ({ ...image, derivedCategories: '{"a":1}' }))],
    [
      'contents that are gone',
      'skills-pdf',
      only('skills-pdf', (image) => ({ ...image, columns: { ...image.columns, contents: null } })),
    ],
    ['another skill in its place', 'b', only('b', (image) => ({ ...image, columns: { ...image.columns, id: 'x' } }))],
    [
      'a vector that is too short',
      'b',
      (changes) => ({
        vectors: async (hashes) =>
          (await changes.vectors(hashes)).map((one, i) =>
            i === 0 ? { ...one, embedding: one.embedding.subarray(4) } : one,
          ),
      }),
    ],
    ['a vector that is missing', 'b', () => ({ vectors: async () => [] })],
    ['bytes of a file that are missing', 'skills-pdf', () => ({ blobs: async () => [] })],
  ];

  let folder: string;
  /** With `a` alone. */
  let former: string;
  /** With all three. */
  let later: string;

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'skill-discovery-refused-')));
    [former, later] = [join(folder, 'former.db'), join(folder, 'later.db')];
    await buildCatalogue({ database: later, sources: [[row('a')]], embedder });
    cpSync(later, former);
    const pdf = join(folder, 'skills', 'pdf');
    mkdirSync(pdf, { recursive: true });
    writeFileSync(join(pdf, 'SKILL.md'), '---\nname: pdf\ndescription: Fills forms.\n---\n\nText.\n');
    writeFileSync(join(pdf, 'run.bin'), '\0one');
    await buildCatalogue({ database: later, sources: [[row('a'), row('b')], dirname(pdf)], embedder, git: false });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(['in place', 'as a whole load'] as const)('a skill that is to be written %s', (way) => {
    test.each(FAULTS)('and comes with %s is refused by its name, and nothing is changed', async (_, skill, more) => {
      const copy = join(scratchFolder(), 'copy.db');
      cpSync(former, copy);
      if (way === 'as a whole load') signedByEarlierVersion(copy);
      const before = traceOf(copy);
      await withChanges(former, later, (changes) => expectDamaged(copy, changes, skill), more);
      expect(traceOf(copy)).toEqual(before);
      await withChanges(former, later, (changes) => applyChanges(copy, changes, { note: 'a 1' }));
      expect([...contentOf(copy).keys()]).toEqual(['a', 'b', 'skills-pdf']);
    });
  });

  test('a skill that does not come is missed', async () => {
    const copy = join(scratchFolder(), 'copy.db');
    const more = (changes: CatalogueChanges): Partial<CatalogueChanges> => ({
      async *images() {
        for await (const images of changes.images()) yield images.slice(0, -1);
      },
    });
    await withChanges(undefined, later, (changes) => expectDamaged(copy, changes, 'skills-pdf'), more);
    expect(existsSync(copy)).toBe(false);
  });

  async function expectDamaged(copy: string, changes: CatalogueChanges, skill: string): Promise<void> {
    const applied = applyChanges(copy, changes, { note: 'a 1' });
    await expect(applied).rejects.toMatchObject({ code: 'DATABASE_DAMAGED', skill });
  }

  /** Changes with another image of one skill. */
  function only(id: string, change: (image: SkillImage) => SkillImage) {
    return (changes: CatalogueChanges): Partial<CatalogueChanges> => ({
      async *images() {
        for await (const images of changes.images()) {
          yield images.map((image) => (image.columns.id === id ? change(image) : image));
        }
      },
    });
  }
});

const WORDS = 'git commit review test deploy docker python react data model chart table parse write read notes'.split(
  ' ',
);

/** Numbers that look random, the same in each run. */
function drawn(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

/**
 * Few words, stars and dates, so that many scores and orders are equal; and long texts, some of them nearly the same.
 */
function randomRow(id: string, draw: (below: number) => number): Row {
  const words = (count: number): string => Array.from({ length: count }, () => WORDS[draw(WORDS.length)]).join(' ');
  const isCopy = draw(6) === 0;
  const template = Array.from({ length: 120 }, (_, i) => `step${i} ${WORDS[i % WORDS.length]}`).join(' ');
  return row(id, {
    name: isCopy ? 'git template' : words(2),
    description: isCopy ? `Follows a template ${draw(3)}.` : words(6),
    author: ['ann', 'bob', 'cy'][draw(3)]!,
    license: ['MIT', 'Apache-2.0'][draw(2)]!,
    stars: draw(3),
    updatedAt: 1_700_000_000 + draw(4),
    categories: [['testing', 'data', 'writing'][draw(3)]!],
    files: [{ filename: 'SKILL.md', text: isCopy ? `${template} ${words(2)}` : words(4 + draw(60)) }],
  });
}

/** All that can be asked by words, as JSON. */
async function answersIn(database: string): Promise<readonly string[]> {
  await using search = await openSkillSearch({ database });
  const answers: unknown[] = [search.categories(), search.suggest('d'), search.suggest('git')];
  for (const q of [
    ...WORDS,
    'git review',
    '"write read"',
    'comit revew',
    'step7 step8 data',
    'charts tables',
    'template',
  ]) {
    for (const sortBy of ['relevance', 'recent', 'stars'] as const) {
      for (const copies of ['collapse', 'keep'] as const) {
        const { hits, ...answer } = search.keyword({
          q,
          sortBy,
          copies,
          limit: 50,
          facets: ['category', 'author', 'license'],
        });
        answers.push(
          answer,
          hits.map((hit) => ({ ...hit, matches: hit.matches, snippet: hit.snippet })),
        );
      }
    }
    answers.push(await search.semantic({ q, ranking: 'words', limit: 50, explain: true }));
  }
  for (const copies of ['collapse', 'keep'] as const) {
    for (const sortBy of ['recent', 'stars'] as const)
      answers.push(search.list({ copies, sortBy, limit: 50, facets: ['author'] }));
  }
  return answers.map((answer) => JSON.stringify(answer));
}

test('a catalogue that has grown by small changes answers by words as one that was made at once', async () => {
  const folder = scratchFolder();
  const [grown, once] = [join(folder, 'grown.db'), join(folder, 'once.db')];
  const draw = drawn(21);
  const ids = Array.from({ length: 300 }, (_, i) => `skill-${i}`);
  const rows = ids.slice(0, 200).map((id) => randomRow(id, draw));
  await buildCatalogue({ database: grown, sources: [{ name: 'rows', rows }], semantic: false });
  for (let i = 0; i < 8; i++) {
    const changed = new Set(Array.from({ length: 15 }, () => ids[draw(ids.length)]!));
    const rows = [...changed].map((id) => randomRow(id, draw));
    await updateSkills({ database: grown, rows, source: 'rows', semantic: false });
    await removeSkills({ database: grown, ids: Array.from({ length: 5 }, () => ids[draw(ids.length)]!) });
  }
  await withChanges(undefined, grown, (changes) => applyChanges(once, changes, { note: 'a 1' }));
  expect([...numbersIn(grown)].toSorted()).not.toEqual([...numbersIn(once)].toSorted());

  const expected = await answersIn(once);
  expect(expected.join()).toContain('"copies":2');
  expect(await answersIn(grown)).toEqual(expected);
  for (const database of [grown, once]) {
    await indexOrWarn(database, { onProgress: () => {}, onWarning: ({ message }) => expect.fail(message) });
    expect(await answersIn(database)).toEqual(expected);
  }
});
