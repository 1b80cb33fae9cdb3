import { createRequire } from 'node:module';
import { Command, CommanderError, Help } from 'commander';
import type { ErrorCode } from '../index.js';
import { type Output, oneLine } from './output.js';

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
    // The name of the chosen command: the first word that is no option, or the one after `help`.
    const [first, second] = words.filter((word) => !word.startsWith('-'));
    const chosen = first === 'help' ? second : first;
    for (const { name, summary, file } of COMMANDS) {
      const command = program.command(name).description(summary);
      if (name === chosen) (await file()).setUp(command, output);
    }
    // Commander would show the help of the program, and not say why.
    if (words[0] === 'help' && chosen !== undefined && !COMMANDS.some(({ name }) => name === chosen)) {
      program.error(`error: unknown command '${chosen}'`);
    }
    await program.parseAsync(words, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    output.error.write(`error: ${oneLine(error instanceof Error ? error.message : String(error))}\n`);
    // `instanceof SkillSearchError` would import the library at the start of every command.
    const isUsage = error instanceof Error && 'code' in error && USAGE_CODES.has(error.code);
    return isUsage ? EXIT.usage : EXIT.failed;
  }
}

/** The program without commands. Commands inherit its settings. */
function programFor(output: Output): Command {
  return new Command('skill-discovery')
    .description('a search engine for catalogues of agent skills')
    .version((createRequire(import.meta.url)('../../package.json') as { version: string }).version)
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

/** Gives a command its arguments, options and action. */
export type SetUp = (command: Command, output: Output) => void;

/** The commands, in the order in which the program's help lists them: what each is for. */
const SUMMARIES = {
  init: 'set this machine up: a catalogue of the installed skills, in every agent',
  doctor: 'say why skills do not come to prompts, and what became of those that came',
  load: 'load skills into a catalogue, adding and updating by id',
  watch: 'load skills, and whatever changes in their sources, until it is ended',
  agents: "show which skills this machine's agents have, and what is wrong with them",
  search: 'search a catalogue by words, or by meaning',
  list: 'list the skills of a catalogue, page by page',
  show: 'show a skill and its files',
  check: 'look for damage in a catalogue, and repair what can be derived',
  snapshot: 'write a catalogue as files that servers can follow over the web',
  serve: 'serve the Skill Discovery API over HTTP',
  mcp: 'serve a catalogue to an agent by MCP, on standard input and output',
  install: 'write skills of a catalogue into a folder that agents read',
  hook: 'print the skills that fit a prompt, for the prompt hook of an agent',
  keys: 'make, list and revoke the API keys of a server',
  evaluate: 'measure how well the right skills are found, on questions with known answers',
} as const;

type CommandName = keyof typeof SUMMARIES;

/** What the program's help shows after the name of a command, where that is not `[options]`. */
const USAGES: Partial<Record<CommandName, string>> = {
  load: '[options] [source...]',
  watch: '[options] [source...]',
  search: '[options] <words...>',
  show: '[options] <id>',
  install: '[options] <id...>',
  keys: '',
  evaluate: '[options] <benchmark>',
};

/** The files of the commands. Only that of the chosen one is imported, which keeps the start of the others short. */
const FILES: Readonly<Record<CommandName, () => Promise<{ readonly setUp: SetUp }>>> = {
  init: () => import('./init-command.js'),
  doctor: () => import('./doctor-command.js'),
  load: () => import('./load-command.js'),
  watch: () => import('./watch-command.js'),
  agents: () => import('./agents-command.js'),
  search: () => import('./search-command.js'),
  list: () => import('./list-command.js'),
  show: () => import('./show-command.js'),
  check: () => import('./check-command.js'),
  snapshot: () => import('./snapshot-command.js'),
  serve: () => import('./serve-command.js'),
  mcp: () => import('./mcp-command.js'),
  install: () => import('./install-command.js'),
  hook: () => import('./hook-command.js'),
  keys: () => import('./keys-command.js'),
  evaluate: () => import('./evaluate-command.js'),
};

/** Every command: its name, what it is for, what help shows after the name, and its file. */
export const COMMANDS: ReadonlyArray<{
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly file: () => Promise<{ readonly setUp: SetUp }>;
}> = (Object.keys(SUMMARIES) as CommandName[]).map((name) => {
  return { name, summary: SUMMARIES[name], usage: USAGES[name] ?? '[options]', file: FILES[name] };
});
