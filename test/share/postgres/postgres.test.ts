import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SkillSearchError, type Surroundings, surroundings } from '../../../src/core/index.js';
import {
  findPassword,
  type PasswordTarget,
  readPostgresAddress,
} from '../../../src/share/postgres/postgres-address.js';
import { AnswerTimeout } from '../../../src/share/postgres/postgres-error.js';
import { CopyOut, within } from '../../../src/share/postgres/postgres-session.js';
import { closing, scratchFile } from '../../scratch-folder.js';

const read = (address: string) => readPostgresAddress('state', address);

describe('the address of a database', () => {
  test.each([
    [
      'postgres://u:p@db.example.com:5433/skills',
      { hosts: [{ host: 'db.example.com', port: 5433 }], target: 'any', user: 'u', password: 'p', database: 'skills' },
    ],
    ['postgresql://localhost/skills', { hosts: [{ host: 'localhost', port: undefined }], user: undefined }],
    ['postgres:///skills', { hosts: [{ host: undefined, port: undefined }], database: 'skills' }],
    ['postgres://', { hosts: [{ host: undefined, port: undefined }], database: undefined }],
    [
      'postgres://u%40corp:p%2F%3F@[::1]/a%20b',
      { hosts: [{ host: '::1', port: undefined }], user: 'u@corp', password: 'p/?', database: 'a b' },
    ],
    [
      'postgres:///skills?host=/run/postgresql',
      { hosts: [{ host: '/run/postgresql', port: undefined }], database: 'skills' },
    ],
    ['postgres://h/d?sslmode=verify-full', { tls: 'verify-full' }],
    [
      'postgres://u:p,%2C@a,[::1]:2,c:3/d?target_session_attrs=standby',
      {
        hosts: [
          { host: 'a', port: undefined },
          { host: '::1', port: 2 },
          { host: 'c', port: 3 },
        ],
        target: 'standby',
        password: 'p,,',
        database: 'd',
      },
    ],
    [
      'postgres://h:1/d?host=a,b',
      {
        hosts: [
          { host: 'a', port: 1 },
          { host: 'b', port: 1 },
        ],
      },
    ],
  ])('%s is read', (address, parts) => {
    expect(read(address)).toMatchObject(parts);
  });

  test('is shown without the password', () => {
    expect(read('postgres://u:secret@h:5433/d').shown).toBe('postgres://u@h:5433/d');
    expect(read('postgres://u:secret@h:5433,[::1],c:1/d').shown).toBe('postgres://u@h:5433,[::1],c:1/d');
    expect(read('postgres://u:secret@[::1]/d').shown).toBe('postgres://u@[::1]/d');
    expect(read('postgres://u:secret@localhost/d?host=/run/pg').shown).toBe('postgres://u@localhost/d?host=/run/pg');
  });

  test.each([
    ['postgres:nothing'],
    ['postgres://u:zebra/ss@h/d'],
    ['postgres://u:12/zebra@h/d'],
    ['postgres://u:12?zebra@h/d'],
    ['postgres://u:12#zebra@h/d'],
    ['postgres://u:zebra%@h/d'],
    ['postgres://u:zebra@h:99999/d'],
    ['postgres://u:zebra@one,,two/d'],
    ['postgres://u:zebra@one,/d'],
    ['postgres://u:zebra@one,two:zebra/d'],
    ['postgres://u:zebra@one:1,two:2/d?host=a,b,c'],
    ['postgres://u:zebra@one/d?target_session_attrs=zebra'],
    ['postgres://u:zebra@h/d/more'],
    ['postgres://u:zebra@h/d?password=zebra'],
    ['postgres://u:zebra@h/d?sslmode=zebra'],
    ['postgres://u:zebra@h/d%00'],
    ['postgres://u:zebra@h/d?sslrootcert=/nowhere/at/all'],
  ])('%s is refused, and nothing of it is repeated', (address) => {
    let error: unknown;
    try {
      read(address);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(SkillSearchError);
    expect(error).toMatchObject({ code: 'INVALID_OPTION' });
    expect(String((error as Error).message)).not.toContain('zebra');
  });

  test('with any password is read with it, or refused, and never shows it', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 6, unit: 'grapheme-ascii' }),
        fc.boolean(),
        fc.boolean(),
        (secret, encoded, alone) => {
          const places = alone ? 'host:1' : 'host:1,other:2';
          const address = `postgres://user:${encoded ? encodeURIComponent(secret) : secret}@${places}/db`;
          try {
            const { password, shown, hosts } = read(address);
            expect(shown).toBe(`postgres://user@${places}/db`);
            expect(hosts.map(({ host, port }) => `${host}:${port}`).join()).toBe(places);
            if (encoded) expect(password).toBe(secret);
          } catch (error) {
            if (!(error instanceof SkillSearchError)) throw error;
            expect(encoded).toBe(false);
            expect(error.message).not.toContain(secret);
          }
        },
      ),
    );
  });
});

const TARGET: PasswordTarget = { host: 'db.example.com', port: 5432, database: 'skills', user: 'reader' };

/** Surroundings with a password file of these lines. */
function withFile(...lines: readonly string[]): Surroundings {
  const PGPASSFILE = scratchFile('pgpass');
  writeFileSync(PGPASSFILE, lines.join('\n'), { mode: 0o600 });
  return surroundings({ env: { PGPASSFILE } });
}

