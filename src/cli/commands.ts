import type { SetUp } from './set-up.js';

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
