import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { Command, Help } from 'commander';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/run.js';
import { runCaptured } from './run-captured.js';

const CLI = new URL('../../src/cli/', import.meta.url);
const NO_OUTPUT = { out: process.stdout, error: process.stderr };

/** What a file imports as soon as it is imported: no types, and no import that waits for a call. */
function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file, CLI), 'utf8');
  const targets = [...text.matchAll(/^import (?!type )[^;]*?'([^']+)';/gm)].map(([, target]) => target!);
  return targets.map((target) => (target.startsWith('.') ? fromCli(posix.join(posix.dirname(file), target)) : target));
}

function fromCli(path: string): string {
  return path.startsWith('.') ? path : `./${path}`;
}

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

test('the start of the command line imports no command and nothing of the library', () => {
  // Not even the list of commands where `hook` is run, for which a host waits.
  expect(importsOf('./main.ts')).toEqual(['./keep-compiled.js']);
  const files = ['./main.js', './run.js'];
  for (const file of files) {
    if (!file.startsWith('.')) continue;
    for (const target of importsOf(file.replace(/js$/, 'ts'))) {
      if (!files.includes(target)) files.push(target);
    }
  }
  expect(files.sort()).toEqual([
    '../errors.js',
    '../make-folder.js',
    '../user-folders.js',
    './commands.js',
    './keep-compiled.js',
    './kept-code.js',
    './main.js',
    './run.js',
    './terminal-text.js',
    'commander',
    'node:fs',
    'node:module',
    'node:os',
    'node:path',
    'node:vm',
    'node:zlib',
  ]);
});
