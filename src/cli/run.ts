import { createRequire } from 'node:module';
import { Command, CommanderError, Help } from 'commander';
import type { ErrorCode } from '../index.js';
import type { Output, SetUp } from './output.js';
import { oneLine } from './output.js';

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
      const { refusePassword } = await import('./options.js');
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

export interface CommandEntry {
  readonly name: string;
  /** What the program's help shows after the name. */
  readonly usage: string;
  readonly summary: string;
  /** Imports the command's file. Only the chosen command is imported, which keeps the start of the others short. */
  readonly setUp: () => Promise<SetUp>;
}

/** The commands, in the order in which the program's help lists them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    usage: '[options]',
    summary: 'set this machine up: a catalogue of the installed skills, in every agent',
    setUp: async () => (await import('./init-command.js')).setUpInit,
  },
  {
    name: 'load',
    usage: '[options] [source...]',
    summary: 'load skills into a catalogue, adding and updating by id',
    setUp: async () => (await import('./load-command.js')).setUpLoad,
  },
  {
    name: 'watch',
    usage: '[options] [source...]',
    summary: 'load skills, and whatever changes in their sources, until it is ended',
    setUp: async () => (await import('./watch-command.js')).setUpWatch,
  },
  {
    name: 'agents',
    usage: '[options]',
    summary: "show which skills this machine's agents have, and what is wrong with them",
    setUp: async () => (await import('./agents-command.js')).setUpAgents,
  },
  {
    name: 'search',
    usage: '[options] <words...>',
    summary: 'search a catalogue by words, or by meaning',
    setUp: async () => (await import('./search-command.js')).setUpSearch,
  },
  {
    name: 'list',
    usage: '[options]',
    summary: 'list the skills of a catalogue, page by page',
    setUp: async () => (await import('./list-command.js')).setUpList,
  },
  {
    name: 'show',
    usage: '[options] <id>',
    summary: 'show a skill and its files',
    setUp: async () => (await import('./show-command.js')).setUpShow,
  },
  {
    name: 'check',
    usage: '[options]',
    summary: 'look for damage in a catalogue, and repair what can be derived',
    setUp: async () => (await import('./check-command.js')).setUpCheck,
  },
  {
    name: 'snapshot',
    usage: '[options]',
    summary: 'write a catalogue as files that servers can follow over the web',
    setUp: async () => (await import('./snapshot-command.js')).setUpSnapshot,
  },
  {
    name: 'serve',
    usage: '[options]',
    summary: 'serve the Skill Discovery API over HTTP',
    setUp: async () => (await import('./serve-command.js')).setUpServe,
  },
  {
    name: 'mcp',
    usage: '[options]',
    summary: 'serve a catalogue to an agent by MCP, on standard input and output',
    setUp: async () => (await import('./mcp-command.js')).setUpMcp,
  },
  {
    name: 'install',
    usage: '[options] <id...>',
    summary: 'write skills of a catalogue into a folder that agents read',
    setUp: async () => (await import('./install-command.js')).setUpInstall,
  },
  {
    name: 'hook',
    usage: '[options]',
    summary: 'print the skills that fit a prompt, for the prompt hook of an agent',
    setUp: async () => (await import('./hook-command.js')).setUpHook,
  },
  {
    name: 'keys',
    usage: '',
    summary: 'make, list and revoke the API keys of a server',
    setUp: async () => (await import('./keys-command.js')).setUpKeys,
  },
  {
    name: 'evaluate',
    usage: '[options] <benchmark>',
    summary: 'measure how well the right skills are found, on questions with known answers',
    setUp: async () => (await import('./evaluate-command.js')).setUpEvaluate,
  },
];
