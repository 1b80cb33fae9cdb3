import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeFolder, SkillSearchError, surroundings, tellWhileWaiting, userFolders } from '../../src/core/index.js';
import { errorLike } from '../error-code.js';
import { scratchFolder } from '../scratch-folder.js';

describe('a folder', () => {
  const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));

  /** The error that making a folder ends with. */
  function faultOf(path: string): SkillSearchError | undefined {
    try {
      makeFolder(path);
      return undefined;
    } catch (error) {
      return error as SkillSearchError;
    }
  }

  test('is made with all that are missing above it, and left alone if it is there', () => {
    const base = scratchFolder();
    const path = join(base, 'a', 'b', 'c');
    makeFolder(path, { mode: 0o700 });
    writeFileSync(join(path, 'kept'), '');
    makeFolder(path);
    expect(readdirSync(path)).toEqual(['kept']);
    if (process.platform === 'win32') return;
    expect(['a', 'a/b', 'a/b/c'].map((inside) => statSync(join(base, inside)).mode & 0o777)).toEqual([
      0o700, 0o700, 0o700,
    ]);
  });

  test('is made behind a link, too', () => {
    const base = scratchFolder();
    makeFolder(join(base, 'real'));
    symlinkSync(join(base, 'real'), join(base, 'link'), 'junction');
    makeFolder(join(base, 'link', 'a'));
    expect(readdirSync(join(base, 'real'))).toEqual(['a']);
  });

  test('is refused with what is in its place', () => {
    const base = scratchFolder();
    const file = join(base, 'file');
    writeFileSync(file, '');
    symlinkSync(join(base, 'nowhere'), join(base, 'dangling'), 'junction');
    for (const path of [file, join(file, 'a'), join(file, 'a', 'b')]) {
      const fault = faultOf(path);
      expect(fault).toBeInstanceOf(SkillSearchError);
      expect(fault).toMatchObject({
        code: 'FILE_NOT_WRITABLE',
        path,
        message: `the folder ${JSON.stringify(path)} cannot be made: ${JSON.stringify(file)} is not a folder`,
      });
    }
    expect(faultOf(join(base, 'dangling', 'a'))?.message).toContain(
      `cannot be made: ${JSON.stringify(join(base, 'dangling'))} is a link that leads nowhere`,
    );
  });

  test.skipIf(process.platform !== 'linux')('is refused, and not tried for ever, where /proc would have it', () => {
    for (const path of ['/proc/.local', '/proc/.local/share/skill-discovery']) {
      expect(faultOf(path)).toEqual(
        errorLike('FILE_NOT_WRITABLE', /^the folder "\/proc\/\.local.*" cannot be made: ENOENT.*'\/proc\/\.local'$/),
      );
    }
  });

  test('is made by the recursive way of Node nowhere in the sources', () => {
    const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const recursive = sources.filter((name) =>
      /\bmkdir(?:Sync)?\([^;]*recursive/.test(readFileSync(join(SOURCES, name), 'utf8')),
    );
    expect(recursive).toEqual([]);
  });
});

describe('tell while waiting', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test('says after a few seconds, and now and then, that a catalogue is waited for', async () => {
    const { told, waiting, end } = waitingFor('https://example.org/manifest.json');
    vi.advanceTimersByTime(3999);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(30_001);
    expect(told).toEqual([
      'waiting for the catalogue at https://example.org/manifest.json: 4 s so far',
      'waiting for the catalogue at https://example.org/manifest.json: 34 s so far',
    ]);
    end();
    await waiting;
    vi.advanceTimersByTime(120_000);
    expect(told).toHaveLength(2);
  });

  test('says nothing of a file', () => {
    const { told } = waitingFor('skills.db');
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual([]);
  });

  test.each([
    ['https://zoe:s3cret@example.org/manifest.json?token=s3cret', 'https://example.org/manifest.json'],
    ['postgres://zoe:s3cret@one,two:5433/skills?sslmode=require', 'postgres://one,two:5433/skills'],
    ['postgres://zoe:s3/cret@one/skills', 'its address'],
    ['postgres:zoe:s3cret@one/skills', 'its address'],
  ])('shows no password of %s', (database, shown) => {
    const { told } = waitingFor(database);
    vi.advanceTimersByTime(4000);
    expect(told).toEqual([`waiting for the catalogue at ${shown}: 4 s so far`]);
  });

  test('passes on what the work returns, and what it throws', async () => {
    const { told, fail, waiting } = waitingFor('https://example.org/manifest.json');
    fail(new Error('away'));
    await expect(waiting).rejects.toThrow('away');
    expect(await tellWhileWaiting('https://example.org/manifest.json', () => {}, Promise.resolve(7))).toBe(7);
    vi.advanceTimersByTime(60_000);
    expect(told).toEqual([]);
  });

  function waitingFor(database: string) {
    const told: string[] = [];
    let end = (): void => {};
    let fail = (_: Error): void => {};
    const work = new Promise<void>((resolve, reject) => {
      [end, fail] = [resolve, reject];
    });
    return { told, waiting: tellWhileWaiting(database, (line) => void told.push(line), work), end, fail };
  }
});

