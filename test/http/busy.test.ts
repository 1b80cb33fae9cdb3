import { describe, expect, onTestFinished, test } from 'vitest';
import { openAccess } from '../../src/access/index.js';
import { startServer } from '../../src/http/index.js';
import { type CatalogueSearch, catalogueSearchOf } from '../../src/search/index.js';
import { row } from '../rows.js';
import { HEALTH, KEYWORD, opened, quotaOf, searchOver, semantic, serve } from './ask.js';
import { request, Wire, type WireReply } from './wire.js';

const SEARCH = `${KEYWORD}?q=kite`;

describe('a semantic search', () => {
  test('that would wait too long for the model is 503 BUSY with Retry-After, and uses nothing of the day', async () => {
    const waits = [4_000, 5_500, 11_500];
    const embedder = {
      model: 'busy',
      embed: async (texts: readonly string[]) => texts.map(() => Float32Array.of(1, 0)),
      expectedWait: () => waits[0] ?? 0,
    };
    const { ask, key, events } = await serve(await opened({ skills: [row('kite')], embedder }), {
      quotas: { key: { daily: 5 } },
    });
    expect(quotaOf(await ask(semantic('kite'), { key }))).toEqual(['5', '4']);
    for (const seconds of ['1', '7']) {
      waits.shift();
      const reply = await ask(semantic('kite'), { key });
      expect([reply.status, reply.code, reply.headers.get('Retry-After')]).toEqual([503, 'BUSY', seconds]);
      expect(quotaOf(reply)).toEqual([null, null]);
    }
    waits.shift();
    expect(quotaOf(await ask(semantic('kite'), { key }))).toEqual(['5', '3']);
    expect(events.map((event) => event.kind === 'request' && (event.code ?? event.status))).toEqual([
      200,
      'BUSY',
      'BUSY',
      200,
    ]);
  });

  test('waits as long as it takes where nobody limits it', async () => {
    const embedder = {
      model: 'busy',
      embed: async (texts: readonly string[]) => texts.map(() => Float32Array.of(1, 0)),
      expectedWait: () => 1e9,
    };
    const { ask, key } = await serve(await opened({ skills: [row('kite')], embedder }), { longestWait: 0 });
    expect((await ask(semantic('kite'), { key })).status).toBe(200);
  });
});

describe('many searches that take long', () => {
  test('are answered in their order as long as they waited for less than the limit, and refused beyond', async () => {
    const { port, access, key } = await slowly({ longestWait: 0.2 });
    const wires = await Promise.all([1, 2, 3].map(() => Wire.open(port)));
    for (const wire of wires) wire.send(request(SEARCH, 'Host: localhost', `Authorization: Bearer ${key}`).repeat(10));
    const replies: WireReply[] = [];
    for (const wire of wires) for (let i = 0; i < 10; i++) replies.push(answered(await wire.reply()));
    const good = replies.filter(({ status }) => status === 200).length;
    expect(good).toBeGreaterThan(0);
    expect(good).toBeLessThan(30);
    for (const { status, headers, body } of replies) {
      if (status === 200) continue;
      expect([status, JSON.parse(body).error.code, headers.get('retry-after')]).toEqual([503, 'BUSY', '1']);
    }
    // Only those that were answered used the day.
    expect(access.admit(access.identify(`Bearer ${key}`, undefined)).dailyRemaining).toBe(1000 - good - 1);
  });

  test.each([HEALTH, `http://a${HEALTH}?now`])(
    'do not keep health waiting: it is answered while they wait, at %s',
    async (target) => {
      const { port, key } = await slowly({});
      const wires = await Promise.all([1, 2, 3, 4].map(() => Wire.open(port)));
      for (const wire of wires)
        wire.send(request(SEARCH, 'Host: localhost', `Authorization: Bearer ${key}`).repeat(10));
      let done = 0;
      const all = wires.map(async (wire) => {
        for (let i = 0; i < 10; i++) {
          await wire.reply();
          done += 1;
        }
      });
      while (done === 0) await new Promise(setImmediate);
      const health = answered(await (await Wire.open(port)).send(request(target)).reply());
      expect(health.status).toBe(200);
      // It came after all the others, and goes before most of them.
      expect(done).toBeLessThan(20);
      await Promise.all(all);
    },
  );
});

/** A server whose keyword searches take 20 ms each. */
async function slowly(options: { readonly longestWait?: number }) {
  const real = await searchOver([row('kite')]);
  const keywordRecords: CatalogueSearch['keywordRecords'] = (query) => {
    for (const end = performance.now() + 20; performance.now() < end; );
    return catalogueSearchOf(real).keywordRecords(query);
  };
  const search = new Proxy(real, {
    get(target, name) {
      if (name === 'keywordRecords') return keywordRecords;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const access = openAccess({ state: ':memory:', key: { daily: 1000, perMinute: 0 } });
  onTestFinished(() => access.close());
  const server = await startServer(search, { port: 0, access, ...options });
  onTestFinished(() => server.close(0));
  return { port: server.port, access, key: access.createKey().key };
}

function answered(reply: WireReply | 'closed'): WireReply {
  if (reply === 'closed') throw new Error('the connection was closed instead of answered');
  return reply;
}
