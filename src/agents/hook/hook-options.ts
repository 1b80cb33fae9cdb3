import { parseArgs } from 'node:util';
import { isCatalogueAddress, SkillSearchError } from '../../core/index.js';
import { HOOK_FORMATS, HOOK_LIMITS, type HookFormat } from './host-format.js';
import { HOOK_MODES, type HookMode } from './prompt-query.js';

/** What `hook` was told. */
export interface HookOptions {
  /** Path of the catalogue. Undefined: that of the installed skills, by the folder in which the prompt was written. */
  readonly database: string | undefined;
  readonly model: string | undefined;
  readonly mode: HookMode;
  readonly format: HookFormat;
  readonly agent: string | undefined;
  readonly limit: number;
  readonly maxTokens: number;
  /** Milliseconds after which it is silent. */
  readonly timeout: number;
  /** Whether no running server is asked. */
  readonly alone: boolean;
}

/** An option of the command line, as its help shows it. */
export interface HookOption {
  readonly name: keyof HookOptions;
  readonly flag: string;
  readonly argument?: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly default?: string;
}

/**
 * The options. One table, because the command reads them itself: the package for command lines takes too long to load.
 */
export const HOOK_OPTIONS: readonly HookOption[] = [
  {
    name: 'database',
    flag: 'database',
    argument: 'file',
    description: 'the catalogue (default: that of the installed skills, of the project or of the user)',
  },
  {
    name: 'mode',
    flag: 'mode',
    argument: 'mode',
    description: 'look skills up by words alone, by meaning, or by meaning where that is to be had',
    choices: HOOK_MODES,
    default: 'auto',
  },
  {
    name: 'format',
    flag: 'format',
    argument: 'format',
    description: 'what is read and printed: that of a host, JSON with a prompt, or plain text',
    choices: HOOK_FORMATS,
    default: 'claude-code',
  },
  { name: 'agent', flag: 'agent', argument: 'name', description: 'only skills that this agent has: claude-code' },
  { name: 'limit', flag: 'limit', argument: 'n', description: 'skills to print at most', default: '5' },
  {
    name: 'maxTokens',
    flag: 'max-tokens',
    argument: 'n',
    description: 'tokens to print at most, by an estimate',
    default: '800',
  },
  {
    name: 'timeout',
    flag: 'timeout',
    argument: 'ms',
    description: 'milliseconds after which nothing is printed',
    default: '3000',
  },
  { name: 'model', flag: 'model', argument: 'folder', description: 'folder of the model, instead of the one included' },
  { name: 'alone', flag: 'alone', description: 'do not ask a running mcp or serve' },
];

/**
 * Reads the words of the command line.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 * @throws {TypeError} of Node, for words that are no options
 */
export function readHookOptions(words: readonly string[]): HookOptions {
  const { values } = parseArgs({
    args: [...words],
    strict: true,
    options: Object.fromEntries(
      HOOK_OPTIONS.map(({ flag, argument }) => [
        flag,
        { type: argument === undefined ? 'boolean' : 'string' } as const,
      ]),
    ),
  });
  const textOf = (name: HookOption['name']): string | undefined => {
    const option = HOOK_OPTIONS.find((one) => one.name === name)!;
    return (values[option.flag] as string | undefined) ?? option.default;
  };
  const choiceOf = <Choice extends string>(name: HookOption['name'], choices: readonly Choice[]): Choice => {
    const choice = choices.find((one) => one === textOf(name));
    if (choice === undefined) throw wrong(`--${name} must be one of ${choices.join(', ')}`);
    return choice;
  };
  const numberOf = (name: HookOption['name'], most: number): number => {
    const { flag } = HOOK_OPTIONS.find((one) => one.name === name)!;
    const text = textOf(name) ?? '';
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < 1 || value > most)
      throw wrong(`--${flag} must be a whole number from 1 to ${most}, got ${JSON.stringify(text)}`);
    return value;
  };
  const database = textOf('database');
  if (isCatalogueAddress(database)) {
    throw wrong(
      '--database must be the path of a file here: an agent waits for each prompt, and not for another machine; that of a local copy will do, skills.db in its --cache',
    );
  }
  return {
    database,
    model: textOf('model'),
    mode: choiceOf('mode', HOOK_MODES),
    format: choiceOf('format', HOOK_FORMATS),
    agent: textOf('agent'),
    limit: numberOf('limit', HOOK_LIMITS.skills),
    maxTokens: numberOf('maxTokens', HOOK_LIMITS.tokens),
    timeout: numberOf('timeout', HOOK_LIMITS.time),
    alone: values['alone'] === true,
  };
}

function wrong(message: string): SkillSearchError {
  return new SkillSearchError('INVALID_OPTION', message);
}
