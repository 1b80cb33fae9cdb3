import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Revision } from '../../../src/share/shared-catalogue/catalogue-tables.js';
import type { SharedStore } from '../../../src/share/shared-catalogue/shared-store.js';
import type { SkillImage } from '../../../src/store/transfer/skill-image.js';
import { codeOf } from '../../error-code.js';
import { describeWithPostgres } from '../postgres/describe-with-postgres.js';
import { cuttingProxy, makeChanges, makeImage, openStore, publishedAs, readAll, sha256, vectorOf } from './stores.js';

describeWithPostgres('a shared catalogue', (server) => {
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

    test('a version of more than 30 days ago, of which removed skills are forgotten', async () => {
      const address = await server.database();
      const store = await openStore(address);
      const first = publishedAs(await store.publish(makeChanges([makeImage('a'), makeImage('b')]), await store.head()));
      const second = publishedAs(await store.publish(makeChanges([], { removed: ['a'] }), first));
      const third = publishedAs(await store.publish(makeChanges([], { removed: ['b'] }), second));
      const removedSince = (since: Revision) =>
        store.withChangesSince(since, async ({ isWhole, removed }) => (isWhole ? 'whole' : removed.length));
      expect(await Promise.all([first, second].map(removedSince))).toEqual([2, 1]);
      await server.execute(
        address,
        `UPDATE skill_discovery.revision SET published_at = now() - interval '31 days' WHERE version < 3;
         UPDATE skill_discovery.catalogue SET cleaned_at = now() - interval '25 hours'`,
      );
      await store.publish(makeChanges([makeImage('c')]), third);
      expect(await Promise.all([first, second].map(removedSince))).toEqual(['whole', 1]);
      expect(await server.execute(address, 'SELECT id FROM skill_discovery.skill WHERE image IS NULL')).toEqual([
        { id: 'b' },
      ]);
    });
  });
});

const imagesOf = (store: SharedStore): Promise<SkillImage[]> =>
  store.withChangesSince(undefined, async (changes) => (await readAll(changes)).images);

