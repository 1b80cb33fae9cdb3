import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { targetOf } from '../../src/cli/install-command.js';
import { surroundings } from '../../src/sources/installed/index.js';

const cwd = resolve('/work/project');
const home = resolve('/home/wren');
const AROUND = surroundings({ platform: process.platform, cwd, home, env: {} });

describe('a skill is installed', () => {
  const userLock = { path: join(home, '.agents', '.skill-lock.json'), form: 'user' };
  const projectLock = { path: join(cwd, 'skills-lock.json'), form: 'project' };

  test.each([
    [{}, { to: join(home, '.agents', 'skills'), lock: userLock }],
    [{ agent: 'claude-code' }, { to: join(home, '.claude', 'skills'), lock: userLock }],
    [{ project: true }, { to: join(cwd, '.agents', 'skills'), lock: projectLock, within: cwd }],
    [
      { project: true, agent: 'claude-code' },
      { to: join(cwd, '.claude', 'skills'), lock: projectLock, within: cwd },
    ],
    [{ to: 'here' }, { to: join(cwd, 'here'), lock: { path: join(cwd, 'here', 'skills-lock.json'), form: 'project' } }],
    [
      { to: 'here', project: true },
      { to: join(cwd, 'here'), lock: projectLock, within: cwd },
    ],
  ] as const)('with %j in %j', (flags, target) => {
    expect(targetOf(flags, AROUND)).toEqual(target);
  });

  test('and noted where npx skills notes it, which XDG_STATE_HOME may say', () => {
    const state = resolve('/state');
    const { lock } = targetOf({}, surroundings({ ...AROUND, env: { XDG_STATE_HOME: state } }));
    expect(lock.path).toBe(join(state, 'skills', '.skill-lock.json'));
  });
});
