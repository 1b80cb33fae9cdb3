import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shownPath } from '../../../src/sources/installed/agents.js';

test('a path in the home folder begins with a tilde, another is shown as it is', () => {
  const home = join('/', 'home', 'ada');
  expect(shownPath(join(home, '.claude', 'skills'), home)).toBe('~/.claude/skills');
  expect(shownPath(home, home)).toBe('~');
  expect(shownPath(`${home}-lovelace`, home)).toBe(`${home}-lovelace`);
  expect(shownPath(join('/', 'etc'), home)).toBe(join('/', 'etc'));
});
