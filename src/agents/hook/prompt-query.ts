import { MAX_SEMANTIC_QUERY_LENGTH, requestIn } from '../../core/index.js';

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
  readonly agent?: string | undefined;
  /** The agent that reads the answer. */
  readonly host?: string | undefined;
}

/** What a running server is asked. */
export interface AskedPrompt extends PromptQuery {
  /** Milliseconds that its answer is waited for. */
  readonly patience: number;
}

/** A skill as the host is told of it. */
export interface FoundSkill {
  readonly id: string;
  /** As the tool of the host that loads skills knows it; else its own. */
  readonly name: string;
  readonly description: string;
  /** Path of its SKILL.md on this machine, else its address, else its id. */
  readonly location: string;
  /** Whether the host has it, so that its tool can load it. */
  readonly installed?: boolean | undefined;
  /** Whether the prompt names it. */
  readonly named?: boolean | undefined;
}

/** What is found for a prompt. JSON can carry it. */
export interface PromptAnswer {
  /** The best first, those that the prompt names before all others. */
  readonly skills: readonly FoundSkill[];
  /** One that is less likely to fit; only where there are no others. */
  readonly perhaps?: FoundSkill | undefined;
  /** Of the question, packed for the log of use, with the name of its model; absent where it was read by words. */
  readonly vector?: string | undefined;
  readonly model?: string | undefined;
}

/** A command of the host (`/clear`, `!ls`), not a prompt: whoever types it knows what is meant. */
const COMMAND = /^(\/[a-z][\w:-]*(\s|$)|!\S)/;

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

/** What a prompt asks, as a search takes it; undefined if there is nothing to look skills up for. */
export function questionOf(prompt: string): string | undefined {
  const text = requestIn(proseOf(prompt), MAX_SEMANTIC_QUERY_LENGTH);
  return /[\p{L}\p{N}]/u.test(text) ? text : undefined;
}

/** The work took too long. */
export class TimeLimit extends Error {
  override readonly name = 'TimeLimit' as const;
  readonly code = 'TIME_LIMIT' as const;
}
