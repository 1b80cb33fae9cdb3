import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  connectAccess,
  isPostgresAddress,
  type SharedAccess,
  type SharedAccessOptions,
  type StateEvent,
} from '../../src/access/index.js';
import { codeOf } from '../error-code.js';
import { closing } from '../scratch-folder.js';
import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';
import { keepsKeysAndQuotas } from './keys-and-quotas.js';

const ADDRESS = '192.0.2.1';
const DAY = 86_400_000;

describeWithPostgres('in PostgreSQL', (server) => {
  keepsKeysAndQuotas({
    emptyPlace: () => server.database(),
    open: connectAccess,
    counted: async (state) =>
      (await server.execute(
        state,
        `SELECT client, day, day_count::int AS "dayCount", minute_count::int AS "minuteCount"
         FROM skill_discovery.usage ORDER BY client COLLATE "C"`,
      )) as never,
  });
});

describeWithPostgres('keys and quotas that several servers share', (server) => {
  async function opened(options: Partial<SharedAccessOptions> = {}): Promise<SharedAccess> {
    return closing(await connectAccess({ state: await server.database(), ...options }));
  }

  const rowsOf = (state: string) =>
    server.execute(
      state,
      'SELECT client, day, day_count::int AS "dayCount" FROM skill_discovery.usage ORDER BY client COLLATE "C"',
    );

  describe('a quota', () => {
    test('of N lets N of 2,000 requests in flight in four processes through, and no more', async () => {
      const state = await server.database();
      const daily = 700;
      const processes = await Promise.all(
        [1, 2, 3, 4].map(() => startProcess(state, { requests: 500, inFlight: 500, daily })),
      );
      for (const one of processes) one.begin();
      const said = (await Promise.all(processes.map((one) => one.toEnd()))).flat();
      expect(said.filter((word) => word === 'admitted')).toHaveLength(daily);
      expect(said.filter((word) => word === 'DAILY_QUOTA_EXCEEDED')).toHaveLength(2000 - daily);
      expect(await rowsOf(state)).toMatchObject([{ dayCount: daily }]);
    });

    test('keeps what was counted when the server is killed', async () => {
      const state = await server.database();
      const one = await startProcess(state, { requests: 1_000_000, inFlight: 50, daily: 1_000_000_000 });
      one.begin();
      let admitted = 0;
      while (admitted < 300) if ((await one.lines.next()).value === 'admitted') admitted += 1;
      one.child.kill('SIGKILL');
      admitted += (await one.toEnd()).filter((word) => word === 'admitted').length;
      const [row] = await rowsOf(state);
      expect(row!['dayCount']).toBeGreaterThanOrEqual(admitted);
    });

    test.skipIf(process.platform === 'win32')(
      'keeps what was counted when a process of the database is killed',
      async () => {
        const state = await server.database();
        const access = await opened({ state, anonymous: { daily: 100_000, perMinute: 0 } });
        const client = await access.identify(undefined, ADDRESS);
        let [admitted, stop] = [0, false];
        const askOnAndOn = async (): Promise<void> => {
          while (!stop) {
            const code = await codeOf(() => access.admit(client));
            if (code === 'no error') admitted += 1;
            else {
              expect(code).toBe('SERVICE_UNAVAILABLE');
              await wait(5);
            }
          }
        };
        const asking = Promise.all(Array.from({ length: 20 }, askOnAndOn));
        await expect.poll(() => admitted).toBeGreaterThan(200);
        const [found] = await server.execute(
          state,
          "SELECT pid FROM pg_stat_activity WHERE application_name = 'skill-discovery' AND datname = current_database()",
        );
        process.kill(found!['pid'] as number, 'SIGKILL');
        const before = admitted;
        await expect.poll(() => admitted).toBeGreaterThan(before + 200);
        stop = true;
        await asking;
        const [row] = await rowsOf(state);
        // What was under way when the process was killed may have been counted without an answer.
        expect(row!['dayCount']).toBeGreaterThanOrEqual(admitted);
        expect(row!['dayCount']).toBeLessThanOrEqual(admitted + 60);
      },
    );

    test('goes by the clock of the database, whatever the clock of the server says', async () => {
      const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.UTC(2001, 1, 1));
      onTestFinished(() => clock.mockRestore());
      const state = await server.database();
      const access = await opened({ state, anonymous: { daily: 1, perMinute: 0 } });
      await access.admit(await access.identify(undefined, ADDRESS));
      await access.createKey();
      const [row] = await rowsOf(state);
      const [now] = await server.execute(state, 'SELECT extract(epoch FROM now())::float8 * 1000 AS now');
      expect(Math.floor((now!['now'] as number) / DAY) - (row!['day'] as number)).toBeLessThanOrEqual(1);
      expect(row!['day']).toBeGreaterThan(Date.UTC(2025, 1, 1) / DAY);
      expect((await access.listKeys())[0]!.createdAt).toBeGreaterThan(Date.UTC(2025, 1, 1) / 1000);
    });
  });

  test('has 4 connections where nobody said otherwise, and 1 to 100', async () => {
    const state = await server.database();
    const access = await opened({ state, anonymous: { daily: 1000, perMinute: 0 } });
    const clients = await Promise.all(Array.from({ length: 12 }, (_, i) => access.identify(undefined, `192.0.2.${i}`)));
    await Promise.all(clients.flatMap((client) => [access.admit(client), access.check(), access.listKeys()]));
    const [open] = await server.execute(
      state,
      "SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'skill-discovery' AND datname = current_database()",
    );
    expect(open).toEqual({ count: 4 });
    for (const connections of [0, 101, 1.5, '4' as never]) {
      expect(await codeOf(() => connectAccess({ state, connections }))).toBe('INVALID_OPTION');
    }
    for (const connections of [1, 100]) {
      const other = await opened({ state, connections });
      expect((await other.admit(await other.identify(undefined, ADDRESS))).dailyRemaining).toBeLessThan(50);
    }
  });

  test('counts more clients at once than one statement counts', async () => {
    const state = await server.database();
    const access = await opened({ state, anonymous: { daily: 5, perMinute: 0 } });
    const count = 4 * 128;
    const clients = await Promise.all(
      Array.from({ length: count }, (_, i) => access.identify(undefined, `10.0.${i >> 8}.${i & 255}`)),
    );
    const remaining = await Promise.all(
      [...clients, ...clients].map(async (client) => (await access.admit(client)).dailyRemaining),
    );
    expect(remaining.toSorted()).toEqual([...Array<number>(count).fill(3), ...Array<number>(count).fill(4)]);
    expect((await rowsOf(state)).map((row) => row['dayCount'])).toEqual(Array<number>(count).fill(2));
  });

  test('are not counted together by statements that wait for each other', async () => {
    const state = await server.database();
    const servers = await Promise.all([1, 2, 3].map(() => opened({ state, anonymous: { daily: 0, perMinute: 900 } })));
    const names = Array.from({ length: 40 }, (_, i) => `192.0.2.${i}`);
    await Promise.all(
      servers.map(async (access, turn) => {
        // Each in another order.
        const order = names.toSorted((a, b) => (a > b ? 1 : -1) * (turn - 1 || 1));
        for (let round = 0; round < 15; round++) {
          await Promise.all(order.map(async (name) => access.admit(await access.identify(undefined, name))));
        }
      }),
    );
    const counts = await server.execute(state, 'SELECT minute_count::int AS n FROM skill_discovery.usage');
    expect(counts).toEqual(names.map(() => ({ n: 45 })));
  });

  describe('where the database does not answer', () => {
    async function away(options: Partial<SharedAccessOptions> = {}) {
      const events: StateEvent[] = [];
      const onChange = (event: StateEvent): void => void events.push(event);
      const access = await opened({ anonymous: { daily: 3, perMinute: 0 }, onChange, ...options });
      const { key } = await access.createKey();
      const [anonymous, known] = await Promise.all([
        access.identify(undefined, ADDRESS),
        access.identify(`Bearer ${key}`, ADDRESS),
      ]);
      await access.admit(anonymous);
      await server.stop();
      onTestFinished(() => server.start());
      return { access, key, anonymous, known, events };
    }

    test('everything fails, with the time after which to ask again', async () => {
      const { access, key, anonymous, known } = await away();
      for (const call of [
        () => access.admit(anonymous),
        () => access.admit(known),
        () => access.countRequest(known),
        () => access.confirm(known),
        () => access.check(),
        () => access.listKeys(),
        () => access.identify(`Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`, ADDRESS),
      ]) {
        await expect(call()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfter: 1 });
      }
    });

    test('requests without a key may be answered, counted by each server for itself', async () => {
      const { access, anonymous, known, events } = await away({ allowAnonymousIfQuotaDbUnavailable: true });
      expect([await access.admit(anonymous), await access.admit(anonymous)]).toMatchObject([
        { dailyLimit: 3, dailyRemaining: 2 },
        { dailyRemaining: 1 },
      ]);
      await (await access.admit(anonymous)).giveBack();
      await access.admit(anonymous);
      expect(await codeOf(() => access.admit(anonymous))).toBe('DAILY_QUOTA_EXCEEDED');
      await access.countRequest(anonymous);
      expect(await codeOf(() => access.admit(known))).toBe('SERVICE_UNAVAILABLE');
      expect(await codeOf(() => access.countRequest(known))).toBe('SERVICE_UNAVAILABLE');
      // A balancer that drops all servers helps nobody.
      expect(await access.check()).toBeUndefined();
      expect(events.map(({ kind }) => kind)).toEqual(['away']);
    });
  });

  test('are found again by themselves, with all that was counted', async () => {
    const access = await opened({ anonymous: { daily: 3, perMinute: 0 }, allowAnonymousIfQuotaDbUnavailable: true });
    const client = await access.identify(undefined, ADDRESS);
    await access.admit(client);
    await server.stop();
    expect((await access.admit(client)).dailyRemaining).toBe(2);
    await server.start();
    await expect.poll(() => codeOf(() => access.listKeys())).toBe('no error');
    expect((await access.admit(client)).dailyRemaining).toBe(1);
  });

  describe('an address', () => {
    test('belongs to connectAccess, the path of a file to openAccess', async () => {
      expect(await codeOf(() => connectAccess({ state: 'access.db' }))).toBe('INVALID_OPTION');
      const { openAccess } = await import('../../src/access/index.js');
      const state = await server.database();
      expect(isPostgresAddress(state)).toBe(true);
      expect(await codeOf(() => openAccess({ state }))).toBe('INVALID_OPTION');
    });

    test.each([
      ['passwordFile', 5],
      ['passwordFile', ''],
      ['allowAnonymousIfQuotaDbUnavailable', 'yes'],
      ['onChange', 'loud'],
      ['now', 5],
      ['anonymousWhenaway', true],
    ])('with %s = %j is refused', async (option, value) => {
      const state = await server.database('postgres');
      expect(await codeOf(() => connectAccess({ state, [option]: value }))).toBe('INVALID_OPTION');
    });
  });
});

/** Another process that asks a database for admission; see shared-access-process.ts. */
interface AskingProcess {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string>;
  begin(): void;
  /** What it says up to its end. */
  toEnd(): Promise<string[]>;
}

async function startProcess(
  state: string,
  { requests, inFlight, daily }: { requests: number; inFlight: number; daily: number },
): Promise<AskingProcess> {
  const script = fileURLToPath(new URL('shared-access-process.ts', import.meta.url));
  const words = [state, ADDRESS, requests, inFlight, daily].map(String);
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const input = child.stdin as Writable;
  input.on('error', () => {});
  const lines = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]();
  const { value } = await lines.next();
  if (value !== 'ready') throw new Error(`the process says ${value} instead of ready`);
  return {
    child,
    lines,
    begin: () => input.write('begin\n'),
    async toEnd() {
      const said: string[] = [];
      for (;;) {
        const { value: word, done } = await lines.next();
        if (done === true || word === 'done') return said;
        said.push(word);
      }
    },
  };
}