const base = { cwd: '/work', env: {} };

describe('the folders of a user', () => {
  test('are those of the XDG specification on Linux', () => {
    expect(userFolders({ ...base, platform: 'linux', home: '/home/ada' })).toEqual({
      data: '/home/ada/.local/share/skill-discovery',
      state: '/home/ada/.local/state/skill-discovery',
      cache: '/home/ada/.cache/skill-discovery',
      run: '/home/ada/.local/state/skill-discovery',
      config: '/home/ada/.config/skill-discovery',
    });
  });

  test('are in the library folder on macOS', () => {
    expect(userFolders({ ...base, platform: 'darwin', home: '/Users/ada' })).toEqual({
      data: '/Users/ada/Library/Application Support/skill-discovery',
      state: '/Users/ada/Library/Logs/skill-discovery',
      cache: '/Users/ada/Library/Caches/skill-discovery',
      run: '/Users/ada/Library/Logs/skill-discovery',
      config: '/Users/ada/Library/Application Support/skill-discovery',
    });
  });

  test('are those of the variables on Windows, or where these usually lie', () => {
    const home = 'C:\\Users\\Ada';
    const local = `${home}\\AppData\\Local\\skill-discovery`;
    const usual = {
      data: local,
      state: local,
      cache: local,
      run: local,
      config: `${home}\\AppData\\Roaming\\skill-discovery`,
    };
    expect(userFolders({ ...base, platform: 'win32', home })).toEqual(usual);
    const env = { LOCALAPPDATA: 'D:\\Local', APPDATA: 'D:\\Roaming' };
    const moved = 'D:\\Local\\skill-discovery';
    expect(userFolders({ ...base, platform: 'win32', home, env })).toEqual({
      data: moved,
      state: moved,
      cache: moved,
      run: moved,
      config: 'D:\\Roaming\\skill-discovery',
    });
  });

  test('follow absolute XDG variables, and no others', () => {
    const env = {
      XDG_DATA_HOME: '/xdg/data',
      XDG_STATE_HOME: '/xdg/state',
      XDG_CACHE_HOME: '/xdg/cache',
      XDG_CONFIG_HOME: 'relative',
      XDG_RUNTIME_DIR: '',
    };
    const of = { ...base, platform: 'linux', home: '/home/ada', env } as const;
    expect(userFolders(of)).toEqual({
      data: '/xdg/data/skill-discovery',
      state: '/xdg/state/skill-discovery',
      cache: '/xdg/cache/skill-discovery',
      run: '/xdg/state/skill-discovery',
      config: '/home/ada/.config/skill-discovery',
    });
    const withRun = { ...of, env: { XDG_RUNTIME_DIR: '/run/user/1000' } };
    expect(userFolders(withRun).run).toBe('/run/user/1000/skill-discovery');
  });
});

test('surroundings are those of the process, where none are given', () => {
  const { platform, home, env, cwd } = surroundings({ cwd: '/elsewhere' });
  expect([platform, home, env, cwd]).toEqual([process.platform, homedir(), process.env, '/elsewhere']);
});
