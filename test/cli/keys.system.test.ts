import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAccess } from '../../src/access/index.js';
import { buildCatalogue } from '../../src/index.js';
import { traceOf } from '../catalogue-file.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';
import { type Captured, linesOf, runCaptured } from './run-captured.js';
import { runProcess } from './run-process.js';

describe('keys create', () => {
  test('prints the key alone on standard output and the remark on standard error', async () => {
    const state = scratchFile('access.db');
    const { status, out, error } = await keys('create', '--state', state);

    expect(status).toBe(0);
    expect(out).toMatch(/^sk_live_[A-Za-z0-9_-]{43}\n$/);
    expect(linesOf(error)).toEqual([expect.stringMatching(/key 1\b.*Save it now/)]);
    expect(error).not.toContain(out.trim().slice(-43));
    expect(isAccepted(state, out.trim())).toBe(true);
  });

  test('makes a key of the compatible form with --compat', async () => {
    const state = scratchFile('access.db');
    const { out } = await keys('create', '--compat', 'skillsmp', '--state', state);
    expect(out).toMatch(/^sk_live_skillsmp_[A-Za-z0-9_-]{43}\n$/);
    expect(isAccepted(state, out.trim())).toBe(true);
  });

  test('prints all that is known of it with --json, and nothing else', async () => {
    const state = scratchFile('access.db');
    const before = Math.floor(Date.now() / 1000);
    const words = ['--name', 'build server', '--daily', '1000', '--per-minute', '0'];
    const { status, out, error } = await keys('create', ...words, '--json', '--state', state);

    expect([status, error]).toEqual([0, '']);
    const made = JSON.parse(out);
    expect(made).toEqual({
      id: 1,
      key: expect.stringMatching(/^sk_live_[A-Za-z0-9_-]{43}$/),
      name: 'build server',
      daily: 1000,
      perMinute: 0,
      createdAt: expect.any(Number),
    });
    expect(made.createdAt).toBeGreaterThanOrEqual(before);
    expect(made.createdAt).toBeLessThanOrEqual(Date.now() / 1000);
  });

  test('makes another key each time', async () => {
    const state = scratchFile('access.db');
    const made = [await keys('create', '--state', state), await keys('create', '--state', state)];
    expect(new Set(made.map(({ out }) => out)).size).toBe(2);
    expect(made[1]?.error).toContain('key 2');
  });

  test('writes to access.db beside the catalogue, which need not exist', async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'deep'));
    const { status, out } = await keys('create', '--database', join(folder, 'deep', 'skills.db'));

    expect(status).toBe(0);
    expect(readdirSync(folder, { recursive: true }).toSorted()).toEqual(['deep', 'deep/access.db']);
    expect(isAccepted(join(folder, 'deep', 'access.db'), out.trim())).toBe(true);
  });

  test('writes to the file that --state names, wherever the catalogue is', async () => {
    const folder = scratchFolder();
    const [database, state] = [join(folder, 'skills.db'), join(folder, 'elsewhere.db')];
    await keys('create', '--database', database, '--state', state);
    expect(readdirSync(folder)).toEqual(['elsewhere.db']);
  });

  test('tells of the folder that is missing', async () => {
    const state = join(scratchFolder(), 'missing', 'access.db');
    const { status, out, error } = await keys('create', '--state', state);
    expect([status, out]).toEqual([1, '']);
    expect(linesOf(error)).toEqual([expect.stringMatching(/^error: cannot write .*missing\/access\.db/)]);
  });
});

describe('keys list', () => {
  test('prints a table of all keys without the keys', async () => {
    const state = scratchFile('access.db');
    const made = [
      await keys('create', '--name', 'build server', '--state', state),
      await keys('create', '--name', 'よみとり', '--daily', '12345', '--per-minute', '0', '--state', state),
    ];
    await keys('revoke', '1', '--state', state);
    const { status, out, error } = await keys('list', '--state', state);

    expect([status, error]).toEqual([0, '']);
    const [head = '', first = '', second = '', ...rest] = linesOf(out);
    expect(rest).toEqual([]);
    expect(head).toMatch(/^id +name +a day +a minute +made +revoked$/);
    const minute = /\d{4}-\d\d-\d\d \d\d:\d\d/.source;
    expect(first).toMatch(new RegExp(`^1 +build server +default +default +${minute} +${minute}$`));
    expect(second).toMatch(new RegExp(`^2 +よみとり +12,345 +no limit +${minute}$`));
    expect(first.indexOf('default')).toBe(head.indexOf('a day'));
    // Each of these characters takes two columns.
    expect(second.indexOf('12,345') + 4).toBe(head.indexOf('a day'));
    for (const one of made) expect(out).not.toContain(one.out.trim().slice(-43));
  });

  test('prints the same facts as JSON with --json', async () => {
    const state = scratchFile('access.db');
    await keys('create', '--name', 'first', '--state', state);
    await keys('create', '--daily', '0', '--state', state);
    await keys('revoke', '2', '--state', state);
    const { status, out, error } = await keys('list', '--json', '--state', state);

    expect([status, error]).toEqual([0, '']);
    expect(JSON.parse(out)).toEqual([
      { id: 1, name: 'first', createdAt: expect.any(Number) },
      { id: 2, name: '', daily: 0, createdAt: expect.any(Number), revokedAt: expect.any(Number) },
    ]);
  });

  test('says so where there is no key', async () => {
    const state = scratchFile('access.db');
    openAccess({ state }).close();
    expect(await keys('list', '--state', state)).toEqual({ status: 0, out: 'There is no key.\n', error: '' });
    expect(JSON.parse((await keys('list', '--json', '--state', state)).out)).toEqual([]);
  });
});

