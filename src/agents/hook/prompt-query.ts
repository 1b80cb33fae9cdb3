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
