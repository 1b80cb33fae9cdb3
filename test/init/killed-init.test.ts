import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HomeOfAgents } from './home-of-agents.js';

const PROGRAM = fileURLToPath(new URL('killed-init.ts', import.meta.url));
const FILES = { '.claude.json': '{"a":1}', '.claude/settings.json': '{}', '.codex/config.toml': 'a = 1\n' };
const ENTRY = '/opt/main.js';

test.skipIf(process.platform === 'win32')(
  'a run that is killed before any file takes its place can be undone to the byte, and can be run again',
  { timeout: 120_000 },
  async () => {
    const renames = Number(run(new HomeOfAgents(FILES), 0).stdout);
    expect(renames).toBeGreaterThan(8);
    for (let moment = 1; moment <= renames; moment++) {
      const home = new HomeOfAgents(FILES);
      const before = home.everything;
      expect(run(home, moment).signal).toBe('SIGKILL');
      if (moment % 2 === 0) {
        await home.run({ entry: ENTRY });
        expect(await home.actions({ entry: ENTRY })).toEqual(Array(4).fill(expect.stringMatching(/unchanged$/)));
        // It is none that can be opened, so it would be kept.
        rmSync(home.database);
      }
      await home.run({ isRemoval: true });
      // Before there is a record, there is nothing to undo: only our own folder was made.
      expect(moment === 1 ? outsideOwnFolder(home) : home.everything).toEqual(before);
    }
  },
);

function run({ home }: HomeOfAgents, moment: number): ReturnType<typeof spawnSync> {
  return spawnSync(process.execPath, ['--import', 'tsx', PROGRAM, home, String(moment)], { encoding: 'utf8' });
}

function outsideOwnFolder({ everything }: HomeOfAgents): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(everything).filter(([path]) => !path.startsWith('.local')));
}
