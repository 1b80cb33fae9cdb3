import { parseArgs } from 'node:util';
import { isCatalogueAddress, SkillSearchError } from '../../core/index.js';
import { HOOK_FORMATS, HOOK_LIMITS, type HookFormat } from './host-format.js';
import { HOOK_MODES, type HookMode } from './prompt-query.js';

/** What `hook` was told, by the names of the options. */
export interface HookOptions {
  /** Path of the catalogue. Undefined: that of the installed skills, by the folder in which the prompt was written. */
  readonly database: string | undefined;
  readonly model: string | undefined;
  readonly mode: HookMode;
  readonly format: HookFormat;
  readonly agent: string | undefined;
  readonly limit: number;
  readonly 'max-tokens': number;
  /** Milliseconds after which it is silent. */
  readonly timeout: number;
  /** Whether no running server is asked. */
  readonly alone: boolean;
  /** Whether nothing is noted, and skills are shown again in the same session. */
  readonly 'no-usage': boolean;
}

/** An option of the command line, as its help shows it. */
export interface HookOption {
  readonly flag: keyof HookOptions;
  /** What stands behind it; undefined for a switch. */
  readonly argument?: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** Of a number: the greatest. */
  readonly most?: number;
  readonly default?: string;
}

/**
 * The options. One table, because the command reads them itself: the package for command lines takes too long to load.
 */
export const HOOK_OPTIONS: readonly HookOption[] = [
  {
    flag: 'database',
    argument: 'file',
    description: 'the catalogue (default: that of the installed skills, of the project or of the user)',
  },
  {
    ...{ flag: 'mode', argument: 'mode', choices: HOOK_MODES, default: 'auto' },
    description: 'look skills up by words alone, by meaning, or by meaning where that is to be had',
  },
  {
    ...{ flag: 'format', argument: 'format', choices: HOOK_FORMATS, default: 'claude-code' },
    description: 'what is read and printed: that of a host, JSON with a prompt, or plain text',
  },
  { flag: 'agent', argument: 'name', description: 'only skills that this agent has: claude-code' },
  { flag: 'limit', argument: 'n', most: HOOK_LIMITS.skills, default: '3', description: 'skills to print at most' },
  {
    ...{ flag: 'max-tokens', argument: 'n', most: HOOK_LIMITS.tokens, default: '800' },
    description: 'tokens to print at most, by an estimate',
  },
  {
    ...{ flag: 'timeout', argument: 'ms', most: HOOK_LIMITS.time, default: '3000' },
    description: 'milliseconds after which nothing is printed',
  },
  { flag: 'model', argument: 'folder', description: 'folder of the model, instead of the one included' },
  { flag: 'alone', description: 'do not ask a running mcp or serve' },
  { flag: 'no-usage', description: 'note nothing of what was shown, and show it again in the same session' },
];

/**
 * Reads the words of the command line.
 *
 * @throws {SkillSearchError} `INVALID_OPTION`
 * @throws {TypeError} of Node, for words that are no options
 */
export function readHookOptions(words: readonly string[]): HookOptions {
  const types = HOOK_OPTIONS.map(({ flag, argument }) => {
    return [flag, { type: argument === undefined ? 'boolean' : 'string' } as const];
  });
  const parsed = parseArgs({ args: [...words], strict: true, options: Object.fromEntries(types) });
  const values: Readonly<Record<string, unknown>> = parsed.values;
  const read = HOOK_OPTIONS.map(({ flag, argument, choices, most, default: byDefault }) => {
    const text = String(values[flag] ?? byDefault ?? '');
    if (choices?.includes(text) === false) throw wrong(`--${flag} must be one of ${choices.join(', ')}`);
    if (most !== undefined && !(/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most))
      throw wrong(`--${flag} must be a whole number from 1 to ${most}, got ${JSON.stringify(text)}`);
    if (argument === undefined) return [flag, text === 'true'];
    return [flag, most === undefined ? (values[flag] ?? byDefault) : Number(text)];
  });
  const options = Object.fromEntries(read) as HookOptions;
  if (isCatalogueAddress(options.database)) {
    throw wrong(
      '--database must be the path of a file here: an agent waits for each prompt, and not for another machine; that of a local copy will do, skills.db in its --cache',
    );
  }
  return options;
}

function wrong(message: string): SkillSearchError {
  return new SkillSearchError('INVALID_OPTION', message);
}
