import { describe, expect, onTestFinished, test } from 'vitest';
import { connectAccess, type SharedAccess, type SharedAccessOptions } from '../../src/access/index.js';
import { createHandler, type LogEvent } from '../../src/http/index.js';
import { row } from '../rows.js';
import { closing } from '../scratch-folder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';
import { PASSWORD } from '../share/postgres/postgres-cluster.js';
import { type Ask, askerOf, failingSearch, HEALTH, keyword, minuteOf, quotaOf, searchOver, semantic } from './ask.js';

const KITE = keyword({ q: 'kite' });

describeWithPostgres('a server whose keys and quotas are in PostgreSQL', (server) => {
  interface Shared {
    readonly ask: Ask;
    readonly access: SharedAccess;
    readonly key: string;
    readonly events: LogEvent[];
  }

  async function sharing(
    options: Partial<SharedAccessOptions> = {},
    search = searchOver([row('kite')]),
  ): Promise<Shared> {
    const access = closing(await connectAccess({ state: await server.database(), ...options }));
    const events: LogEvent[] = [];
    const handle = createHandler(await search, { access, mcp: true, log: (event) => void events.push(event) });
    return { ask: askerOf(handle), access, key: (await access.createKey()).key, events };
  }

  test('answers with the same headers as one with a file', async () => {
    const { ask, key } = await sharing();
    const words = await ask(KITE);
    expect([words.status, quotaOf(words), minuteOf(words)]).toEqual([200, ['50', '49'], ['10', '9']]);
    const meaning = await ask(semantic('kite'), { key });
    expect([meaning.status, quotaOf(meaning), minuteOf(meaning)]).toEqual([200, ['500', '499'], ['30', '29']]);
    expect((await ask(semantic('kite'))).code).toBe('MISSING_API_KEY');
    expect((await ask(KITE, { key: `${key.slice(0, -1)}-` })).code).toBe('INVALID_API_KEY');
    expect((await ask(HEALTH)).body).toEqual({ status: 'ok' });
  });

  test('counts a faulty question for the minute, and says which limit is reached and until when', async () => {
    const { ask } = await sharing({ anonymous: { daily: 1, perMinute: 3 } });
    expect((await ask(keyword({ q: '' }))).code).toBe('MISSING_QUERY');
    expect(quotaOf(await ask(KITE))).toEqual(['1', '0']);
    const day = await ask(KITE);
    expect([day.status, day.code, quotaOf(day)]).toEqual([429, 'DAILY_QUOTA_EXCEEDED', ['1', '0']]);
    const minute = await ask(KITE);
    expect([minute.status, minute.code, minuteOf(minute)]).toEqual([429, 'RATE_LIMIT_EXCEEDED', ['3', '0']]);
    expect(Number(minute.headers.get('Retry-After'))).toBeGreaterThan(0);
  });

  test('refuses a key that another server revoked in all searches, and for a stream that nobody counts', async () => {
    const state = await server.database();
    const { ask, key } = await sharing({ state });
    expect((await ask(KITE, { key })).status).toBe(200);
    const other = closing(await connectAccess({ state }));
    await other.revokeKey(1);
    const headers = { Accept: 'text/event-stream', Host: 'localhost' };
    expect((await ask('/mcp', { key, headers })).status).toBe(401);
    for (const path of [KITE, semantic('kite')]) expect((await ask(path, { key })).code).toBe('INVALID_API_KEY');
  });

  function failuresOf(events: readonly LogEvent[]): string[] {
    return events.flatMap((event) => (event.kind === 'failure' ? [(event.error as Error).message] : []));
  }

  describe('while the database is away', () => {
    async function away(shared: Shared): Promise<Shared> {
      expect((await shared.ask(KITE)).status).toBe(200);
      await server.stop();
      onTestFinished(() => server.start());
      return shared;
    }

    test('answers 503 with `Retry-After`, says degraded, and tells nobody where it is', async () => {
      const { ask, key, events } = await away(await sharing());
      for (const reply of [await ask(KITE), await ask(KITE, { key }), await ask(semantic('kite'), { key })]) {
        expect([reply.status, reply.code, reply.headers.get('Retry-After')]).toEqual([503, 'SERVICE_UNAVAILABLE', '1']);
        expect(reply.text).not.toContain('127.0.0.1');
      }
      const mcp = await ask('/mcp', { method: 'POST', headers: { Host: 'localhost' } });
      expect(mcp.status).not.toBe(200);
      const health = await ask(HEALTH);
      expect([health.status, health.body]).toEqual([503, { status: 'degraded' }]);
      const logged = failuresOf(events);
      expect(logged).toEqual([expect.stringContaining('does not answer')]);
      expect(logged[0]).not.toContain(PASSWORD);
    });

    test('logs the failure once for each time that it is away, and no other failure less', async () => {
      const failing = failingSearch(new Error('the search itself'));
      const { ask, events } = await sharing({ anonymous: { daily: 0, perMinute: 1000 } }, Promise.resolve(failing));
      const many = Array.from({ length: 20 }, () => semantic('kite'));
      for (const time of [1, 2]) {
        await server.stop('SIGQUIT');
        await Promise.all(many.map((path) => ask(path, { key: `sk_live_${'x'.repeat(43)}` })));
        expect(failuresOf(events)).toHaveLength(time * 2 - 1);
        await server.start();
        await expect.poll(async () => (await ask(KITE)).status).toBe(500);
        expect(failuresOf(events).at(-1)).toBe('the search itself');
      }
      expect(events.filter((event) => event.kind === 'request' && event.status === 503).length).toBeGreaterThanOrEqual(
        40,
      );
    });

    test('logs no failure where somebody is told that it is away', async () => {
      const told: string[] = [];
      const { ask, key, events } = await away(await sharing({ onChange: ({ kind }) => void told.push(kind) }));
      const replies = await Promise.all(Array.from({ length: 30 }, () => ask(KITE, { key })));
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 503));
      expect((await ask(HEALTH)).status).toBe(503);
      expect([told, failuresOf(events)]).toEqual([['away'], []]);
    });

    test('answers searches without a key where that was asked for, and is healthy', async () => {
      const { ask, key } = await away(
        await sharing({ allowAnonymousIfQuotaDbUnavailable: true, anonymous: { daily: 2, perMinute: 0 } }),
      );
      expect(quotaOf(await ask(KITE))).toEqual(['2', '1']);
      expect(quotaOf(await ask(KITE))).toEqual(['2', '0']);
      expect((await ask(KITE)).code).toBe('DAILY_QUOTA_EXCEEDED');
      expect((await ask(KITE, { key })).status).toBe(503);
      expect((await ask(semantic('kite'), { key })).status).toBe(503);
      expect((await ask(HEALTH)).body).toEqual({ status: 'ok' });
    });
  });
});
