import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HomeOfAgents } from './home-of-agents.js';

const PROGRAM = fileURLToPath(new URL('killed-init.ts', import.meta.url));
const FILES = { '.claude.json': '{"a":1}', '.claude/settings.json': '{}', '.codex/config.toml': 'a = 1\n' };
const ENTRY = '/opt/main.js';

test.skipIf(process.platform === 'win32').each([
  ['a first run', undefined],
  ['a run after a move of the package', '/old/main.js'],
])(
  '%s that is killed before any file takes its place can be undone to the byte, and can be run again',
  {
    timeout: 120_000,
  },
  async (_, former) => {
    const prepared = async (): Promise<HomeOfAgents> => {
      const home = new HomeOfAgents(FILES);
      if (former === undefined) return home;
      await home.run({ entry: former });
      // It is none that can be opened, so it would be kept.
      rmSync(home.database);
      return home;
    };
    const before = new HomeOfAgents(FILES).everything;
    const renames = Number(run(await prepared(), 0).stdout);
    expect(renames).toBeGreaterThan(4);
    for (let moment = 1; moment <= renames; moment++) {
      const home = await prepared();
      expect(run(home, moment).signal).toBe('SIGKILL');
      if (moment % 2 === 0) {
        await home.run({ entry: ENTRY });
        expect(await home.actions({ entry: ENTRY })).toEqual(Array(5).fill(expect.stringMatching(/unchanged$/)));
        rmSync(home.database);
      }
      expect(await home.run({ isRemoval: true })).toMatchObject({ left: [], backups: [] });
      // Before there is a record, there is nothing to undo: only our own folder was made.
      const isUnknown = former === undefined && moment === 1;
      expect(isUnknown ? outsideOwnFolder(home) : home.everything).toEqual(before);
    }
  },
);

function run({ home }: HomeOfAgents, moment: number): ReturnType<typeof spawnSync> {
  const args = ['--import', 'tsx', PROGRAM, home, String(moment), ENTRY];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

function outsideOwnFolder({ everything }: HomeOfAgents): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(everything).filter(([path]) => !path.startsWith('.local')));
}