describe('the password file of the programs of PostgreSQL', () => {
  test.each([
    ['of the very connection', ['db.example.com:5432:skills:reader:zebra'], 'zebra'],
    ['of any connection', ['*:*:*:*:zebra'], 'zebra'],
    ['of the first line that fits', ['other:*:*:*:no', '*:*:*:reader:zebra', '*:*:*:*:later'], 'zebra'],
    ['with what stands behind a backslash', ['*:*:*:*:ze\\:b\\\\ra'], 'ze:b\\ra'],
    ['with a colon', ['*:*:*:*:ze:bra'], 'ze:bra'],
    ['of a line that ends as on Windows', ['*:*:*:*:zebra\r'], 'zebra'],
    ['of no comment, and no line of another form', ['#*:*:*:*:no', '', '*:*:*', '*:*:*:*:zebra'], 'zebra'],
    ['of no other port', ['*:5433:*:*:zebra'], undefined],
    ['of no other database', ['*:*:skill:*:zebra'], undefined],
    ['of no other user', ['*:*:*:Reader:zebra'], undefined],
    ['of no text of stars', ['\\*:*:*:*:zebra'], undefined],
  ])('has the password %s', (_, lines, password) => {
    expect(findPassword(TARGET, withFile(...lines))).toBe(password);
  });

  test('has names with colons', () => {
    const target = { ...TARGET, host: '::1', user: 'a:b' };
    expect(findPassword(target, withFile('\\:\\:1:*:*:a\\:b:zebra'))).toBe('zebra');
  });

  test('calls a socket localhost, or by its folder', () => {
    const target = { ...TARGET, host: '/run/postgresql' };
    expect(findPassword(target, withFile('localhost:*:*:*:zebra'))).toBe('zebra');
    expect(findPassword(target, withFile('/run/postgresql:*:*:*:zebra'))).toBe('zebra');
    expect(findPassword(TARGET, withFile('localhost:*:*:*:zebra'))).toBeUndefined();
  });

  test.skipIf(process.platform === 'win32')('is not used where others may read it, and that is said', () => {
    const of = withFile('*:*:*:*:zebra');
    chmodSync(of.env['PGPASSFILE']!, 0o640);
    expect(() => findPassword(TARGET, of)).toThrow(/^the password file .* others may read it: run chmod 600/);
    // Windows has other permissions.
    expect(findPassword(TARGET, { ...of, platform: 'win32' })).toBe('zebra');
  });
});

type Row = readonly (Buffer | null)[];

/** Rows as PostgreSQL writes them, by its documentation of COPY. */
function written(rows: readonly Row[], extension: Buffer): Buffer {
  const int16 = (value: number): Buffer => Buffer.from([(value >> 8) & 0xff, value & 0xff]);
  const int32 = (value: number): Buffer => Buffer.concat([int16(value >> 16), int16(value)]);
  return Buffer.concat([
    Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'),
    int32(0),
    int32(extension.length),
    extension,
    ...rows.flatMap((row) => [
      int16(row.length),
      ...row.flatMap((value) => (value === null ? [int32(-1)] : [int32(value.length), value])),
    ]),
    int16(-1),
  ]);
}

/** @param cuts where a message ends */
function send(copy: CopyOut, bytes: Buffer, cuts: readonly number[]): void {
  const ends = [...new Set(cuts.map((cut) => cut % bytes.length)), bytes.length].sort((a, b) => a - b);
  let start = 0;
  for (const end of ends) {
    const chunk = Buffer.from(bytes.subarray(start, end));
    copy.handleCopyData({ chunk });
    // The client uses the memory again.
    chunk.fill(0xee);
    start = end;
  }
  copy.handleCommandComplete();
  copy.handleReadyForQuery();
}

const value = fc.oneof(
  fc.constant(null),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

test('rows are read as they were written, wherever a message ends', async () => {
  const rows = fc.array(fc.array(value, { maxLength: 4 }), { maxLength: 6 });
  const extension = fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(rows, extension, fc.array(fc.nat(), { maxLength: 8 }), async (given, header, cuts) => {
      const copy = new CopyOut('SELECT');
      send(copy, written(given, header), cuts);
      expect(await copy.rows).toEqual(given);
    }),
  );
});

test('what ends early, or is something else, is refused', async () => {
  const whole = written([[Buffer.from('a')]], Buffer.alloc(0));
  for (const bytes of [Buffer.alloc(0), Buffer.from('a\tb\n'), whole.subarray(0, -1), whole.subarray(0, -3)]) {
    const copy = new CopyOut('SELECT');
    if (bytes.length > 0) copy.handleCopyData({ chunk: bytes });
    copy.handleReadyForQuery();
    await expect(copy.rows).rejects.toThrow('not in the binary format');
  }
});

const never = new Promise<never>(() => {});

test('what takes longer is given up, with an error of choice', async () => {
  await expect(within(5, never)).rejects.toBeInstanceOf(AnswerTimeout);
  await expect(within(5, never, undefined, () => new Error('busy'))).rejects.toThrow('busy');
});

test('an answer that came while this process stood still has come in time', async () => {
  const server = closing(createServer().listen(0, '127.0.0.1'));
  await once(server, 'listening');
  const client = connect((server.address() as { readonly port: number }).port, '127.0.0.1');
  const [other] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => void client.destroy());
  const answering = within(50, once(client, 'data'));
  other.end('answer');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  expect(String((await answering)[0])).toBe('answer');
});
