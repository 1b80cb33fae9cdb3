/**
 * What is read from standard input and printed:
 *
 * - `claude-code`, `codex`: the JSON of the event `UserPromptSubmit`
 * - `gemini-cli`: the JSON of the event `BeforeAgent`
 * - `json`: an object with a `prompt`; one with the `context`
 * - `plain`: text; text
 */
export const HOOK_FORMATS = ['claude-code', 'codex', 'gemini-cli', 'json', 'plain'] as const;
export type HookFormat = (typeof HOOK_FORMATS)[number];

const EVENTS: Partial<Readonly<Record<HookFormat, string>>> = {
  'claude-code': 'UserPromptSubmit',
  codex: 'UserPromptSubmit',
  'gemini-cli': 'BeforeAgent',
};

/**
 * The prompt in what a host has written.
 *
 * @param whole whether nothing more will come
 * @returns undefined if that is not whole yet
 * @throws {NoPrompt} if there is no prompt in it
 */
export function promptIn(text: string, format: HookFormat, whole: boolean): string | undefined {
  if (format === 'plain') return whole ? text : undefined;
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
  const prompt: unknown = typeof value === 'object' && value !== null && 'prompt' in value ? value.prompt : undefined;
  if (typeof prompt !== 'string') throw new NoPrompt('NO_PROMPT');
  return prompt;
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
