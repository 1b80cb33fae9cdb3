import { describe, expect, test } from 'vitest';
import { chooseAgents } from '../../src/cli/init-command.js';

describe('an answer', () => {
  test.each([
    ['y', ['codex', 'cursor']],
    ['YES', ['codex', 'cursor']],
    ['', undefined],
    ['n', undefined],
    ['no', undefined],
    ['cursor', ['cursor']],
    [' cursor, codex ', ['cursor', 'codex']],
  ])('of %j is understood', async (answer, chosen) => {
    expect(await chooseAgents(['codex', 'cursor'], async () => answer, expect.unreachable)).toEqual(chosen);
  });

  test('that is not understood is asked for again', async () => {
    const answers = ['claude\u001b[2J', ' , ', 'codex'];
    const told: string[] = [];
    const chosen = await chooseAgents(
      ['codex'],
      async () => answers.shift()!,
      (line) => told.push(line),
    );
    expect(chosen).toEqual(['codex']);
    expect(told).toEqual(['claude [2J is none of codex.', ', is none of codex.']);
  });
});