describe('keys revoke', () => {
  test('makes a key worthless, by its id or by the key itself', async () => {
    const state = scratchFile('access.db');
    const first = (await keys('create', '--name', 'build server', '--state', state)).out.trim();
    const second = (await keys('create', '--state', state)).out.trim();

    expect(await keys('revoke', '1', '--state', state)).toEqual({
      status: 0,
      out: 'Key 1 (build server) is revoked.\n',
      error: '',
    });
    expect([isAccepted(state, first), isAccepted(state, second)]).toEqual([false, true]);

    const { status, out, error } = await keys('revoke', second, '--state', state);
    expect([status, out, error]).toEqual([0, 'Key 2 is revoked.\n', '']);
    expect(isAccepted(state, second)).toBe(false);
  });

  test('may be said twice', async () => {
    const state = scratchFile('access.db');
    await keys('create', '--state', state);
    const once = await keys('revoke', '1', '--state', state);
    expect(await keys('revoke', '1', '--state', state)).toEqual(once);
  });

  test('prints what is known of the key with --json', async () => {
    const state = scratchFile('access.db');
    const key = (await keys('create', '--name', 'old', '--state', state)).out.trim();
    const { status, out, error } = await keys('revoke', key, '--json', '--state', state);
    expect([status, error]).toEqual([0, '']);
    expect(JSON.parse(out)).toEqual({
      id: 1,
      name: 'old',
      createdAt: expect.any(Number),
      revokedAt: expect.any(Number),
    });
    expect(out).not.toContain(key.slice(-43));
  });

  test.each(['2', '0', '99999999999999999999', 'build server', '1.0', '', '\u001b[31m'])(
    'of %j, which is no key, fails with one line',
    async (what) => {
      const state = scratchFile('access.db');
      const key = (await keys('create', '--name', 'build server', '--state', state)).out.trim();
      const { status, out, error } = await keys('revoke', '--state', state, '--', what);
      expect([status, out]).toEqual([1, '']);
      expect(linesOf(error)).toEqual([expect.stringMatching(/^error: no key has /)]);
      expect(error).not.toContain('\u001b');
      expect(isAccepted(state, key)).toBe(true);
    },
  );

  test('does not repeat a key with a slip in it', async () => {
    const state = scratchFile('access.db');
    const key = (await keys('create', '--state', state)).out.trim();
    const { status, error } = await keys('revoke', key.slice(0, -1), '--state', state);
    expect(status).toBe(1);
    expect(error).not.toContain(key.slice(8, 20));
  });
});

