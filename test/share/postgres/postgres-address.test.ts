import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPostgresAddress, SkillSearchError } from '../../../src/core/index.js';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';

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

  test('is told from the path of a file by its beginning', () => {
    for (const address of ['postgres://h/d', 'postgresql:d', 'POSTGRES://H/d'])
      expect(isPostgresAddress(address)).toBe(true);
    for (const path of ['postgres.db', './postgres/x', ':memory:', 'C:\\postgres', '', undefined]) {
      expect(isPostgresAddress(path)).toBe(false);
    }
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

  test('whose port is out of range is refused with a word about ports', () => {
    for (const places of ['h:99999', 'one:1,two:99999']) {
      expect(() => read(`postgres://u@${places}/d`)).toThrow(/number up to 65535/);
    }
    expect(() => read('postgres://u@h/d?host=/run/pg')).not.toThrow();
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
