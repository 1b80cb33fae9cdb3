import { isObject } from '../../core/index.js';

/** How skills may be looked up: by words alone, by meaning and words, or by meaning where that is to be had. */
export const HOOK_MODES = ['auto', 'words', 'meaning'] as const;
export type HookMode = (typeof HOOK_MODES)[number];

/** What is asked for. JSON can carry it. */
export interface PromptQuery {
  readonly prompt: string;
  readonly mode: HookMode;
  /** Number of skills at most. */
  readonly limit: number;
  /** Only skills that this agent has. */
  readonly agent?: string;
}

/** @returns undefined if a value from another process is no such query */
export function promptQueryIn(value: unknown): PromptQuery | undefined {
  if (!isObject(value)) return undefined;
  const { prompt, mode, limit, agent } = value;
  const known = HOOK_MODES.find((one) => one === mode);
  if (typeof prompt !== 'string' || known === undefined || typeof limit !== 'number') return undefined;
  if (agent !== undefined && typeof agent !== 'string') return undefined;
  return { prompt, mode: known, limit, ...(agent !== undefined && { agent }) };
}

/** A skill as the host is told of it. */
export interface FoundSkill {
  readonly name: string;
  readonly description: string;
  /** Path of its SKILL.md on this machine, else its address, else its id. */
  readonly location: string;
}

/** @returns undefined if a value from another process is no list of skills */
export function foundIn(value: unknown): readonly FoundSkill[] | undefined {
  return Array.isArray(value) && value.every(isFound) ? value : undefined;
}

function isFound(value: unknown): value is FoundSkill {
  if (!isObject(value)) return false;
  const { name, description, location } = value;
  return typeof name === 'string' && typeof description === 'string' && typeof location === 'string';
}

/** A command of the host (`/clear`, `!ls`), not a prompt: whoever types it knows what is meant. */
const COMMAND = /^(\/[a-z][\w:-]*(\s|$)|!\S)/;

/** The skill that is called by a command such as `/pdf` or `/document-skills:pdf`, if it is one. */
export function calledIn(prompt: string): string | undefined {
  return /^\s*\/([a-z][\w:-]*)(?:\s|$)/.exec(prompt)?.[1];
}

/** Blocks of code as Markdown has them, also one without an end. */
const BLOCKS = /(```|~~~)[\s\S]*?(\1|$)/g;

/** What a host or a tool puts into a prompt beside what the user has written. */
const ASIDES = /<(system-reminder|ide_\w+)\b[\s\S]*?(?:<\/\1>|$)|^\s*\[Request interrupted by user[^\]]*\]/g;

/** How prompts begin that a host has written by itself: reports of tasks and agents, commands and what they print. */
const OF_MACHINE =
  /^(?:<(?:task-notification|command-\w+|local-command-\w+|bash-\w+|teammate-message|environment_context|subagent_notification|turn_aborted)\b|Caveat: The messages below)/;

/** What a prompt says in words; empty for a command or a message of the host. */
export function proseOf(prompt: string): string {
  const said = prompt.replace(ASIDES, ' ').trim();
  return COMMAND.test(said) || OF_MACHINE.test(said) ? '' : said.replace(BLOCKS, ' ').trim();
}

/** The work took too long. */
export class TimeLimit extends Error {
  override readonly name = 'TimeLimit' as const;
  readonly code = 'TIME_LIMIT' as const;
}
