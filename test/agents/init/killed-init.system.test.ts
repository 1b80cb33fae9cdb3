import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
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
        expect(await home.actions({ entry: ENTRY })).toEqual(Array(5).fill(expect.stringMatching(/unchanged$/)));
        // It is none that can be opened, so it would be kept.
        rmSync(home.database);
      }
      await home.run({ isRemoval: true });
      // Before there is a record, there is nothing to undo: only our own folder was made.
      expect(moment === 1 ? outsideOwnFolder(home) : home.everything).toEqual(before);
    }
  },
);

test.skipIf(process.platform === 'win32')(
  'a run after a move of the package that is killed can be undone to the byte, and can be run again',
  { timeout: 120_000 },
  async () => {
    const moved = async (): Promise<HomeOfAgents> => {
      const home = new HomeOfAgents(FILES);
      await home.run({ entry: '/old/main.js' });
      // It is none that can be opened, so it would be kept.
      rmSync(home.database);
      return home;
    };
    const renames = Number(run(await moved(), 0).stdout);
    expect(renames).toBeGreaterThan(4);
    for (let moment = 1; moment <= renames; moment++) {
      const home = await moved();
      expect(run(home, moment).signal).toBe('SIGKILL');
      if (moment % 2 === 0) {
        await home.run({ entry: ENTRY });
        expect(await home.actions({ entry: ENTRY })).toEqual(Array(5).fill(expect.stringMatching(/unchanged$/)));
        rmSync(home.database);
      }
      expect(await home.run({ isRemoval: true })).toMatchObject({ left: [], backups: [] });
      expect(home.everything).toEqual(new HomeOfAgents(FILES).everything);
    }
  },
);

test('runs at the same time, as processes, write what each of them should, and it is undone to the byte', {
  timeout: 240_000,
}, async () => {
  for (let round = 0; round < 3; round++) {
    const home = new HomeOfAgents(FILES);
    const before = home.everything;
    const ends = await Promise.all([start(home, 'claude-code'), start(home, 'codex'), start(home, 'codex')]);
    expect(ends).toEqual([0, 0, 0]);
    expect(home.record.files.map(({ agent }) => agent).sort()).toEqual([
      ...['claude-code', 'claude-code', 'codex', 'codex'],
    ]);
    expect(await home.run({ isRemoval: true })).toMatchObject({ left: [], backups: [] });
    expect(home.everything).toEqual(before);
  }
});

function argumentsOf({ home }: HomeOfAgents, moment: number, agents: readonly string[]): readonly string[] {
  return ['--import', 'tsx', PROGRAM, home, String(moment), ENTRY, ...agents];
}

function run(home: HomeOfAgents, moment: number): ReturnType<typeof spawnSync> {
  return spawnSync(process.execPath, argumentsOf(home, moment, []), { encoding: 'utf8' });
}

/** The exit status of a run of its own for one agent. */
async function start(home: HomeOfAgents, agent: string): Promise<number | null> {
  const child = spawn(process.execPath, argumentsOf(home, 0, [agent]), { stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'close');
  return child.exitCode;
}

function outsideOwnFolder({ everything }: HomeOfAgents): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(everything).filter(([path]) => !path.startsWith('.local')));
}
