import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Surroundings, surroundings } from '../../../src/core/index.js';
import { findPassword, type PasswordTarget } from '../../../src/share/postgres/postgres-address.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';

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

  test('lies in the home folder, and need not be there', () => {
    const home = scratchFolder();
    const linux = surroundings({ platform: 'linux', home, env: {} });
    expect(findPassword(TARGET, linux)).toBeUndefined();
    writeFileSync(join(home, '.pgpass'), '*:*:*:*:zebra', { mode: 0o600 });
    expect(findPassword(TARGET, linux)).toBe('zebra');
  });

  test.skipIf(process.platform === 'win32')('is not used where others may read it, and that is said', () => {
    const of = withFile('*:*:*:*:zebra');
    chmodSync(of.env['PGPASSFILE']!, 0o640);
    expect(() => findPassword(TARGET, of)).toThrow(/^the password file .* others may read it: run chmod 600/);
    // Windows has other permissions.
    expect(findPassword(TARGET, { ...of, platform: 'win32' })).toBe('zebra');
  });

  test('that cannot be read is named, without what it says', () => {
    const PGPASSFILE = join(scratchFolder(), 'folder');
    mkdirSync(PGPASSFILE, { mode: 0o700 });
    const of = surroundings({ env: { PGPASSFILE } });
    expect(() => findPassword(TARGET, of)).toThrow(/^the password file .*folder cannot be read/);
  });
});
