import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/access/index.js';
import { type RunningServer, type ServerOptions, startServer } from '../../src/http/index.js';
import { openSkillSearch, type SkillSearch, SkillSearchError } from '../../src/index.js';
import { storedRecords } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { closing } from '../scratch-folder.js';
import { replacing, running, type Started, searchOver, started } from './ask.js';
import { answered, request, Wire, type WireReply } from './wire.js';

const SEARCH = '/api/v1/skills/search?q=alpha';
const SEMANTIC = '/api/v1/skills/ai-search?q=alpha';
const HEALTH = '/api/health';

describe('a server', () => {
  test('serves the three operations', async () => {
    const { server, key } = await started();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(server.port).toBeGreaterThan(0);

    const found = await fetch(server.url + SEARCH);
    expect([found.status, found.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(await found.json()).toMatchObject({
      success: true,
      data: { skills: [{ id: 'a' }], pagination: { page: 1, limit: 20, total: 1, totalPages: 1 } },
      meta: { requestId: found.headers.get('x-request-id') },
    });

    const meant = await fetch(server.url + SEMANTIC, { headers: { Authorization: `Bearer ${key}` } });
    expect(meant.status).toBe(200);
    expect(await meant.json()).toMatchObject({ success: true, data: { data: [{ skill: { id: 'a' } }, {}] } });
    expect((await fetch(server.url + SEMANTIC)).status).toBe(401);

    const health = await fetch(server.url + HEALTH);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
  });

  test.each(['x:99999', '999.0.0.1', '[::::]', '1.2.3.4.5:1'])(
    'answers pages whatever Host is written, as %s, and leads nowhere by it',
    async (host) => {
      const { server } = await started({ pages: true, cors: true });
      const wire = await Wire.open(server.port);
      for (const path of ['/', '/nothing', '/openapi.json', '/page/search?q=alpha']) {
        const asking = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\n\r\n`;
        const { status, body } = answered(await wire.send(asking).reply());
        expect([path, status]).toEqual([path, path === '/nothing' ? 404 : 200]);
        expect(body).not.toContain(host);
      }
    },
  );

  test('tells the length of every answer in bytes, and has none for a preflight', async () => {
    const { server } = await started();
    const wire = await Wire.open(server.port);
    for (const path of ['/api/v1/skills/search?q=%C3%BCber', HEALTH, '/nothing']) {
      const { headers, body } = answered(await wire.send(request(path)).reply());
      expect(headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
      expect(body.length).toBeGreaterThan(0);
      expect(Number(headers.get('date')?.length)).toBeGreaterThan(0);
    }
    const preflight = answered(await wire.send(request(SEARCH).replace('GET', 'OPTIONS')).reply('OPTIONS'));
    expect([preflight.status, preflight.headers.has('content-length')]).toEqual([204, false]);
    expect(answered(await wire.send(request(HEALTH)).reply()).status).toBe(200);
  });

  test('gives each client its own answer, whole, while others read slowly, send ahead, or leave', async () => {
    const skills = Array.from({ length: 80 }, (_, i) =>
      row(`s${i}`, { name: `word${i % 4}`, description: `word${i % 4} ${'語'.repeat(1700)}` }),
    );
    const search = closing(await openSkillSearch({ skills }));
    // However long it takes here.
    const { port } = await running(search, { access: false, longestWait: 0 });
    const expected = Array.from({ length: 4 }, (_, word) =>
      ids(storedRecords(search, { q: `word${word}`, copies: 'keep' }).records),
    );
    expect(expected.map(({ length }) => length)).toEqual([20, 20, 20, 20]);
    const ask = async (i: number): Promise<void> => {
      const wire = await Wire.open(port);
      const isSlow = i % 4 === 0;
      const question = request(`/api/v1/skills/search?q=word${i % 4}&sortBy=stars`);
      // More than the system takes for a client that does not read.
      const asked = isSlow ? 110 : 18;
      if (isSlow) {
        wire.socket.pause();
        for (let n = 0; n < asked; n++) {
          wire.send(question);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      } else wire.send(question.repeat(asked));
      if (i % 8 === 0) return wire.cut();
      if (isSlow) await ask(3);
      wire.socket.resume();
      for (let n = 0; n < asked; n++) {
        const { data } = JSON.parse(answered(await wire.reply()).body);
        expect(data.skills.map(({ id }: { id: string }) => id).toSorted()).toEqual(expected[i % 4]);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, i) => ask(i)));
  });

  test.each([HEALTH, '/nothing', '/api/v1/skills/search', SEMANTIC, '/', '/openapi.json', '/skills/a'])(
    'answers HEAD of %s as GET, without the body',
    async (path) => {
      const { server } = await started({ pages: true });
      const wire = await Wire.open(server.port);
      const whole = answered(await wire.send(request(path)).reply());
      const head = answered(await wire.send(request(path).replace('GET', 'HEAD')).reply('HEAD'));
      const facts = ({ status, headers }: WireReply): unknown[] => [
        status,
        ...['content-length', 'content-type', 'www-authenticate'].map((name) => headers.get(name)),
      ];
      expect(facts(head)).toEqual(facts(whole));
      expect(whole.body.length).toBeGreaterThan(0);
      // Where a body came after all, the next answer would not begin where it should.
      expect(answered(await wire.send(request(HEALTH)).reply()).body).toBe('{"status":"ok"}');
    },
  );

  test.each([
    ['http://other.example:99/api/health', 200],
    ['HTTPS://other.example/api/health', 200],
    ['http://other.example/api/v1/skills/search?q=alpha', 200],
    ['http://other.example', 200],
    ['http://other.example/nothing', 404],
  ])('takes a whole address as the target of a request: %s', async (target, status) => {
    const { server } = await started({ pages: true });
    const wire = await Wire.open(server.port);
    expect(answered(await wire.send(request(target)).reply()).status).toBe(status);
  });
});

describe('where it cannot listen', () => {
  test('says that something else does', async () => {
    const { server } = await started();
    const { error, message } = await failureOf({ port: server.port });
    expect(error.code).toBe('ADDRESS_NOT_AVAILABLE');
    expect(message).toBe(`cannot listen at 127.0.0.1, port ${server.port}: the port is in use; choose another port`);
    expect((error.cause as NodeJS.ErrnoException).code).toBe('EADDRINUSE');
    expect((await fetch(server.url + HEALTH)).status).toBe(200);
  });

  test.each([
    { port: -1 },
    { port: 65_536 },
    { port: 1.5 },
    { port: Number.NaN },
    { port: '8080' as unknown as number },
    { port: null as unknown as number },
    { host: '' },
    { host: 7 as unknown as string },
  ])('refuses $port and $host as wrong options', async (options) => {
    const search = await searchOver();
    expect(await codeOf(() => startServer(search, { port: 0, ...options }))).toBe('INVALID_OPTION');
  });

  test('tells the address of this machine where it listens at all', async () => {
    const { server } = await started({ host: '0.0.0.0' });
    expect([server.host, server.url]).toEqual(['0.0.0.0', `http://127.0.0.1:${server.port}`]);
    expect((await fetch(server.url + HEALTH)).status).toBe(200);
  });
});

describe('links to pages of the server', () => {
  const linkOf = async (server: RunningServer, host: string, path = SEARCH): Promise<unknown> => {
    const wire = await Wire.open(server.port);
    const { status, body } = answered(await wire.send(request(path, host)).reply());
    expect(status).toBe(200);
    return (JSON.parse(body) as { data: { skills: { skillUrl: unknown }[] } }).data.skills[0]?.skillUrl;
  };

  test.each(['skills.example', 'skills.example:8443', 'SKILLS.example', '10.1.2.3', '[2001:db8::1]:80'])(
    'lead to the Host that the client used: %s',
    async (host) => {
      const { server } = await started({ cors: true });
      expect(await linkOf(server, `Host: ${host}`)).toBe(`http://${host}/skills/a`);
    },
  );

  test.each(['', '<script>alert(1)</script>', 'a"b', 'a b', 'user@evil.example', 'evil.example/path', '[::1', 'é'])(
    'lead to the address of the server where the Host is odd: %s',
    async (host) => {
      const { server } = await started({ cors: true });
      expect(await linkOf(server, `Host: ${host}`)).toBe(`${server.url}/skills/a`);
    },
  );
});

test('connections of an address are limited, but for those of a trusted proxy and where the limit is 0', async () => {
  for (const [options, left] of [
    [{ connectionsPerAddress: 2 }, 2],
    [{ connectionsPerAddress: 0 }, 5],
    [{ connectionsPerAddress: 2, trustProxy: ['loopback'] }, 5],
    [{ connectionsPerAddress: 2, trustProxy: 1 }, 5],
  ] as const) {
    const { server } = await started(options);
    const wires: Wire[] = [];
    for (let i = 0; i < 5; i++) {
      const wire = await Wire.open(server.port);
      // Answered, so that the server knows it.
      expect(answered(await wire.send(request(HEALTH)).reply()).status).toBe(200);
      wires.push(wire);
    }
    const replies = await Promise.all(wires.map((wire) => wire.send(request(HEALTH)).reply()));
    expect(replies.map((reply) => reply !== 'closed')).toEqual(wires.map((_, i) => i >= 5 - left));
  }
});

describe('a server that is closed', () => {
  test('answers what is running, and takes no more connections', async () => {
    const slow = await slowSearch();
    const { server, key } = await started({}, {}, slow.search);
    const wires = await Promise.all(Array.from({ length: 10 }, () => Wire.open(server.port)));
    for (const wire of wires) wire.send(request(SEMANTIC, 'Host: localhost', `Authorization: Bearer ${key}`));
    await slow.asked(10);

    const closed = server.close();
    await refused(server.port);
    expect(wires.map(({ ended }) => ended)).toEqual(wires.map(() => false));
    slow.answer();
    for (const wire of wires) {
      const { status, headers, body } = answered(await wire.reply());
      expect([status, headers.get('connection')]).toEqual([200, 'close']);
      expect(JSON.parse(body)).toMatchObject({ success: true });
      await wire.closed();
    }
    await closed;
  });

  test('ends at once where nothing is running, although clients keep their connections', async () => {
    const { server } = await started();
    const wires = await Promise.all(Array.from({ length: 10 }, () => Wire.open(server.port)));
    for (const wire of wires) expect(answered(await wire.send(request(HEALTH)).reply()).status).toBe(200);
    const from = performance.now();
    await server.close();
    expect(performance.now() - from).toBeLessThan(2000);
    for (const wire of wires) expect(await wire.reply()).toBe('closed');
    await refused(server.port);
  });

  test('loses no request that was sent on a kept connection', async () => {
    for (let round = 0; round < 20; round++) {
      const { server } = await started();
      const wires = await Promise.all(Array.from({ length: 10 }, () => Wire.open(server.port)));
      for (const wire of wires) expect(answered(await wire.send(request(HEALTH)).reply()).status).toBe(200);
      // Sent before the server is told, seen by it only afterwards.
      for (const wire of wires) wire.send(request(SEARCH));
      const closed = server.close();
      for (const wire of wires) {
        const { status, headers } = answered(await wire.reply());
        expect([status, headers.get('connection')]).toEqual([200, 'close']);
      }
      await closed;
    }
  });

  test('ends within the grace time although a search hangs, a request is never finished, and a client says nothing', async () => {
    const slow = await slowSearch();
    const { server, key } = await started({}, {}, slow.search);
    const [hanging, unfinished, silent] = [
      await Wire.open(server.port),
      await Wire.open(server.port),
      await Wire.open(server.port),
    ];
    hanging.send(request(SEMANTIC, 'Host: localhost', `Authorization: Bearer ${key}`));
    unfinished.send('GET /api/health HTTP/1.1\r\nHos');
    await slow.asked(1);
    const from = performance.now();
    await server.close(600);
    expect(performance.now() - from).toBeGreaterThan(500);
    expect(performance.now() - from).toBeLessThan(3000);
    for (const wire of [hanging, unfinished, silent]) expect(await wire.reply()).toBe('closed');
    // It comes too late, and nobody minds.
    slow.answer();
    await new Promise(setImmediate);
  });

  // Whoever closes the keys next would get a failure in the log, and the request would stay counted.
  test('has given it back when it says that it is closed', async () => {
    const { access, client } = await cutOff();
    expect(access.admit(client).dailyRemaining).toBe(4);
  });

  test('leaves its search and its keys open', async () => {
    const { server, search, access } = await started();
    await server.close();
    expect(search.stats().skills).toBe(2);
    expect(access.listKeys()).toHaveLength(1);
    const again = await running(search, { access, port: server.port });
    expect((await fetch(again.url + SEARCH)).status).toBe(200);
  });

  test('is closed when any call of close() says so', async () => {
    const slow = await slowSearch();
    const { server, key } = await started({}, {}, slow.search);
    const wire = await Wire.open(server.port);
    wire.send(request(SEMANTIC, 'Host: localhost', `Authorization: Bearer ${key}`));
    await slow.asked(1);
    const first = server.close(400).then(() => 'first');
    const second = server.close(400).then(() => 'second');
    expect(await Promise.race([first, second])).toBe('first');
    await second;
  });
});

function ids(records: readonly string[]): string[] {
  return records.map((record) => (JSON.parse(record) as { id: string }).id).toSorted();
}

/** A server closed while it answers a client that has five requests a day. */
async function cutOff(): Promise<Started & { readonly client: Client }> {
  const slow = await slowSearch();
  const all = await started({}, { key: { daily: 5, perMinute: 0 } }, slow.search);
  const wire = await Wire.open(all.server.port);
  wire.send(request(SEMANTIC, 'Host: localhost', `Authorization: Bearer ${all.key}`));
  await slow.asked(1);
  await all.server.close(50);
  return { ...all, client: all.access.identify(`Bearer ${all.key}`, undefined) };
}

interface SlowSearch {
  readonly search: SkillSearch;
  /** Waits until so many semantic searches have begun. */
  asked(times: number): Promise<void>;
  /** Lets all of them go on. */
  answer(): void;
}

/** A search whose semantic answers wait until they are let go, or their client is gone. */
async function slowSearch(): Promise<SlowSearch> {
  const real = await searchOver();
  let begun = 0;
  let answer = (): void => {};
  const gate = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const semantic: SkillSearch['semantic'] = async (query, options) => {
    begun += 1;
    const gone = new Promise((_, reject) => options?.signal?.addEventListener('abort', () => reject('gone')));
    await Promise.race([gate, gone]);
    return real.semantic(query, options);
  };
  return {
    search: replacing(real, { semantic }),
    answer,
    async asked(times) {
      while (begun < times) await new Promise(setImmediate);
    },
  };
}

async function failureOf(options: ServerOptions): Promise<{ error: SkillSearchError; message: string }> {
  const search = await searchOver();
  try {
    await running(search, options);
  } catch (error) {
    if (error instanceof SkillSearchError) return { error, message: error.message };
    throw error;
  }
  throw new Error('the server listens after all');
}

/** Waits until nobody can connect to a port any more. */
async function refused(port: number): Promise<void> {
  for (const end = performance.now() + 5000; performance.now() < end; await new Promise(setImmediate)) {
    const refusal = await Wire.open(port).then(
      (wire) => wire.cut(),
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (refusal === 'ECONNREFUSED') return;
  }
  throw new Error('the server still takes connections');
}
