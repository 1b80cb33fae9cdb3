import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SkillSearchError, surroundings } from '../../../src/core/index.js';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import { scratchFolder } from '../../scratch-folder.js';

const FILE = `
# of the team
[skills]
host=db.example.com
port = 5433
user=loader
dbname=skills
password=ze#bra=1
sslmode=verify-full
connect_timeout=5

[other]
host=other.example.com
port=none

[both]
host=one.example.com,two.example.com
port=5433,
target_session_attrs=prefer-standby
dbname=skills
`;

/** The surroundings of a user with a service file. */
function withFile(text: string, env: Record<string, string> = {}): ReturnType<typeof surroundings> {
  const home = scratchFolder();
  writeFileSync(join(home, '.pg_service.conf'), text);
  return surroundings({ home, platform: 'linux', env });
}

describe('the service file of PostgreSQL', () => {
  test('gives what the address leaves out', () => {
    expect(readPostgresAddress('state', 'postgres://?service=skills', withFile(FILE))).toMatchObject({
      hosts: [{ host: 'db.example.com', port: 5433 }],
      user: 'loader',
      database: 'skills',
      password: 'ze#bra=1',
      tls: 'verify-full',
      shown: 'postgres://loader@db.example.com:5433/skills',
    });
  });

  test('may name several hosts, and which of them is meant', () => {
    expect(readPostgresAddress('state', 'postgres://?service=both', withFile(FILE))).toMatchObject({
      hosts: [
        { host: 'one.example.com', port: 5433 },
        { host: 'two.example.com', port: undefined },
      ],
      target: 'prefer-standby',
      shown: 'postgres://one.example.com:5433,two.example.com/skills',
    });
  });

  test('does not change what the address says', () => {
    const address = 'postgres://me:mine@h:1/d?service=skills&sslmode=disable';
    expect(readPostgresAddress('state', address, withFile(FILE))).toMatchObject({
      hosts: [{ host: 'h', port: 1 }],
      user: 'me',
      database: 'd',
      password: 'mine',
      tls: 'disable',
    });
  });

  test('is asked for the service that PGSERVICE names, in the file that PGSERVICEFILE names', () => {
    const file = join(scratchFolder(), 'services');
    writeFileSync(file, '[there]\r\nhost=h\r\n');
    const of = surroundings({ env: { PGSERVICE: 'there', PGSERVICEFILE: file } });
    expect(readPostgresAddress('state', 'postgres://', of)).toMatchObject({
      hosts: [{ host: 'h' }],
      password: undefined,
    });
  });

  test('is followed by that of the system', () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'pg_service.conf'), '[central]\nhost=c\n');
    const of = withFile(FILE, { PGSYSCONFDIR: folder });
    expect(readPostgresAddress('state', 'postgres://?service=central', of).hosts).toEqual([
      { host: 'c', port: undefined },
    ]);
  });

  test.each([
    [
      'a service that is in no file',
      'postgres://?service=missing',
      /"missing".*\.pg_service\.conf.*section \[missing\]/,
    ],
    ['a port that is no number', 'postgres://?service=other', /ports must be numbers/],
  ])('%s is refused, and nothing of the file is repeated', (_, address, message) => {
    const read = (): unknown => readPostgresAddress('state', address, withFile(FILE));
    expect(read).toThrow(SkillSearchError);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/ze#bra/);
  });
});
