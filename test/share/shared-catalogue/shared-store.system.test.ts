import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Revision } from '../../../src/share/shared-catalogue/catalogue-tables.js';
import type { SkillImage } from '../../../src/store/transfer/skill-image.js';
import { describeWithPostgres } from '../postgres/describe-with-postgres.js';
import { makeChanges, makeImage, readAll, sha256, vectorOf } from './made-changes.js';
import { openStore, publishedAs } from './open-store.js';

/** Any text but with half of a surrogate pair, which no catalogue can have. */
const text = fc.string({ unit: 'binary', maxLength: 12 });
const anyNumber = fc.oneof(fc.nat(), fc.constantFrom(Number.MAX_SAFE_INTEGER, 2 ** 31, 0.1, 1e-9));
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((all) => Buffer.from(all));
const blob = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((all) => Buffer.from(all)),
  fc.nat({ max: 3 }).map((n) => Buffer.alloc(20_000 * n, n)),
);

/** An image and the bytes of its files. */
const image = fc.record({
  columns: fc.record({
    stars: anyNumber,
    updatedAt: anyNumber,
    record: text,
    categories: text,
    occupations: text,
    tags: text,
    properties: text,
    copyKey: text,
    place: text,
    textHash: bytes(16),
    hash: fc.oneof(bytes(16), bytes(17)),
  }),
  files: fc.array(fc.record({ filename: text, text: fc.oneof(text, fc.constant('long '.repeat(3000))) }), {
    maxLength: 3,
  }),
  contents: fc.option(
    fc.record({
      complete: fc.boolean(),
      files: fc.array(
        fc.record({
          path: text,
          size: anyNumber,
          blob,
          executable: fc.nat({ max: 1 }),
          complete: fc.nat({ max: 1 }),
          isText: fc.nat({ max: 1 }),
          kept: fc.constantFrom('blob', 'text', 'none'),
        }),
        { maxLength: 3 },
      ),
    }),
    { nil: undefined },
  ),
  derivedCategories: fc.option(text, { nil: undefined }),
  claims: fc.uniqueArray(
    fc.record({
      source: text,
      row: fc.option(fc.record({ fingerprint: bytes(16), hash: bytes(16) }), { nil: undefined }),
    }),
    { selector: ({ source }) => source, maxLength: 3 },
  ),
});

interface Made {
  readonly image: SkillImage;
  readonly blobs: readonly Buffer[];
}

function made(
  id: string,
  { columns, contents, derivedCategories, claims, files }: typeof image extends fc.Arbitrary<infer T> ? T : never,
): Made {
  return {
    image: {
      columns: { id, ...columns },
      // It belongs to the text, not to the skill.
      hasVector: columns.textHash[0]! % 2 === 0,
      files,
      ...(contents === undefined
        ? {}
        : {
            contents: {
              complete: contents.complete,
              files: contents.files.map(({ blob: content, ...file }) => ({ ...file, sha256: sha256(content) })),
            },
          }),
      ...(derivedCategories === undefined ? {} : { derivedCategories }),
      claims: claims.map(({ source, row }) => (row === undefined ? { source } : { source, row })),
    },
    blobs: (contents?.files ?? []).map((file) => file.blob),
  };
}

/** Claims have no order but that of their sources' names, as SQLite has them: by bytes. */
function ordered({ claims, ...rest }: SkillImage): SkillImage {
  const byName = (a: SkillImage['claims'][number], b: SkillImage['claims'][number]): number =>
    Buffer.compare(Buffer.from(a.source), Buffer.from(b.source));
  return { ...rest, claims: claims.toSorted(byName) };
}

