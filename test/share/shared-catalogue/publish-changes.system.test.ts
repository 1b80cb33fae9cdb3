import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SharedStore } from '../../../src/share/shared-catalogue/shared-store.js';
import { SHARED_CATALOGUE_LIMITS } from '../../../src/share/shared-catalogue/stored-bytes.js';
import type { CatalogueChanges } from '../../../src/store/transfer/catalogue-changes.js';
import type { SkillImage } from '../../../src/store/transfer/skill-image.js';
import { codeOf } from '../../error-code.js';
import { describeWithPostgres } from '../postgres/describe-with-postgres.js';
import { cuttingProxy } from './cutting-proxy.js';
import { MODEL, makeChanges, makeImage, readAll, sha256 } from './made-changes.js';
import { openStore, publishedAs } from './open-store.js';

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
    const file = { path: 'x', size: 5000, sha256: sha256(bytes), executable: 0, complete: 1, isText: 1, kept: 'blob' };
    let state = publishedAs(await direct.publish(makeChanges([makeImage('a'), makeImage('b')]), await direct.head()));
    let expected = await imagesOf(direct);
    let cuts = 0;
    for (let messages = 0; ; messages++) {
      const proxy = await cuttingProxy(address);
      const store = await openStore(proxy.address);
      proxy.cutAfter(messages);
      // Two images at a time, with texts, vectors and bytes that are not there yet.
      const contents = { complete: true, files: [file] };
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
      const now = performance.now.bind(performance);
      let passed = 0;
      vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
      onTestFinished(() => void vi.restoreAllMocks());
      const waiting = second.inTurn(async () => {});
      waiting.catch(() => {});
      await wait(500);
      passed = SHARED_CATALOGUE_LIMITS.publishingWait;
      await expect(waiting).rejects.toMatchObject({
        code: 'LOAD_IN_PROGRESS',
        message: expect.stringMatching(/^another load into postgres:.* has been running for 10 minutes$/),
      });
      release();
      await turn;
    });
  });

  test('takes any number of skills at a time', async () => {
    const store = await openStore(await server.database());
    const images = Array.from({ length: 2500 }, (_, i) => makeImage(`skill-${String(i).padStart(4, '0')}`));
    await store.publish(makeChanges(images, { together: 2500 }), await store.head());
    expect(await imagesOf(store)).toEqual(images);
  });

  test('holds the bytes of few skills at a time, where these are large', async () => {
    const store = await openStore(await server.database());
    const { bytesTogether } = SHARED_CATALOGUE_LIMITS;
    const files = Array.from({ length: 10 }, () => randomBytes(3 * 2 ** 20));
    const images = files.map((bytes, i) => {
      const file = { path: 'x', size: bytes.length, sha256: sha256(bytes), executable: 0, complete: 1, isText: 0 };
      return makeImage(`skill-${i}`, 'text', { contents: { complete: true, files: [{ ...file, kept: 'blob' }] } });
    });
    const changes = makeChanges(images, { blobs: files, together: 10 });
    const asked: number[] = [];
    const counted: CatalogueChanges = {
      ...changes,
      blobs: async (digests) => {
        const blobs = await changes.blobs(digests);
        asked.push(blobs.reduce((sum, { size }) => sum + size, 0));
        return blobs;
      },
    };
    const state = publishedAs(await store.publish(counted, await store.head()));
    expect(asked.map((bytes) => bytes <= bytesTogether)).toEqual([true, true]);
    // Whoever reads asks for the blobs of one batch after the other.
    await store.withChangesSince(undefined, async (whole) => {
      const found: string[] = [];
      for await (const batch of whole.images()) {
        const blobs = await whole.blobs(batch.map(({ contents }) => contents!.files[0]!.sha256));
        expect(blobs.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThanOrEqual(bytesTogether);
        found.push(...blobs.map((blob) => blob.sha256));
      }
      expect(new Set(found)).toEqual(new Set(files.map((bytes) => sha256(bytes).toString('hex'))));
    });
    expect(state.version).toBe(1);
  });

  test('stops when it is aborted, and leaves what was sent', async () => {
    const store = await openStore(await server.database());
    const stop = new AbortController();
    const images = Array.from({ length: 7 }, (_, i) => makeImage(`skill-${i}`));
    let batches = 0;
    const beforeBatch = async (): Promise<void> => (++batches === 3 ? stop.abort() : undefined);
    const aborted = store.publish(makeChanges(images, { beforeBatch }), await store.head(), stop.signal);
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    expect(await store.head()).toMatchObject({ version: 0 });
    const changes = makeChanges(images);
    await store.publish(changes, await store.head());
    expect(changes.handedOut.vectors).toBe(1);
  });

  test('says which bytes are missing of what it was given', async () => {
    const store = await openStore(await server.database());
    const digest = sha256('nowhere');
    const file = { path: 'x', size: 7, sha256: digest, executable: 0, complete: 1, isText: 1, kept: 'blob' };
    const image = makeImage('a', 'text', { contents: { complete: true, files: [file] } });
    await expect(store.publish(makeChanges([image]), await store.head())).rejects.toMatchObject({
      code: 'DATABASE_DAMAGED',
    });
    expect(await store.head()).toMatchObject({ version: 0 });
  });

  describe('vectors', () => {
    test('are there for others before any skill has them, each as it was made', async () => {
      const address = await server.database();
      const [first, second] = [await openStore(address), await openStore(address)];
      const changes = makeChanges([]);
      const hashes = Array.from({ length: 2500 }, (_, i) => sha256(`text ${i}`).subarray(0, 16));
      const vectors = await changes.vectors(hashes);
      expect(await second.fetchVectors(MODEL.id, hashes)).toEqual([]);
      await Promise.all([first, second].map((store) => store.offerVectors(MODEL, vectors)));
      const found = await second.fetchVectors(MODEL.id, [...hashes, sha256('other')]);
      const byHash = (list: typeof found) => new Map(list.map((one) => [one.textHash.toString('hex'), one.embedding]));
      expect(byHash(found)).toEqual(byHash(vectors));
      expect(await second.fetchVectors('another model', hashes)).toEqual([]);
    });

    test('of a model with other dimensions are refused', async () => {
      const store = await openStore(await server.database());
      await store.offerVectors(MODEL, []);
      expect(await codeOf(() => store.offerVectors({ ...MODEL, dimensions: 5 }, []))).toBe('MODEL_MISMATCH');
    });
  });

  describe('deletes vectors and bytes that no skill has', () => {
    const AGE = `UPDATE skill_discovery.vector SET made_at = now() - interval '8 days';
      UPDATE skill_discovery.blob SET made_at = now() - interval '8 days'`;
    const DUE = `UPDATE skill_discovery.catalogue SET cleaned_at = now() - interval '25 hours'`;

    test('after seven days, once a day, and sends them again when a skill has them', async () => {
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
      const file = { path: 'x', size: 10, sha256: sha256(bytes), executable: 0, complete: 1, isText: 1, kept: 'blob' };
      const withFile = makeImage('a', 'a', { contents: { complete: true, files: [file] } });
      await store.offerVectors(MODEL, await makeChanges([]).vectors([sha256('unused')]));
      let state = publishedAs(
        await store.publish(makeChanges([withFile, makeImage('b')], { blobs: [bytes] }), await store.head()),
      );
      await server.execute(address, AGE);
      state = publishedAs(await store.publish(makeChanges([], { removed: ['b'] }), state));
      expect(await counts()).toEqual({ vectors: 3, blobs: 3 });
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

    test('or leaves it for the next day, where it takes too long', async () => {
      const address = await server.database();
      const store = await openStore(address);
      const state = publishedAs(await store.publish(makeChanges([makeImage('a'), makeImage('b')]), await store.head()));
      await server.execute(address, `${AGE}; ${DUE}`);
      // Somebody keeps the vectors from being deleted, until the statement is ended as one that takes too long.
      const holding = server.execute(
        address,
        'BEGIN; SELECT FROM skill_discovery.vector FOR UPDATE; SELECT pg_sleep(6)',
      );
      const isHeld = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
      await expect.poll(() => server.execute(address, isHeld)).toEqual([{ n: 1 }]);
      let isOver = false;
      const publishing = store.publish(makeChanges([makeImage('c')], { removed: ['b'] }), state).finally(() => {
        isOver = true;
      });
      const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE query LIKE '%DELETE FROM skill_discovery.vector%' AND wait_event_type = 'Lock'`;
      while (!isOver) await server.execute(address, cancel);
      publishedAs(await publishing);
      await holding;
      expect(await server.execute(address, 'SELECT count(*)::int AS n FROM skill_discovery.vector')).toEqual([
        { n: 3 },
      ]);
      expect((await imagesOf(store)).map(({ columns: { id } }) => id)).toEqual(['a', 'c']);
    });

    test('not under a copy that reads', async () => {
      const address = await server.database();
      const store = await openStore(address);
      const state = publishedAs(await store.publish(makeChanges([makeImage('a')]), await store.head()));
      await server.execute(address, `${AGE}; ${DUE}`);
      await store.withChangesSince(undefined, async (changes) => {
        await store.publish(makeChanges([makeImage('b')], { removed: ['a'] }), state);
        expect(await readAll(changes)).toMatchObject({ images: [makeImage('a')] });
      });
    });
  });
});
