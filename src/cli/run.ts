import { createRequire } from 'node:module';
import { Command, CommanderError, Help } from 'commander';
import type { ErrorCode } from '../index.js';
import { COMMANDS } from './commands.js';
import type { Output } from './output.js';
import { oneLine } from './terminal-text.js';

/** Exit statuses of every command. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** Codes of errors that wrong arguments cause. */
const USAGE_CODES: ReadonlySet<unknown> = new Set<ErrorCode>([
  'MISSING_QUERY',
  'INVALID_QUERY',
  'INVALID_PARAMETER',
  'INVALID_OPTION',
]);

/**
 * Runs the command line.
 *
 * @param words the arguments, without node and script
 * @returns the exit status: 0 done, 1 failed, 2 wrong usage
 */
export async function run(words: readonly string[], output: Output): Promise<number> {
  try {
    const program = programFor(output);
    const chosen = commandNameIn(words);
    for (const { name, summary, setUp } of COMMANDS) {
      const command = program.command(name).description(summary);
      if (name === chosen) (await setUp())(command, output);
    }
    await program.parseAsync(words, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    output.error.write(`error: ${oneLine(error instanceof Error ? error.message : String(error))}\n`);
    return USAGE_CODES.has(codeOf(error)) ? EXIT.usage : EXIT.failed;
  }
}

/** The program without commands. Commands inherit its settings. */
function programFor(output: Output): Command {
  return new Command('skill-discovery')
    .description('a search engine for catalogues of agent skills')
    .version(packageVersion())
    .hook('preAction', async (_, chosen) => {
      const { database } = chosen.opts();
      // A path needs none of that code at a start.
      if (typeof database !== 'string' || !database.includes('://')) return;
      const { refusePassword } = await import('./refuse-password.js');
      refusePassword('--database', database, '--database-password-file');
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.out.write(text),
      writeErr: (text) => output.error.write(text),
      // Commander adds a line with a suggestion. An error is one line here.
      outputError: (text, write) => write(`${oneLine(text)}\n`),
    })
    .configureHelp({ subcommandTerm: termOf });
}

/** How the program's help lists a command. The table has it, because most commands are not imported. */
function termOf(command: Command): string {
  const entry = COMMANDS.find(({ name }) => name === command.name());
  return entry === undefined ? new Help().subcommandTerm(command) : `${entry.name} ${entry.usage}`.trimEnd();
}

/** The name of the chosen command: the first word that is no option, or the one after `help`. */
function commandNameIn(words: readonly string[]): string | undefined {
  const [first, second] = words.filter((word) => !word.startsWith('-'));
  return first === 'help' ? second : first;
}

// `instanceof SkillSearchError` would import the library at the start of every command.
function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function packageVersion(): string {
  return (createRequire(import.meta.url)('../../package.json') as { version: string }).version;
}