describe('where there is no state file', () => {
  test.each([[['list']], [['list', '--json']], [['revoke', '1']]])(
    '%j fails with what to do, and makes none',
    async (words) => {
      const folder = scratchFolder();
      const { status, out, error } = await keys(...words, '--database', join(folder, 'skills.db'));
      expect([status, out]).toEqual([1, '']);
      expect(linesOf(error)).toEqual([expect.stringMatching(/^error: .*access\.db.*keys create/)]);
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

describe('what is no state file', () => {
  test.each([
    ['a catalogue', /not one of keys and quotas/],
    ['a text file', /is no database/],
  ])('%s: one clear line, status 1, and it stays as it was', async (what, message) => {
    const folder = scratchFolder();
    const state = join(folder, 'skills.db');
    if (what === 'a catalogue') await buildCatalogue({ semantic: false, database: state, sources: [[row('a')]] });
    else writeFileSync(state, 'notes\n'.repeat(300));
    const before = traceOf(state);

    for (const words of [['create'], ['list'], ['revoke', '1']]) {
      const { status, out, error } = await keys(...words, '--state', state);
      expect([words[0], status, out]).toEqual([words[0], 1, '']);
      expect(linesOf(error)).toEqual([expect.stringMatching(message)]);
    }
    expect(traceOf(state)).toEqual(before);
    expect(readdirSync(folder).filter((name) => !name.endsWith('.keyword'))).toEqual(['skills.db']);
  });
});

describe('wrong words', () => {
  test.each([
    ['an unknown command', ['make'], /unknown command 'make'/],
    ['an unknown option', ['create', '--colour'], /unknown option '--colour'/],
    ['words that nobody asked for', ['create', 'mine'], /too many arguments/],
    ['--daily -1', ['create', '--daily', '-1'], /--daily/],
    ['--daily 1.5', ['create', '--daily', '1.5'], /--daily.*'1\.5'/],
    ['--daily without a number', ['create', '--daily', ''], /--daily/],
    ['--daily above 31 bits', ['create', '--daily', '2147483648'], /daily must be an integer.*2147483648/],
    ['--per-minute many', ['create', '--per-minute', 'many'], /--per-minute.*'many'/],
    ['--per-minute above 31 bits', ['create', '--per-minute', '9'.repeat(20)], /perMinute must be an integer/],
    ['--compat wrong', ['create', '--compat', 'other'], /--compat.*'other'.*skillsmp/],
    ['--name too long', ['create', '--name', 'a'.repeat(101)], /name must be .* at most 100/],
    ['revoke without a key', ['revoke'], /missing required argument 'key'/],
    ['revoke with two keys', ['revoke', '1', '2'], /too many arguments/],
  ])('%s: one clear line, status 2', async (_, words, message) => {
    const state = scratchFile('access.db');
    openAccess({ state }).close();
    const { status, out, error } = await keys(...words, '--state', state);
    expect(linesOf(error)).toEqual([expect.stringMatching(message)]);
    expect(error).toMatch(/^error: /);
    expect([status, out]).toEqual([2, '']);
    expect(JSON.parse((await keys('list', '--json', '--state', state)).out)).toEqual([]);
  });

  test('no words at all show the help, as an error', async () => {
    const { status, out, error } = await keys();
    expect([status, out]).toEqual([2, '']);
    expect(error).toMatch(/^Usage: skill-discovery keys/);
  });

  test('that ask for help get it on standard output', async () => {
    for (const [words, text] of [
      [['--help'], /Usage: skill-discovery keys/],
      [['revoke', '--help'], /Usage: skill-discovery keys revoke.*<key>/],
    ] as const) {
      const { status, out, error } = await keys(...words);
      expect([status, error]).toEqual([0, '']);
      expect(out).toMatch(text);
    }
  });

  test('make no file', async () => {
    const state = scratchFile('access.db');
    await keys('create', '--daily', 'many', '--state', state);
    await keys('create', '--colour', '--state', state);
    expect(existsSync(state)).toBe(false);
  });
});

/** What moves the cursor, changes colours, sets titles, or reorders a line. */
const ATTACKS: Record<string, string> = {
  'a colour': '\u001b[31m',
  'a cleared screen': '\u001b[2J\u001b[1;1H',
  'a title': '\u001b]0;owned\u0007',
  'an escape of one byte': '\u009b31m',
  'a carriage return': '\rforged line',
  'a line feed': '\nforged line',
  'other line ends': '\u0085forged\u2028forged\u2029forged\vforged\fforged',
  'a bidirectional override': '\u202egnp.exe\u202c',
  'a delete': '\u007f',
};

/** Everything but line feeds that a terminal would act on. */
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]/;

describe.each(Object.entries(ATTACKS))('%s in the name of a key', (_, attack) => {
  const name = `alpha ${attack} omega`;

  test('does nothing to a terminal', async () => {
    const state = scratchFile('access.db');
    for (const words of [['create', '--name', name], ['list'], ['revoke', '1']]) {
      const { status, out, error } = await keys(...words, '--state', state);
      expect(status).toBe(0);
      expect(out + error).not.toMatch(UNSAFE);
      expect(linesOf(out).filter((line) => line.startsWith('forged'))).toEqual([]);
    }
    const { out } = await keys('list', '--state', state);
    expect(linesOf(out)).toEqual([expect.stringMatching(/^id /), expect.stringMatching(/^1 +alpha .*omega/)]);
  });

  test('is data in JSON, written so that a terminal does not act on it', async () => {
    const state = scratchFile('access.db');
    for (const words of [['create', '--name', name], ['list'], ['revoke', '1']]) {
      const { out } = await keys(...words, '--json', '--state', state);
      expect(out).not.toMatch(UNSAFE);
      const told = JSON.parse(out);
      expect((Array.isArray(told) ? told[0] : told).name).toBe(name);
    }
  });
});

test('a key made by one process is accepted until another one revokes it', async () => {
  const state = scratchFile('access.db');
  const made = await runProcess(['keys', 'create', '--state', state]);
  expect(made).toMatchObject({ status: 0, out: expect.stringMatching(/^sk_live_\S{43}\n$/) });
  const access = openAccess({ state });
  try {
    const header = `Bearer ${made.out.trim()}`;
    expect(access.identify(header, undefined)).toMatchObject({ name: 'key:1' });
    expect(await runProcess(['keys', 'revoke', '1', '--state', state])).toMatchObject({ status: 0 });
    expect(await codeOf(() => access.identify(header, undefined))).toBe('INVALID_API_KEY');
  } finally {
    access.close();
  }
});

function keys(...words: readonly string[]): Promise<Captured> {
  return runCaptured(['keys', ...words]);
}

function isAccepted(state: string, key: string): boolean {
  const access = openAccess({ state });
  try {
    return access.identify(`Bearer ${key}`, undefined).kind === 'key';
  } catch {
    return false;
  } finally {
    access.close();
  }
}