describeWithPostgres('a shared catalogue', (server) => {
  test('is empty at first', async () => {
    const store = await openStore(await server.database());
    const { identity, ...head } = await store.head();
    expect(identity).toMatch(/^[0-9a-f-]{36}$/);
    expect(head).toMatchObject({ version: 0, stamp: '' });
    await store.withChangesSince(undefined, async (changes) => {
      expect(changes).toMatchObject({ isWhole: true, changed: [], removed: [], model: undefined, stamp: '' });
    });
  });

  test('hands out what was published, and then what has changed since', async () => {
    const store = await openStore(await server.database());
    const images = Array.from({ length: 10 }, (_, i) => makeImage(`skill-${i}`));
    const first = makeChanges(images, { classifier: 'rules 1' });
    const since = publishedAs(await store.publish(first, await store.head()));
    expect(since).toMatchObject({ version: 1, stamp: first.stamp });
    expect(await store.head()).toMatchObject(since);
    await store.withChangesSince(undefined, async (changes) => {
      const { model, stamp, classifier } = first;
      expect(changes).toMatchObject({ isWhole: true, revision: since, model, stamp, classifier });
      const read = await readAll(changes);
      expect(read.images).toEqual(images);
      const vectors = images.map(({ columns: { textHash } }) => vectorOf(textHash));
      expect(read.vectors).toEqual(
        Object.fromEntries(vectors.map((one) => [one.textHash.toString('hex'), one.embedding.toString('hex')])),
      );
    });
    const changed = makeImage('skill-3', 'another text', { claims: [{ source: 'other' }], derivedCategories: '[]' });
    const second = makeChanges([changed, makeImage('a-new-one')], { removed: ['skill-5'], classifier: 'rules 1' });
    await store.publish(second, since);
    await store.withChangesSince(since, async (changes) => {
      expect(changes).toMatchObject({ isWhole: false, removed: ['skill-5'], changed: ['a-new-one', 'skill-3'] });
      expect((await readAll(changes)).images).toEqual([makeImage('a-new-one'), changed]);
    });
    // Only what was not there is asked for.
    expect(second.handedOut.vectors).toBe(2);
    await store.withChangesSince(await store.head(), async (changes) => {
      expect(changes).toMatchObject({ isWhole: false, removed: [], changed: [] });
    });
  });

  test('has no trace of a skill that was removed, until it comes back', async () => {
    const address = await server.database();
    const store = await openStore(address);
    const kept = makeImage('kept');
    const first = publishedAs(await store.publish(makeChanges([kept, makeImage('gone')]), await store.head()));
    const second = publishedAs(await store.publish(makeChanges([], { removed: ['gone', 'never there'] }), first));
    expect(await server.execute(address, 'SELECT id, image FROM skill_discovery.skill WHERE version = 2')).toEqual([
      { id: 'gone', image: null },
    ]);
    await store.publish(makeChanges([makeImage('gone', 'back')]), second);
    await store.withChangesSince(first, async (changes) => {
      expect(changes).toMatchObject({ removed: [], changed: ['gone'] });
    });
  });

  test('gives back images of any texts, numbers and bytes, as a list of all that was published would', async () => {
    const store = await openStore(await server.database());
    const ids = fc.uniqueArray(
      text.filter((id) => !id.includes('\0')),
      { minLength: 1, maxLength: 6 },
    );
    let state: Revision = await store.head();
    const expected = new Map<string, SkillImage>();
    await fc.assert(
      fc.asyncProperty(
        ids.chain((names) =>
          fc.tuple(fc.constant(names), fc.array(image, { minLength: names.length, maxLength: names.length })),
        ),
        fc.nat({ max: 3 }),
        fc.integer({ min: 1, max: 5 }),
        async ([names, given], dropped, together) => {
          const all = names.map((id, i) => made(id, given[i]!));
          const removed = [...expected.keys()].filter((id) => !names.includes(id)).slice(0, dropped);
          const changes = makeChanges(
            all.map((one) => one.image),
            { removed, blobs: all.flatMap((one) => one.blobs), together },
          );
          const before = state;
          state = publishedAs(await store.publish(changes, before));
          for (const id of removed) expected.delete(id);
          for (const one of all) expected.set(one.image.columns.id, ordered(one.image));
          await store.withChangesSince(before, async (since) => {
            expect(new Set(since.changed)).toEqual(new Set(names));
            expect(new Set(since.removed)).toEqual(new Set(removed));
          });
          await store.withChangesSince(undefined, async (whole) => {
            const read = await readAll(whole);
            expect(new Map(read.images.map((one) => [one.columns.id, ordered(one)]))).toEqual(expected);
            for (const {
              blobs,
              image: { contents },
            } of all) {
              for (const [i, file] of (contents?.files ?? []).entries()) {
                if (file.kept === 'blob')
                  expect(read.blobs[file.sha256.toString('hex')]).toBe(blobs[i]!.toString('hex'));
              }
            }
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  test('is the same for whoever reads while others publish', async () => {
    const store = await openStore(await server.database());
    const first = publishedAs(await store.publish(makeChanges([makeImage('a'), makeImage('b')]), await store.head()));
    await store.withChangesSince(undefined, async (changes) => {
      await store.publish(makeChanges([makeImage('a', 'new')], { removed: ['b'] }), first);
      expect(changes.revision).toEqual(first);
      expect((await readAll(changes)).images).toEqual([makeImage('a'), makeImage('b')]);
    });
  });

  describe('is read as a whole by who was at', () => {
    test('another catalogue, or a version that is not of this one', async () => {
      const store = await openStore(await server.database());
      const first = publishedAs(await store.publish(makeChanges([makeImage('a')]), await store.head()));
      await store.publish(makeChanges([makeImage('b')]), first);
      const isWhole = (since: Revision) => store.withChangesSince(since, async (changes) => changes.isWhole);
      expect(await isWhole(first)).toBe(false);
      for (const other of [{ identity: 'another' }, { version: 3 }, { stamp: 'other' }, { version: 0, stamp: '' }]) {
        expect(await isWhole({ ...first, ...other })).toBe(true);
        if (other.version !== 0) {
          expect(await store.publish(makeChanges([makeImage('c')]), { ...first, ...other })).toBeUndefined();
        }
      }
    });

    test('a version that a restored backup does not have', async () => {
      const address = await server.database();
      const backup = `${address}_backup`;
      const nameOf = (one: string): string => one.slice(one.lastIndexOf('/') + 1);
      const store = await openStore(address);
      const first = publishedAs(await store.publish(makeChanges([makeImage('a')]), await store.head()));
      await store.close();
      const main = await server.database('postgres');
      await server.execute(main, `CREATE DATABASE ${nameOf(backup)} TEMPLATE ${nameOf(address)}`);
      const again = await openStore(address);
      const second = publishedAs(await again.publish(makeChanges([makeImage('b')]), first));
      const restored = await openStore(backup);
      const isWhole = (since: Revision) => restored.withChangesSince(since, async (changes) => changes.isWhole);
      expect((await restored.head()).identity).toBe(second.identity);
      expect([await isWhole(first), await isWhole(second)]).toEqual([false, true]);
      // Another load makes another second version.
      await restored.publish(makeChanges([makeImage('c')]), first);
      expect(await isWhole(second)).toBe(true);
    });

    test('a version before removed skills that were forgotten', async () => {
      const address = await server.database();
      const store = await openStore(address);
      const first = publishedAs(await store.publish(makeChanges([makeImage('a'), makeImage('b')]), await store.head()));
      const second = publishedAs(await store.publish(makeChanges([], { removed: ['a'] }), first));
      await server.execute(
        address,
        `INSERT INTO skill_discovery.skill (id, version, digests) SELECT 'gone ' || n, 2, '' FROM generate_series(1, 199999) AS n`,
      );
      const third = publishedAs(await store.publish(makeChanges([makeImage('c')]), second));
      const removedSince = (since: Revision) =>
        store.withChangesSince(since, async ({ isWhole, removed }) => (isWhole ? 'whole' : removed.length));
      expect([await removedSince(first), await removedSince(second)]).toEqual([200_000, 0]);
      await store.publish(makeChanges([], { removed: ['b'] }), third);
      expect([await removedSince(first), await removedSince(second)]).toEqual(['whole', 1]);
      expect(await server.execute(address, 'SELECT id FROM skill_discovery.skill WHERE image IS NULL')).toEqual([
        { id: 'b' },
      ]);
    });

    test('a version of more than 10,000 versions ago', async () => {
      const address = await server.database();
      const store = await openStore(address);
      const first = publishedAs(await store.publish(makeChanges([makeImage('a')]), await store.head()));
      await server.execute(
        address,
        `INSERT INTO skill_discovery.revision SELECT n, 'stamp ' || n, now() FROM generate_series(2, 10000) AS n;
         UPDATE skill_discovery.catalogue SET version = 10000, stamp = 'stamp 10000'`,
      );
      const isWhole = (since: Revision) => store.withChangesSince(since, async (changes) => changes.isWhole);
      const second = publishedAs(await store.publish(makeChanges([makeImage('b')]), await store.head()));
      expect(await isWhole(first)).toBe(false);
      await store.publish(makeChanges([makeImage('c')]), second);
      expect([await isWhole(first), await isWhole({ ...first, version: 2, stamp: 'stamp 2' })]).toEqual([true, false]);
    });
  });
});
