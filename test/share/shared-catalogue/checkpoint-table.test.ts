import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SharedState } from '../../../src/share/shared-catalogue/shared-state.js';
import type { SharedStore } from '../../../src/share/shared-catalogue/shared-store.js';
import { manifestText } from '../../../src/share/snapshot/manifest.js';
import { codeOf } from '../../error-code.js';
import { describeWithPostgres } from '../postgres/describe-with-postgres.js';
import { makeChanges, makeImage, sha256 } from './made-changes.js';
import { openStore, publishedState } from './open-store.js';

/** Files of a copy in chunks of 1000 bytes, the last of them shorter. */
function makeFiles(...chunks: readonly Buffer[]) {
  const byDigest = new Map(chunks.map((bytes) => [sha256(bytes).toString('hex'), bytes]));
  const asked: string[] = [];
  const file = { name: 'skills.db', bytes: Buffer.concat(chunks).length, chunks: [...byDigest.keys()] };
  return {
    manifest: manifestText({ stamp: 'a', written: '2026-01-01T00:00:00.000Z', chunkBytes: 1000, files: [file] }),
    digests: [...byDigest.keys()],
    asked,
    chunk: async (digest: string): Promise<Buffer> => {
      asked.push(digest);
      return byDigest.get(digest)!;
    },
  };
}

const chunkOf = (bytes = 1000): Buffer => randomBytes(bytes);

/** What a checkpoint says of its state. */
function identifying({ identity, version, stamp }: SharedState): SharedState {
  return { identity, version, stamp };
}

