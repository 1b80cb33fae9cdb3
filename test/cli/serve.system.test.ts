import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openAccess } from '../../src/access/index.js';
import { buildCatalogue } from '../../src/index.js';
import { catalogueOf, PDF_FORMS, skillMarkdown } from '../agents/install/skill-catalogue.js';
import { request, Wire } from '../http/wire.js';
import { callTool, ERAS, newClient } from '../mcp/connect.js';
import { wholeRow } from '../mcp/whole-skills.js';
import { type Row, row, writeJsonLines } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { linesOf, runCaptured } from './run-captured.js';
import { runProcess } from './run-process.js';
import { keepAsking, SEARCH, type Serving, startServing } from './serving.js';

describe('serve.system', () => {
  const SEMANTIC = '/api/v1/skills/ai-search?q=alpha';
  const NO_LIMIT = ['--anonymous-daily', '0', '--anonymous-per-minute', '0', '--requests-per-second', '0'];

  describe('serve', () => {
    test('takes stop words from a file', async () => {
      const skills = [row('a', { description: 'alpha' }), row('b', { description: 'alpha elsewhere' })];
      const file = scratchFile('stop-words.txt');
      writeFileSync(file, 'elsewhere\n');
      const server = await startServing(['--database', await catalogue(skills), '--stop-words', file]);
      const { body } = await ask(server, `${SEARCH}+elsewhere`);
      expect(body).toMatchObject({ data: { pagination: { total: 2 } } });
    });

    test('serves the three operations at the address that it prints', async () => {
      const database = await catalogue([row('a', { description: 'alpha' })]);
      const server = await startServing(['--database', database]);
      expect(server.output().out).toBe(
        `Serving 1 skill at http://127.0.0.1:${server.port}, by word only: the catalogue has no vectors.\n`,
      );

      const found = await ask(server, SEARCH);
      expect([found.status, found.body]).toEqual([
        200,
        expect.objectContaining({ data: expect.objectContaining({ skills: [expect.objectContaining({ id: 'a' })] }) }),
      ]);
      expect(found.headers.get('x-ratelimit-daily-limit')).toBe('50');
      expect(await codeAt(server, SEMANTIC)).toEqual([401, 'MISSING_API_KEY']);
      const health = await ask(server, '/api/health');
      expect([health.status, health.body]).toEqual([200, { status: 'ok' }]);
      expect((await fetch(`${server.url}/openapi.json`)).status).toBe(200);
      expect((await fetch(`${server.url}/skills/a`)).status).toBe(200);
      const warning = await server.heard('semantic search is not available');
      expect(warning).toMatchObject({ level: 'warn', reason: expect.stringContaining('no vectors') });
    });

    test('logs each request as a line of JSON on standard error, without key, question and full address', async () => {
      const server = await startServing(['--database', await catalogue(), '--log-level', 'info']);
      const key = `sk_live_${'k'.repeat(43)}`;
      await ask(server, '/api/v1/skills/search?q=mysecretquestion');
      await ask(server, SEARCH, key);
      await ask(server, `/${key}?x=mysecretquestion`.slice(0, 3));
      server.child.kill('SIGTERM');
      expect(await server.ended()).toBe(0);

      const requests = server.logged().filter(({ msg }) => msg === 'request');
      expect(requests).toEqual(
        [
          { path: '/api/v1/skills/search', status: 200 },
          { path: '/api/v1/skills/search', status: 401, code: 'INVALID_API_KEY' },
          { path: '/sk', status: 404, code: 'ENDPOINT_NOT_FOUND' },
        ].map((line) => ({
          level: 'info',
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          method: 'GET',
          client: '127.0.0.0',
          milliseconds: expect.any(Number),
          msg: 'request',
          ...line,
        })),
      );
      for (const secret of [key, 'mysecretquestion', '127.0.0.1']) expect(server.output().error).not.toContain(secret);
    });

    test('says nothing with --log-level silent, and no more than asked with --log-level error', async () => {
      for (const level of ['silent', 'error']) {
        const server = await startServing(['--database', await catalogue(), '--log-level', level]);
        expect((await ask(server, SEARCH)).status).toBe(200);
        expect((await ask(server, '/nothing')).status).toBe(404);
        server.child.kill('SIGTERM');
        expect([await server.ended(), server.output().error]).toEqual([0, '']);
      }
    });

    test('says what it means to listen everywhere', async () => {
      const server = await startServing(['--database', await catalogue(), '--host', '0.0.0.0', '--log-level', 'error']);
      expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
      await vi.waitFor(() => expect(server.output().error).toMatch(/\n$/));
      const lines = linesOf(server.output().error);
      expect(lines).toEqual([expect.stringMatching(/other machines.*API keys can be read/)]);
      expect((await ask(server, SEARCH)).status).toBe(200);
    });

    test('limits pages, searches, finds, connections and waiting as it is told', async () => {
      const limits = [
        '--pages-per-minute',
        '1',
        '--page-searches-per-minute',
        '1',
        '--find-per-minute',
        '1',
        '--connections-per-address',
        '2',
        '--connections-per-second',
        '1',
        '--requests-per-second',
        '1',
        '--longest-wait',
        '30',
      ];
      const server = await startServing(['--database', await catalogue(), '--compat', 'skillsmp', ...limits]);
      const [first, second] = [await Wire.open(server.port), await Wire.open(server.port)];
      expect(await second.send(request('/skills/a')).reply()).toMatchObject({ status: 200 });
      expect(await second.send(request('/')).reply()).toMatchObject({ status: 429 });
      expect(await second.send(request('/page/search?q=a&mode=words')).reply()).toMatchObject({ status: 200 });
      expect(await second.send(request('/page/search?q=a&mode=words')).reply()).toMatchObject({ status: 429 });
      expect(await second.send(request('/api/search?q=alpha')).reply()).toMatchObject({ status: 200 });
      expect(await second.send(request('/api/search?q=alpha')).reply()).toMatchObject({ status: 429 });
      const third = await Wire.open(server.port);
      await first.closed();
      expect(await third.send(request('/api/health')).reply()).toMatchObject({ status: 200 });
      const asked = third.send(request('/nowhere').repeat(20));
      while ((await asked.reply()) !== 'closed');
      const opened = await Promise.all(Array.from({ length: 20 }, () => Wire.open(server.port, '127.0.0.2')));
      const replies = opened.map((wire) => wire.send(request('/api/health')).reply());
      expect((await Promise.all(replies)).filter((reply) => reply === 'closed').length).toBeGreaterThan(5);
    });

    test('takes keys that are made, and refuses those that are revoked, while it runs', async () => {
      const database = await catalogue();
      const server = await startServing(['--database', database]);
      const made = await runProcess(['keys', 'create', '--name', 'ci', '--daily', '7', '--database', database]);
      const key = made.out.trim();
      const known = await ask(server, SEARCH, key);
      expect([known.status, known.headers.get('x-ratelimit-daily-remaining')]).toEqual([200, '6']);
      expect(await codeAt(server, SEMANTIC, key)).toEqual([503, 'SERVICE_UNAVAILABLE']);

      const revoked = await runProcess(['keys', 'revoke', '1', '--database', database]);
      expect([revoked.status, revoked.out]).toEqual([0, 'Key 1 (ci) is revoked.\n']);
      expect(await codeAt(server, SEARCH, key)).toEqual([401, 'INVALID_API_KEY']);
      expect(await codeAt(server, SEMANTIC, key)).toEqual([401, 'INVALID_API_KEY']);
    });

    test('serves the specified paths only with --no-pages, and what clients of the other service need with --compat', async () => {
      const database = await catalogue();
      const server = await startServing(['--database', database, '--no-pages', '--compat', 'skillsmp']);
      for (const path of ['/', '/openapi.json', '/skills/a']) expect((await ask(server, path)).status).toBe(404);
      const { body } = await ask(server, SEARCH);
      expect(body).toMatchObject({
        data: { skills: [{ githubUrl: expect.any(String) }], pagination: { hasNext: false } },
      });
      expect((await ask(server, '/api/search?q=alpha')).body).toMatchObject({ skills: [{ id: 'a' }] });
    });

    test('believes a trusted proxy who the client is, and links to the public address', async () => {
      const words = ['--trust-proxy', 'loopback', '--public-url', 'https://skills.example/', '--anonymous-daily', '2'];
      const server = await startServing(['--database', await catalogue(), ...words]);
      const remaining = async (client: string): Promise<string | null> => {
        const response = await fetch(server.url + SEARCH, { headers: { 'X-Forwarded-For': client } });
        expect(await response.text()).toContain('"skillUrl":"https://skills.example/skills/a"');
        return response.headers.get('x-ratelimit-daily-remaining');
      };
      expect([await remaining('192.0.2.1'), await remaining('192.0.2.2'), await remaining('192.0.2.1')]).toEqual([
        '1',
        '1',
        '0',
      ]);
      expect(server.output().error).not.toMatch(/192\.0\.2\.[12]/);
    });
  });

  describe('serve --demo', () => {
    test('prints three commands that do what they say, as they are', async ({ skip }) => {
      skip(!has('curl'), 'there is no curl here');
      const skills = [
        row('a', { description: 'release notes', categories: ['docs'], stars: 1 }),
        row('b', { description: 'release notes', categories: ['code'], stars: 2 }),
      ];
      const server = await startServing(['--database', await catalogue(skills), '--demo']);
      const commands = await demoOf(server);
      expect(commands).toHaveLength(3);
      const [words, filtered, meaning] = await Promise.all(
        commands.map(async (command) => JSON.parse((await promisify(execFile)('bash', ['-c', command])).stdout)),
      );
      expect(words).toMatchObject({ success: true, data: { pagination: { total: 2, limit: 20 } } });
      expect(filtered).toMatchObject({ success: true, data: { pagination: { total: 1, limit: 5 } } });
      expect(meaning).toMatchObject({ success: false, error: { code: 'SERVICE_UNAVAILABLE' } });
    });

    test('revokes the key of the former start, and no other', async () => {
      const database = await catalogue();
      const access = openAccess({ state: join(dirname(database), 'access.db') });
      const { key: another } = access.createKey({ name: 'mine' });
      access.close();
      const first = await startServing(['--database', database, '--demo']);
      const formerKey = await demoKeyOf(first);
      expect((await ask(first, SEARCH, formerKey)).status).toBe(200);
      const second = await startServing(['--database', database, '--demo']);
      const key = await demoKeyOf(second);
      expect(key).not.toBe(formerKey);
      for (const server of [first, second]) {
        expect(await codeAt(server, SEARCH, formerKey)).toEqual([401, 'INVALID_API_KEY']);
        expect(await codeAt(server, SEMANTIC, formerKey)).toEqual([401, 'INVALID_API_KEY']);
        for (const good of [key, another]) expect((await ask(server, SEARCH, good)).status).toBe(200);
      }
    });
  });

  describe('a signal', () => {
    test.each(['SIGTERM', 'SIGINT'] as const)('ends the server with status 0: %s', async (signal) => {
      const server = await startServing(['--database', await catalogue()]);
      await server.heard('semantic search is not available');
      const idle = await Wire.open(server.port);
      expect(await idle.send(request('/api/health')).reply()).toMatchObject({ status: 200 });
      const from = performance.now();
      server.child.kill(signal);
      expect(await server.ended()).toBe(0);
      expect(performance.now() - from).toBeLessThan(3000);
      expect(await idle.reply()).toBe('closed');
      expect(server.logged().at(-1)).toMatchObject({ level: 'info', msg: 'stopping' });
    });

    test('ends the server within its grace time although a client hangs, and the second at once with status 1', async () => {
      const server = await startServing(['--database', await catalogue()]);
      const hanging = await Wire.open(server.port);
      hanging.send('GET /api/health HTTP/1.1\r\nHos');
      // It was accepted, as this one after it was.
      expect(await (await Wire.open(server.port)).send(request('/api/health')).reply()).toMatchObject({ status: 200 });
      server.child.kill('SIGTERM');
      await vi.waitFor(async () => expect(await connects(server.port)).toBe(false), { timeout: 5000 });
      expect([server.child.exitCode, hanging.ended]).toEqual([null, false]);
      server.child.kill('SIGTERM');
      expect(await server.ended()).toBe(1);
    });

    test('loses none of the requests that run', async () => {
      const skills = Array.from({ length: 50 }, (_, i) => row(`s-${i}`, { description: `alpha ${i}` }));
      const server = await startServing(['--database', await catalogue(skills), ...NO_LIMIT, '--log-level', 'error']);
      let answered = 0;
      const clients = Array.from({ length: 20 }, () =>
        keepAsking(server.port, () => {
          answered += 1;
          return false;
        }),
      );
      await vi.waitFor(() => expect(answered).toBeGreaterThan(300), { timeout: 10_000 });
      server.child.kill('SIGTERM');
      const results = await Promise.all(clients);
      expect(await server.ended()).toBe(0);
      for (const { answers, lost, ended } of results) {
        expect([lost, ended, [...answers.keys()]]).toEqual([false, true, [200]]);
      }
      expect(await connects(server.port)).toBe(false);
    });

    test('ends the server although nobody reads its log', async () => {
      // When the pipe is full, writing out the rest of the log (ServerLog.close) blocks for ever: neither this signal nor
      // the second ends the process.
      const server = await startServing(['--database', await catalogue(), ...NO_LIMIT]);
      server.child.stderr.pause();
      const results = await Promise.all(
        Array.from({ length: 10 }, () => keepAsking(server.port, (answered) => answered >= 150)),
      );
      expect(results.map(({ answers }) => answers.get(200))).toEqual(results.map(() => 150));
      server.child.kill('SIGTERM');
      const late = new Promise((resolve) => setTimeout(() => resolve('late'), 3000));
      expect(await Promise.race([once(server.child, 'exit').then(() => 'ended'), late])).toBe('ended');
    });

    test('and requests go on where nobody reads the log any more', async () => {
      const server = await startServing(['--database', await catalogue(), ...NO_LIMIT]);
      server.child.stderr.destroy();
      const { answers } = await keepAsking(server.port, (answered) => answered >= 50);
      expect(answers).toEqual(new Map([[200, 50]]));
      server.child.kill('SIGTERM');
      expect(await server.ended()).toBe(0);
    });
  });

  describe('a new state of the catalogue', () => {
    test('is served at once after SIGHUP', async () => {
      const database = await catalogue([row('a', { description: 'alpha one' })]);
      const server = await startServing(['--database', database]);
      server.child.kill('SIGHUP');
      expect(await server.heard('catalogue reloaded')).toMatchObject({ level: 'info', skills: 1, vectors: 0 });

      await catalogue([row('a', { description: 'alpha two' }), row('b', { description: 'alpha two' })], database);
      server.child.kill('SIGHUP');
      await vi.waitFor(async () => expect(await descriptionsAt(server)).toEqual(['alpha two', 'alpha two']), 2000);
      expect(server.child.exitCode).toBeNull();
    });

    test('is served by itself soon after another process has loaded it', async () => {
      const database = await catalogue([row('a', { description: 'alpha one' })]);
      const server = await startServing(['--database', database, ...NO_LIMIT]);
      const source = scratchFile('rows.jsonl');
      writeJsonLines(source, [row('a', { description: 'alpha two' })]);
      const { status } = await runProcess(['load', source, '--prune', '--no-semantic', '--database', database]);
      const loaded = performance.now();
      expect(status).toBe(0);
      while (!(await descriptionsAt(server)).includes('alpha two')) {
        expect(performance.now() - loaded).toBeLessThan(10_000);
      }
      expect(await server.heard('catalogue reloaded')).toMatchObject({ level: 'info' });
    });

    test('fails no request, and none sees half of it, during ten loads under steady traffic', async () => {
      const stateOf = (version: number): Row[] =>
        Array.from({ length: 20 }, (_, i) => row(`s-${i}`, { description: `alpha version${version}.` }));
      const database = await catalogue(stateOf(0));
      const server = await startServing(['--database', database, ...NO_LIMIT, '--log-level', 'error']);
      let done = false;
      const clients = Array.from({ length: 6 }, () => keepAsking(server.port, () => done));
      try {
        for (let version = 1; version <= 10; version++) {
          await catalogue(stateOf(version), database);
          // Every second one is overtaken by the next.
          if (version % 2 === 0) await served(server, `version${version}.`);
        }
      } finally {
        done = true;
      }
      const seen = new Set<number>();
      for (const { answers, bodies, lost, ended } of await Promise.all(clients)) {
        expect([lost, ended, [...answers.keys()]]).toEqual([false, false, [200]]);
        let newest = 0;
        for (const body of bodies) {
          const versions = [...body.matchAll(/alpha version(\d+)\./g)].map(([, version]) => Number(version));
          expect([versions.length, new Set(versions).size]).toEqual([20, 1]);
          expect(versions[0]).toBeGreaterThanOrEqual(newest);
          newest = versions[0] as number;
          seen.add(newest);
        }
        expect(newest).toBe(10);
      }
      expect([...seen]).toEqual(expect.arrayContaining([0, 2, 4, 6, 8, 10]));
      expect(server.output().error).toBe('');
    });

    test('that is none leaves the former in place', async () => {
      const database = await catalogue([row('a', { description: 'alpha one' })]);
      const server = await startServing(['--database', database, ...NO_LIMIT]);
      const rubbish = `${database}.rubbish`;
      writeFileSync(rubbish, 'this is not a catalogue');
      renameSync(rubbish, database);
      const line = await server.heard('the catalogue changed but cannot be opened: the previous one stays in use');
      expect(line).toMatchObject({ level: 'error', err: { code: 'NOT_A_CATALOGUE' } });
      expect(await descriptionsAt(server)).toEqual(['alpha one']);
      server.child.kill('SIGHUP');
      await vi.waitFor(() => expect(server.logged().filter(({ err }) => err !== undefined)).toHaveLength(2));
      expect(await descriptionsAt(server)).toEqual(['alpha one']);
    });
  });

  describe('the state file', () => {
    test('has every request that was answered when the server is killed', async () => {
      const words = ['--database', await catalogue(), '--state', scratchFile('state.db'), '--log-level', 'error'];
      const limits = ['--anonymous-daily', '1000000', '--anonymous-per-minute', '0'];
      const server = await startServing([...words, ...limits]);
      let answered = 0;
      const count = (): boolean => {
        answered += 1;
        return false;
      };
      const clients = Array.from({ length: 8 }, () => keepAsking(server.port, count));
      await vi.waitFor(() => expect(answered).toBeGreaterThan(200), { timeout: 10_000 });
      server.child.kill('SIGKILL');
      const results = await Promise.all(clients);
      expect(await server.ended()).toBe('SIGKILL');
      for (const { answers } of results) expect([...answers.keys()]).toEqual([200]);
      const received = results.reduce((sum, { answers }) => sum + (answers.get(200) ?? 0), 0);
      expect(received).toBe(answered);

      const again = await startServing([...words, ...limits]);
      const { status, headers } = await ask(again, SEARCH);
      expect(status).toBe(200);
      const used = 1_000_000 - 1 - Number(headers.get('x-ratelimit-daily-remaining'));
      expect(used).toBeGreaterThanOrEqual(received);
      // At most the one that each client had sent last was counted and not received.
      expect(used).toBeLessThanOrEqual(received + clients.length);
    });

    test('makes several servers share a quota exactly', async () => {
      const words = ['--database', await catalogue(), '--state', scratchFile('state.db'), '--log-level', 'error'];
      const limits = ['--anonymous-daily', '100', '--anonymous-per-minute', '0'];
      const servers = await Promise.all(Array.from({ length: 3 }, () => startServing([...words, ...limits])));
      const remaining: number[] = [];
      const refused: unknown[] = [];
      await Promise.all(
        servers.flatMap((server) =>
          Array.from({ length: 4 }, async () => {
            for (let i = 0; i < 20; i++) {
              const { status, headers, body } = await ask(server, SEARCH);
              if (status === 200) remaining.push(Number(headers.get('x-ratelimit-daily-remaining')));
              else refused.push((body as { error: { code: string } }).error.code);
            }
          }),
        ),
      );
      // Each number was told once, by whichever server.
      expect(remaining.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i));
      expect([refused.length, new Set(refused)]).toEqual([140, new Set(['DAILY_QUOTA_EXCEEDED'])]);
    });

    test('ends the start with one clear line where it cannot be one', async () => {
      const database = await catalogue();
      const folder = scratchFolder();
      const text = scratchFile('notes.txt');
      writeFileSync(text, 'these are notes, and they are longer than the header of a database\n'.repeat(20));
      const cases = [
        [folder, /cannot write .*unable to open/],
        [database, /is a database, but not one of keys and quotas/],
        [text, /is no database/],
        [join(folder, 'none', 'state.db'), /cannot write .*directory does not exist/],
        // Nobody can make a file there.
        ['/proc/state.db', /cannot write/],
      ] as const;
      const starts = cases.map(async ([state, reason]) => {
        const { status, out, error } = await runProcess([
          'serve',
          '--port',
          '0',
          '--database',
          database,
          '--state',
          state,
        ]);
        expect([status, out, linesOf(error)], error).toEqual([1, '', [expect.stringMatching(reason)]]);
        expect(error).toMatch(/^error: /);
        expect(error).toContain(state);
      });
      await Promise.all(starts);
    });

    test('ends the start with one clear line where it may not be written', async ({ skip }) => {
      skip(process.getuid?.() === 0, 'root may write everything');
      const state = scratchFile('state.db');
      openAccess({ state }).close();
      chmodSync(state, 0o444);
      const words = ['serve', '--port', '0', '--database', await catalogue(), '--state', state];
      const { status, out, error } = await runProcess(words);
      expect([status, out, linesOf(error)]).toEqual([
        1,
        '',
        [expect.stringMatching(/^error: cannot write .*state\.db/)],
      ]);
    });
  });

  describe('a server that cannot start', () => {
    test('says in one line that the port is in use', async () => {
      const database = await catalogue();
      const first = await startServing(['--database', database]);
      const { status, out, error } = await runProcess(['serve', '--port', String(first.port), '--database', database]);
      expect([status, out, error]).toEqual([
        1,
        '',
        `error: cannot listen at 127.0.0.1, port ${first.port}: the port is in use; choose another port\n`,
      ]);
      expect((await ask(first, SEARCH)).status).toBe(200);
    });

    test('says in one line that there is no catalogue', async () => {
      const folder = scratchFolder();
      mkdirSync(join(folder, 'folder.db'));
      for (const name of ['none.db', 'folder.db']) {
        const { status, out, error } = await runProcess(['serve', '--port', '0', '--database', join(folder, name)]);
        expect([status, out, linesOf(error)]).toEqual([1, '', [expect.stringMatching(/^error: /)]]);
        expect(error).toContain(name);
      }
    });

    test('was used wrongly: status 2 and one line', async () => {
      const database = await catalogue();
      const wrong = [
        ['--port', '99999'],
        ['--port', '-1'],
        ['--trust-proxy', 'nonsense'],
        ['--compat', 'other'],
        ['--public-url', 'ftp://x'],
        ['--log-level', 'loud'],
        ['--anonymous-daily', '-1'],
        ['--host', ''],
      ];
      while (wrong.length > 0) {
        await Promise.all(
          wrong.splice(0, 4).map(async (words) => {
            const { status, out, error } = await runProcess(['serve', '--port', '0', '--database', database, ...words]);
            expect([words, status, out, linesOf(error).length], error).toEqual([words, 2, '', 1]);
            expect(error).toMatch(/^error: \S/);
          }),
        );
      }
    });
  });

  /** A catalogue without vectors; over a path, its next state. */
  async function catalogue(
    rows: readonly Row[] = [row('a', { description: 'alpha' })],
    database = scratchFile('skills.db'),
  ): Promise<string> {
    await buildCatalogue({ database, sources: [rows], semantic: false, prune: true });
    return database;
  }

  interface Reply {
    readonly status: number;
    readonly headers: Headers;
    readonly body: unknown;
  }

  async function ask(server: Serving, path: string, key?: string): Promise<Reply> {
    const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    const response = await fetch(server.url + path, { headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  async function codeAt(server: Serving, path: string, key?: string): Promise<[status: number, code: string]> {
    const { status, body } = await ask(server, path, key);
    return [status, (body as { error?: { code: string } }).error?.code ?? 'no error'];
  }

  async function descriptionsAt(server: Serving): Promise<string[]> {
    const { status, body } = await ask(server, SEARCH);
    expect(status).toBe(200);
    return (body as { data: { skills: { description: string }[] } }).data.skills.map(({ description }) => description);
  }

  async function served(server: Serving, words: string): Promise<void> {
    for (const end = performance.now() + 5000; performance.now() < end; ) {
      if ((await descriptionsAt(server)).every((text) => text.includes(words))) return;
    }
    throw new Error(`${words} is not served`);
  }

  async function connects(port: number): Promise<boolean> {
    return Wire.open(port).then(
      (wire) => {
        wire.cut();
        return true;
      },
      () => false,
    );
  }

  async function demoOf(server: Serving): Promise<string[]> {
    return vi.waitFor(() => {
      const commands = linesOf(server.output().out).filter((line) => line.startsWith('curl '));
      expect(commands).toHaveLength(3);
      return commands;
    });
  }

  async function demoKeyOf(server: Serving): Promise<string> {
    const [, , command = ''] = await demoOf(server);
    const [key = 'none'] = /sk_live_[\w-]{43}/.exec(command) ?? [];
    expect(server.output().out).toContain(`API key for this demo: ${key}\n`);
    return key;
  }

  function has(program: string): boolean {
    try {
      execFileSync(program, ['--version']);
      return true;
    } catch {
      return false;
    }
  }
});

describe('serve mcp.system', () => {
  async function catalogue(): Promise<string> {
    const database = scratchFile('skills.db');
    const rows = [
      wholeRow({ id: 'kite', name: 'kite' }),
      wholeRow({ id: 'bad', name: 'Bad Name', description: 'kite as well' }),
    ];
    await buildCatalogue({ database, sources: [rows], semantic: false });
    return database;
  }

  describe('serve --mcp', () => {
    test('serves MCP beside the specification, says where, and logs method and tool', async () => {
      const server = await startServing(['--mcp', '--database', await catalogue()]);
      expect(server.output().out).toContain(`MCP is at ${server.url}/mcp.\n`);
      for (const era of ERAS) {
        const client = newClient(era);
        await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
        onTestFinished(() => client.close());
        const { structured } = await callTool(client, 'search_skills', { query: 'kite', by: 'words' });
        expect((structured['skills'] as { id: string }[]).map(({ id }) => id).sort()).toEqual(['bad', 'kite']);
        expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(['kite']);
      }
      expect((await fetch(`${server.url}/api/v1/skills/search?q=kite`)).status).toBe(200);
      const lines = server.logged().filter(({ operation }) => operation === 'tools/call search_skills');
      expect(lines).toMatchObject([{ msg: 'request', path: '/mcp', status: 200 }, { client: '127.0.0.0' }]);
      const unpublished = await server.heard('found but not published');
      expect(unpublished).toMatchObject({ skill: 'bad', reason: expect.stringContaining('name') });
      server.child.kill('SIGTERM');
      expect(await server.ended()).toBe(0);
    });

    test('is reached by the names that --allowed-host and --public-url say', async () => {
      const more = ['--allowed-host', 'inner, 192.0.2.1', '--public-url', 'https://skills.example.org/base'];
      const server = await startServing(['--mcp', '--database', await catalogue(), ...more]);
      expect(server.output().out).toContain('MCP is at https://skills.example.org/base/mcp.\n');
      for (const host of ['inner', '192.0.2.1:8787', 'skills.example.org', 'localhost']) {
        expect(await statusAt(server.port, host)).toBe(404);
      }
      expect(await statusAt(server.port, 'other')).toBe(403);
    });

    test('is not there without the option', async () => {
      const server = await startServing(['--database', await catalogue()]);
      expect(server.output().out).not.toContain('MCP');
      expect((await fetch(`${server.url}/mcp`, { method: 'POST', body: '{}' })).status).toBe(404);
    });

    test('refuses a name with a port', async () => {
      const { status, error } = await runProcess([
        'serve',
        '--mcp',
        '--allowed-host',
        'a:80',
        '--database',
        await catalogue(),
      ]);
      expect([status, error]).toEqual([2, expect.stringContaining('allowedHosts must be a list of names')]);
    });

    test('says what to install where the SDK is missing', async () => {
      const hook = `data:text/javascript,${encodeURIComponent(WITHOUT_SDK)}`;
      const words = ['serve', '--mcp', '--port', '0', '--database', await catalogue()];
      const { status, error } = await runProcess(words, '', { env: { NODE_OPTIONS: `--import ${hook}` } });
      expect([status, error]).toEqual([1, expect.stringContaining('npm install @modelcontextprotocol/server')]);
    });
  });

  /** Makes the SDK a package that is not installed. */
  const WITHOUT_SDK = `
import { register } from 'node:module';
const hook = \`export function resolve(name, context, next) {
  if (!name.startsWith('@modelcontextprotocol/')) return next(name, context);
  throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' });
}\`;
register('data:text/javascript,' + encodeURIComponent(hook));
`;

  /** What a request to end a session is told: 404 where it is looked at. */
  async function statusAt(port: number, host: string): Promise<number | 'closed'> {
    const wire = await Wire.open(port);
    const reply = await wire.send(`DELETE /mcp HTTP/1.1\r\nHost: ${host}\r\n\r\n`).reply('DELETE');
    return reply === 'closed' ? reply : reply.status;
  }
});

describe('serve publish.system', () => {
  describe('serve --publish', () => {
    test('publishes what any of its values chooses, and says where', async () => {
      const { database } = await catalogueOf({ ...PDF_FORMS, 'cron/SKILL.md': skillMarkdown('cron') });
      const words = ['--publish', 'category:none', '--publish', 'folders', '--published-per-minute', '2'];
      const server = await startServing(['--database', database, ...words, '--no-pages']);
      const ask = () => fetch(`${server.url}/.well-known/agent-skills/index.json`);
      const { skills } = (await (await ask()).json()) as { skills: { name: string }[] };
      expect(skills.map(({ name }) => name)).toEqual(['cron', 'pdf-forms']);
      expect(server.output().out).toContain(`npx skills add ${server.url}`);
      expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
    });

    test.each(['everything', 'category', 'category:', 'colour:red', ''])('refuses %j', async (value) => {
      const { status, error } = await runCaptured(['serve', '--publish', value]);
      expect([status, error]).toEqual([2, expect.stringContaining('all, folders')]);
    });
  });
});
