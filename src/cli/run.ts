import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { type ErrorCode, SkillSearchError } from '../index.js';
import { evaluateCommand } from './evaluate-command.js';
import { keysCommand } from './keys-command.js';
import { loadCommand } from './load-command.js';
import type { Output } from './output.js';
import { searchCommand } from './search-command.js';
import { serveCommand } from './serve-command.js';
import { showCommand } from './show-command.js';
import { oneLine } from './terminal-text.js';

/** Exit statuses of every command. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** Errors that are the fault of the words on the command line. */
const USAGE_CODES: ReadonlySet<ErrorCode> = new Set([
  'MISSING_QUERY',
  'INVALID_QUERY',
  'INVALID_PARAMETER',
  'INVALID_OPTION',
]);

const COMMANDS = [loadCommand, searchCommand, showCommand, serveCommand, keysCommand, evaluateCommand];

/**
 * Runs the command line.
 *
 * @param words the arguments, without node and script
 * @returns the exit status
 */
export async function run(words: readonly string[], output: Output): Promise<number> {
  const program = new Command('skill-discovery')
    .description('a search engine for catalogues of agent skills')
    .version(packageVersion());
  for (const make of COMMANDS) program.addCommand(make(output));
  for (const command of [program, ...program.commands.flatMap((one) => [one, ...one.commands])]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => output.out.write(text),
      writeErr: (text) => output.error.write(text),
      // One line, also where a likely meaning is suggested.
      outputError: (text, write) => write(`${oneLine(text)}\n`),
    });
  }
  try {
    await program.parseAsync(words, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    output.error.write(`error: ${oneLine(error instanceof Error ? error.message : String(error))}\n`);
    return error instanceof SkillSearchError && USAGE_CODES.has(error.code) ? EXIT.usage : EXIT.failed;
  }
}

function packageVersion(): string {
  return (createRequire(import.meta.url)('../../package.json') as { version: string }).version;
}
