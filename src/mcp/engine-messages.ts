import type { McpOptions } from './engine.js';

/** What a thread of `mcp` is started with. */
export interface EngineData {
  readonly database: string;
  readonly cache?: string | undefined;
  readonly passwordFile?: string | undefined;
  readonly model: string | undefined;
  readonly stopWords: readonly string[] | undefined;
  readonly options: Pick<McpOptions, 'meaning' | 'withoutMeaning'>;
}

/** A method of the engine, or `warmUp`, which loads the model. */
export type EngineMethod =
  | 'callTool'
  | 'listSkills'
  | 'listResources'
  | 'getSkill'
  | 'readFile'
  | 'readDirectory'
  | 'warmUp';

/** To the thread. */
export type EngineRequest =
  | { readonly kind: 'call'; readonly id: number; readonly method: EngineMethod; readonly args: readonly unknown[] }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'close' };

/** From the thread. */
export type EngineReply =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  /** With a code: a fault of the protocol. */
  | { readonly kind: 'failure'; readonly id: number; readonly code: number | undefined; readonly message: string }
  /** Other skills may be listed now. */
  | { readonly kind: 'changed' }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warn' | 'error';
      readonly message: string;
      readonly facts: Readonly<Record<string, unknown>>;
    };
