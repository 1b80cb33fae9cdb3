import { Command, Help } from 'commander';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/index.js';
import { runCaptured } from './run-captured.js';

const NO_OUTPUT = { out: process.stdout, error: process.stderr };

describe('the table of commands', () => {
  test.each(COMMANDS)('lists $name as the command itself would', async ({ name, usage, setUp }) => {
    const command = new Command(name);
    (await setUp())(command, NO_OUTPUT);
    expect(`${name} ${usage}`.trimEnd()).toBe(new Help().subcommandTerm(command));
  });

  test('gives each command its summary, in its own help and in that of the program', async () => {
    const program = await runCaptured(['--help']);
    const listed = program.out.replace(/\s+/g, ' ');
    for (const { name, usage, summary } of COMMANDS) {
      expect(listed).toContain([name, usage, summary].filter((part) => part !== '').join(' '));
      const { status, out } = await runCaptured([name, '--help']);
      expect([status, out.split('\n')[2]]).toEqual([0, summary]);
    }
  });
});
