import { HOOK_LIMITS } from '../../core/index.js';

/** A command of the host (`/clear`, `!ls`), not a prompt: whoever types it knows what is meant. */
const COMMAND = /^(\/[a-z][\w:-]*(\s|$)|!\S)/;

/** Blocks of code as Markdown has them, also one without an end. */
const BLOCKS = /(```|~~~)[\s\S]*?(\1|$)/g;

/** What a prompt says in words, as far as it is looked at; empty for a command of the host. */
export function proseOf(prompt: string): string {
  const beginning = prompt.slice(0, HOOK_LIMITS.promptLength).trim();
  return COMMAND.test(beginning) ? '' : beginning.replace(BLOCKS, ' ').trim();
}
