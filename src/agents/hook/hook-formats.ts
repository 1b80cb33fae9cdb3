import { isAbsolute } from 'node:path';

/**
 * What is read from standard input and printed:
 *
 * - `claude-code`, `codex`: the JSON of the event `UserPromptSubmit`
 * - `gemini-cli`: the JSON of the event `BeforeAgent`
 * - `json`: an object with a `prompt`, and a `cwd` if need be; one with the `context`
 * - `plain`: text; text
 */
export const HOOK_FORMATS = ['claude-code', 'codex', 'gemini-cli', 'json', 'plain'] as const;
export type HookFormat = (typeof HOOK_FORMATS)[number];

const EVENTS: Partial<Readonly<Record<HookFormat, string>>> = {
  'claude-code': 'UserPromptSubmit',
  codex: 'UserPromptSubmit',
  'gemini-cli': 'BeforeAgent',
};

/** What was typed in. */
export interface Prompt {
  readonly text: string;
  /** The working folder of the host, if it says so. */
  readonly cwd?: string;
}

/**
 * The prompt in what a host has written.
 *
 * @param whole whether nothing more will come
 * @returns undefined if that is not whole yet
 * @throws {NoPrompt} if there is no prompt in it
 */
export function promptIn(text: string, format: HookFormat, whole: boolean): Prompt | undefined {
  if (format === 'plain') return whole ? { text } : undefined;
  // A host need not close the input: then a whole object is the end of it.
  if (!whole && !text.trimEnd().endsWith('}')) return undefined;
  let value: unknown;
  try {
    // Some shells of Windows put a byte order mark before what they pass on.
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    if (!whole) return undefined;
    // The message of the error would quote the input.
    throw new NoPrompt('INPUT_NOT_JSON');
  }
  const { prompt, cwd } = (value ?? {}) as { readonly prompt?: unknown; readonly cwd?: unknown };
  if (typeof prompt !== 'string') throw new NoPrompt('NO_PROMPT');
  const isFolder = typeof cwd === 'string' && isAbsolute(cwd) && !cwd.includes('\0');
  return isFolder ? { text: prompt, cwd } : { text: prompt };
}

/** The input has no prompt. Its code is all that may be said of it. */
export class NoPrompt extends Error {
  override readonly name = 'NoPrompt' as const;
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** What the host reads. */
export function printed(context: string, format: HookFormat): string {
  if (format === 'plain') return `${context}\n`;
  const hookEventName = EVENTS[format];
  const value =
    hookEventName === undefined ? { context } : { hookSpecificOutput: { hookEventName, additionalContext: context } };
  return `${JSON.stringify(value)}\n`;
}
