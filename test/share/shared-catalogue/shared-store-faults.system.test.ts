import { expect, onTestFinished, test } from 'vitest';
import { connectAccess } from '../../../src/access/index.js';
import { codeOf } from '../../error-code.js';
import { describeWithPostgres } from '../postgres/describe-with-postgres.js';
import { MODEL, makeChanges, makeImage, readAll, sha256 } from './made-changes.js';
import { openStore, publishedAs } from './open-store.js';

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

  test('is made once by loads that start at one moment, beside keys and quotas', async () => {
    const address = await server.database();
    const access = await connectAccess({ state: address });
    onTestFinished(() => access.close());
    const stores = await Promise.all(Array.from({ length: 6 }, () => openStore(address)));
    const identities = await Promise.all(stores.map(async (store) => (await store.head()).identity));
    expect(new Set(identities).size).toBe(1);
    expect(await access.createKey()).toMatchObject({ id: 1 });
  });

  test('answers nothing while PostgreSQL is away, whatever is under way, and then all again', async () => {
    const address = await server.database();
    const store = await openStore(address);
    const images = [makeImage('a'), makeImage('b'), makeImage('c'), makeImage('d')];
    const state = publishedAs(await store.publish(makeChanges(images), await store.head()));
    const hash = images[0]!.columns.textHash;
    const reading = store.withChangesSince(undefined, async (changes) => {
      await server.stop('SIGQUIT');
      return readAll(changes);
    });
    expect(await codeOf(() => reading)).toBe('SERVICE_UNAVAILABLE');
    const calls: Record<string, () => Promise<unknown>> = {
      head: () => store.head(),
      read: () => store.withChangesSince(state, readAll),
      publish: async () => store.publish(makeChanges([makeImage('e')]), state),
      fetch: () => store.fetchVectors(MODEL.id, [hash]),
      offer: () => store.offerVectors(MODEL, []),
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
    ['what a text is packed with', "UPDATE skill_discovery.blob SET packing = 'zip'"],
    ['the size of a text', 'UPDATE skill_discovery.blob SET size = 1'],
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