describeWithPostgres('publishing into a shared catalogue', (server) => {
  test('publishes nothing onto a revision that is not the present one', async () => {
    const store = await openStore(await server.database());
    const empty = await store.head();
    const first = publishedAs(await store.publish(makeChanges([makeImage('a')]), empty));
    for (const onto of [
      empty,
      { ...first, identity: 'other' },
      { ...first, version: 2 },
      { ...first, stamp: 'other' },
    ]) {
      expect(await store.publish(makeChanges([makeImage('b')]), onto)).toBeUndefined();
    }
    expect(await store.head()).toMatchObject(first);
    expect(await imagesOf(store)).toEqual([makeImage('a')]);
  });

  test('of many at once gives each a version, and each skill its last writer', async () => {
    const address = await server.database();
    const LOADERS = 6;
    const ROUNDS = 5;
    const stores = await Promise.all(Array.from({ length: LOADERS }, () => openStore(address)));
    const written: { readonly version: number; readonly image: SkillImage }[] = [];
    await Promise.all(
      stores.map(async (store, loader) => {
        for (let round = 0; round < ROUNDS; round++) {
          for (;;) {
            const onto = await store.head();
            // A skill of its own, and one that all of them write.
            const claims = [{ source: `loader ${loader}` }];
            const images = [
              makeImage(`own ${loader}/${round}`, `round ${round}`, { claims }),
              ...(round === 2 ? [makeImage('shared', `by ${loader}`, { claims })] : []),
            ];
            const revision = await store.publish(makeChanges(images), onto);
            if (revision === undefined) continue;
            const { version } = revision;
            written.push(...images.map((image) => ({ version, image })));
            break;
          }
        }
      }),
    );
    const versions = await server.execute(
      address,
      'SELECT version::int FROM skill_discovery.revision ORDER BY version',
    );
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: LOADERS * ROUNDS }, (_, i) => i + 1));
    const last = new Map<string, SkillImage>();
    for (const { image } of written.toSorted((a, b) => a.version - b.version)) last.set(image.columns.id, image);
    expect(new Map((await imagesOf(stores[0]!)).map((image) => [image.columns.id, image]))).toEqual(last);
    expect(last.size).toBe(LOADERS * ROUNDS + 1);
  });

  test('that is cut off at any message leaves the former version, or the new one as a whole', async () => {
    const address = await server.database();
    const direct = await openStore(address);
    const bytes = Buffer.alloc(5000, 'bytes');
    const contents = JSON.stringify([true, [['x', 5000, sha256(bytes).toString('hex'), 0, 1, 1, 'blob']]]);
    let state = publishedAs(await direct.publish(makeChanges([makeImage('a'), makeImage('b')]), await direct.head()));
    let expected = await imagesOf(direct);
    let cuts = 0;
    for (let messages = 0; ; messages++) {
      const proxy = await cuttingProxy(address);
      const store = await openStore(proxy.address);
      proxy.cutAfter(messages);
      // Two images at a time, with texts, vectors and bytes that are not there yet.
      const images = ['a', 'new', 'newer'].map((id) => makeImage(id, `round ${messages}`, { contents }));
      const removed = expected.some(({ columns: { id } }) => id === 'b') ? ['b'] : [];
      const changes = makeChanges(images, { blobs: [bytes], removed, together: 2 });
      const code = await codeOf(async () => publishedAs(await store.publish(changes, state)));
      await store.close();
      const head = await direct.head();
      if (head.version === state.version) {
        expect([code, await imagesOf(direct)]).toEqual(['SERVICE_UNAVAILABLE', expected]);
        cuts += 1;
        continue;
      }
      // The last message was on its way, or nothing was cut.
      expect(head).toMatchObject({ version: state.version + 1, stamp: changes.stamp });
      state = head;
      expected = await imagesOf(direct);
      expect(expected.map(({ files }) => files[0]!.text)).toEqual(expected.map(() => `round ${messages}`));
      if (!proxy.isCut) break;
    }
    expect(cuts).toBeGreaterThan(20);
    // Whoever comes next is not kept waiting.
    publishedAs(await direct.publish(makeChanges([makeImage('z')]), state));
  }, 120_000);

  describe('a load has its turn', () => {
    /** A turn that goes on until it is told to end. */
    const turnOf = async (store: SharedStore) => {
      let release = (): void => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      let isBegun = false;
      const turn = store.inTurn(async () => {
        isBegun = true;
        await held;
      });
      await expect.poll(() => isBegun).toBe(true);
      return { turn, release };
    };

    test('when the one before it has ended, unless it is aborted', async () => {
      const address = await server.database();
      const [first, second] = [await openStore(address), await openStore(address)];
      const { turn, release } = await turnOf(first);
      const stop = new AbortController();
      const waiting = second.inTurn(async () => {}, stop.signal);
      setTimeout(() => stop.abort(new Error('enough')), 300);
      await expect(waiting).rejects.toThrow('enough');
      let isOver = false;
      const next = second.inTurn(async () => isOver);
      await wait(300);
      isOver = true;
      release();
      await turn;
      expect(await next).toBe(true);
    });

    test('when the process of the one before it has died', async () => {
      const address = await server.database();
      const [first, second] = [await openStore(address), await openStore(address)];
      const { turn, release } = await turnOf(first);
      await server.execute(
        address,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'`,
      );
      expect(await second.inTurn(async () => 'mine')).toBe('mine');
      release();
      await turn;
    });

    test('after ten minutes at most: then it says that another one is running', async () => {
      const address = await server.database();
      const [first, second] = [await openStore(address), await openStore(address)];
      const { turn, release } = await turnOf(first);
      const waiting = second.inTurn(async () => {});
      waiting.catch(() => {});
      // As the database ends a statement that takes too long.
      const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'advisory'";
      await expect.poll(() => server.execute(address, cancel)).toHaveLength(1);
      await expect(waiting).rejects.toMatchObject({
        code: 'LOAD_IN_PROGRESS',
        message: expect.stringMatching(/^another load into postgres:.* has been running for 10 minutes$/),
      });
      release();
      await turn;
    });
  });

  const AGE = `UPDATE skill_discovery.vector SET made_at = now() - interval '8 days';
    UPDATE skill_discovery.blob SET made_at = now() - interval '8 days'`;
  const DUE = `UPDATE skill_discovery.catalogue SET cleaned_at = now() - interval '25 hours'`;

  test('deletes vectors and bytes that no skill has after seven days, once a day, and sends them again when a skill has them', async () => {
    const address = await server.database();
    const store = await openStore(address);
    const counts = async () =>
      (
        await server.execute(
          address,
          'SELECT (SELECT count(*) FROM skill_discovery.vector)::int AS vectors, (SELECT count(*) FROM skill_discovery.blob)::int AS blobs',
        )
      )[0];
    const bytes = Buffer.from('some bytes');
    const contents = JSON.stringify([true, [['x', 10, sha256(bytes).toString('hex'), 0, 1, 1, 'blob']]]);
    const withFile = makeImage('a', 'a', { contents });
    let state = publishedAs(
      await store.publish(makeChanges([withFile, makeImage('b')], { blobs: [bytes] }), await store.head()),
    );
    await server.execute(address, AGE);
    state = publishedAs(await store.publish(makeChanges([], { removed: ['b'] }), state));
    expect(await counts()).toEqual({ vectors: 2, blobs: 3 });
    await server.execute(address, DUE);
    state = publishedAs(await store.publish(makeChanges([makeImage('c')]), state));
    expect(await counts()).toEqual({ vectors: 2, blobs: 3 });
    expect((await imagesOf(store)).map(({ columns: { id } }) => id)).toEqual(['a', 'c']);
    // Not again on the same day.
    await server.execute(address, AGE);
    state = publishedAs(await store.publish(makeChanges([], { removed: ['c'] }), state));
    expect(await counts()).toEqual({ vectors: 2, blobs: 3 });
    const again = makeChanges([makeImage('b')]);
    await store.publish(again, state);
    expect(again.handedOut.vectors).toBe(1);
    expect(await imagesOf(store)).toEqual([withFile, makeImage('b')]);
  });
});

