import { homedir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { surroundings, userFolders } from '../../src/core/index.js';

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