describeWithPostgres('a checkpoint', (server) => {
  /** A store with some published versions, the latest last. */
  async function storeOf(address: string, versions: number): Promise<[SharedStore, SharedState[]]> {
    const store = await openStore(address);
    const states: SharedState[] = [await store.head()];
    for (let i = 1; i <= versions; i++) {
      const images = [makeImage(`skill-${i}`), makeImage(`other-${i}`)];
      const removed = i === 1 ? [] : [`other-${i - 1}`];
      states.push(publishedState(await store.publish(makeChanges(images, { removed }), states.at(-1)!)));
    }
    return [store, states];
  }

  test('hands out the files of a copy, byte for byte', async () => {
    const [store, [, state]] = await storeOf(await server.database(), 1);
    expect([await store.checkpoint(), await store.changedSinceCheckpoint()]).toEqual([undefined, undefined]);
    const last = chunkOf(10);
    const chunks = [...Array.from({ length: 30 }, () => chunkOf()), last];
    const files = makeFiles(...chunks);
    await store.putCheckpoint(state!, files.manifest, files.chunk);
    expect(await store.checkpoint()).toEqual({ state: identifying(state!), manifest: files.manifest });
    const fetched = await Promise.all(files.digests.map((digest) => store.chunk(digest)));
    expect(Buffer.concat(fetched as Buffer[]).equals(Buffer.concat(chunks))).toBe(true);
    expect(await store.chunk(sha256('another').toString('hex'))).toBeUndefined();
    expect(await store.changedSinceCheckpoint()).toBe(0);
  });

  test('says how many skills have changed since', async () => {
    const [store, states] = await storeOf(await server.database(), 3);
    const files = makeFiles(chunkOf());
    await store.putCheckpoint(states[1]!, files.manifest, files.chunk);
    // Two new ones of each later version; the first of the removed ones was published before.
    expect(await store.changedSinceCheckpoint()).toBe(3 + 2);
  });

  test('is replaced by a later one, which sends only chunks that are missing and drops the others', async () => {
    const address = await server.database();
    const [store, states] = await storeOf(address, 2);
    const [kept, dropped, added] = [chunkOf(), chunkOf(), chunkOf()];
    const first = makeFiles(kept!, dropped!);
    const second = makeFiles(kept!, added!);
    await store.putCheckpoint(states[1]!, first.manifest, first.chunk);
    await store.putCheckpoint(states[2]!, second.manifest, second.chunk);
    expect(second.asked).toEqual([second.digests[1]]);
    expect(await store.checkpoint()).toEqual({ state: identifying(states[2]!), manifest: second.manifest });
    expect(await store.chunk(first.digests[1]!)).toBeUndefined();
    expect(await store.chunk(first.digests[0]!)).toEqual(kept);
    // An earlier one comes too late, and one of a state that is not known is of no use.
    for (const state of [states[1]!, { ...states[2]!, version: 9 }, { ...states[2]!, identity: 'other' }]) {
      await store.putCheckpoint(state, first.manifest, first.chunk);
    }
    expect((await store.checkpoint())?.state).toEqual(identifying(states[2]!));
    expect(await server.execute(address, 'SELECT count(*)::int AS n FROM skill_discovery.chunk')).toEqual([{ n: 2 }]);
  });

  test('is written by one at a time, and the other goes on without', async () => {
    const address = await server.database();
    const [store, states] = await storeOf(address, 2);
    const other = await openStore(address);
    const [first, second] = [makeFiles(chunkOf()), makeFiles(chunkOf())];
    await store.putCheckpoint(states[1]!, first.manifest, async (digest) => {
      await other.putCheckpoint(states[2]!, second.manifest, second.chunk);
      return first.chunk(digest);
    });
    expect(second.asked).toEqual([]);
    expect((await store.checkpoint())?.state).toEqual(identifying(states[1]!));
  });

  test('that was not finished leaves nothing', async () => {
    const address = await server.database();
    const [store, states] = await storeOf(address, 1);
    const files = makeFiles(chunkOf(), chunkOf());
    const fault = new Error('the disk is gone');
    let sent = 0;
    const failing = store.putCheckpoint(states[1]!, files.manifest, async (digest) => {
      if (sent++ === 1) throw fault;
      return files.chunk(digest);
    });
    await expect(failing).rejects.toBe(fault);
    const stop = new AbortController();
    const aborted = store.putCheckpoint(
      states[1]!,
      files.manifest,
      (digest) => {
        stop.abort();
        return files.chunk(digest);
      },
      stop.signal,
    );
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    expect(await store.checkpoint()).toBeUndefined();
    await expect
      .poll(() => server.execute(address, 'SELECT count(*)::int AS n FROM skill_discovery.chunk'))
      .toEqual([{ n: 0 }]);
    await store.putCheckpoint(states[1]!, files.manifest, files.chunk);
    expect((await store.checkpoint())?.state).toEqual(identifying(states[1]!));
  });

  test('counts as none where not all changes since are known', async () => {
    const address = await server.database();
    const [store, states] = await storeOf(address, 2);
    const files = makeFiles(chunkOf());
    await store.putCheckpoint(states[1]!, files.manifest, files.chunk);
    await server.execute(address, 'UPDATE skill_discovery.catalogue SET oldest = 2');
    expect([await store.checkpoint(), await store.changedSinceCheckpoint()]).toEqual([undefined, undefined]);
  });

  test('is none without a manifest', async () => {
    const [store, states] = await storeOf(await server.database(), 1);
    expect(await codeOf(() => store.putCheckpoint(states[1]!, '{}', async () => chunkOf()))).toBe('INVALID_SNAPSHOT');
  });

  describe('that is damaged', () => {
    test('is refused, with what to do, and that helps', async () => {
      const address = await server.database();
      const [store, states] = await storeOf(address, 1);
      const files = makeFiles(chunkOf());
      await store.putCheckpoint(states[1]!, files.manifest, files.chunk);
      await server.execute(
        address,
        'UPDATE skill_discovery.chunk SET bytes = set_byte(bytes, 7, get_byte(bytes, 7) # 1)',
      );
      const refused = store.chunk(files.digests[0]!);
      await expect(refused).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' });
      const error: unknown = await refused.catch((thrown: unknown) => thrown);
      const remedy = /TRUNCATE [^;]*$/.exec((error as Error).message)![0];
      await server.execute(address, remedy);
      expect(await store.checkpoint()).toBeUndefined();
      await store.putCheckpoint(states[1]!, files.manifest, files.chunk);
      expect(await store.chunk(files.digests[0]!)).toHaveLength(1000);
    });
  });
});