describeWithPostgres('a shared catalogue', (server) => {
  test('says what rights a user needs, and these are enough', async () => {
    const address = await server.database();
    const owner = await openStore(address);
    await server.execute(address, "CREATE ROLE reader LOGIN PASSWORD 'pw'");
    const asReader = address.replace(/\/\/[^@]+@/, '//reader:pw@');
    const refused = openStore(asReader);
    await expect(refused).rejects.toMatchObject({
      code: 'DATABASE_NOT_WRITABLE',
      message: expect.stringContaining('GRANT USAGE'),
    });
    await server.execute(address, 'GRANT USAGE ON SCHEMA skill_discovery TO reader');
    await server.execute(address, 'GRANT SELECT ON ALL TABLES IN SCHEMA skill_discovery TO reader');
    const reader = await openStore(asReader);
    expect(await reader.withChangesSince(undefined, async ({ revision }) => revision.version)).toBe(0);
    const publishing = reader.publish(makeChanges([makeImage('a')]), await owner.head());
    await expect(publishing).rejects.toMatchObject({ code: 'DATABASE_NOT_WRITABLE' });
    const error = await publishing.catch((thrown: unknown) => thrown);
    await server.execute(address, /GRANT.*$/.exec((error as Error).message)![0]);
    publishedAs(await reader.publish(makeChanges([makeImage('a')]), await owner.head()));
  });

  test('answers nothing while PostgreSQL is away, whatever is under way, and then all again', async () => {
    const address = await server.database();
    const store = await openStore(address);
    const images = [makeImage('a'), makeImage('b'), makeImage('c'), makeImage('d')];
    const state = publishedAs(await store.publish(makeChanges(images), await store.head()));
    const reading = store.withChangesSince(undefined, async (changes) => {
      await server.stop('SIGQUIT');
      return readAll(changes);
    });
    expect(await codeOf(() => reading)).toBe('SERVICE_UNAVAILABLE');
    const calls: Record<string, () => Promise<unknown>> = {
      head: () => store.head(),
      read: () => store.withChangesSince(state, readAll),
      publish: async () => store.publish(makeChanges([makeImage('e')]), state),
      turn: () => store.inTurn(async () => {}),
      snapshot: () => store.snapshot.find(),
      chunk: () => store.snapshot.chunk(sha256('x').toString('hex')),
      changed: () => store.snapshot.changedSince(),
    };
    for (const [name, call] of Object.entries(calls))
      expect([name, await codeOf(call)]).toEqual([name, 'SERVICE_UNAVAILABLE']);
    await server.start();
    await expect.poll(() => codeOf(calls['head']!)).toBe('no error');
    for (const [name, call] of Object.entries(calls)) expect([name, await codeOf(call)]).toEqual([name, 'no error']);
    expect(await store.head()).toMatchObject({ version: 2 });
    await store.close();
    expect(await codeOf(calls['head']!)).toBe('SERVICE_UNAVAILABLE');
  });

  test.each([
    ['the bytes of a text', 'UPDATE skill_discovery.blob SET bytes = set_byte(bytes, 3, get_byte(bytes, 3) # 1)'],
    ['a text', 'DELETE FROM skill_discovery.blob'],
    ['the row of a skill', 'UPDATE skill_discovery.skill SET image = left(image, 100)'],
  ])('that is damaged in %s says so, with the skill', async (_, sql) => {
    const address = await server.database();
    const store = await openStore(address);
    await store.publish(makeChanges([makeImage('a', 'A text that is long enough. '.repeat(20))]), await store.head());
    await server.execute(address, sql);
    const refused = store.withChangesSince(undefined, readAll);
    await expect(refused).rejects.toMatchObject({ code: 'DATABASE_DAMAGED', skill: 'a' });
    await expect(refused).rejects.toThrow('restore it from a backup, or load all sources into an empty database');
  });
});
