import type { SkillSearch, SkillSearchError } from '../../index.js';
import type { PublishedSkills } from '../skills/published-skills.js';

/** A JSON Schema, as `tools/list` gives it. */
export interface JsonSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** What a call of a tool works with. */
export interface ToolContext {
  readonly search: SkillSearch;
  readonly published: PublishedSkills;
  /** Whether the caller may search by meaning. */
  readonly meaning: boolean;
  /** Said where it may not. */
  readonly withoutMeaning: string;
  /** Seconds that a search may wait for others; 0 for no limit. */
  readonly longestWait: number;
  /** What the caller is told of an error. */
  readonly tellError: (error: SkillSearchError) => SkillSearchError;
  /** Aborted when the caller cancels. */
  readonly signal: AbortSignal;
}

export interface ToolAnswer {
  readonly text: string;
  /** Fits the tool's output schema. */
  readonly structured: Readonly<Record<string, unknown>>;
  /** Resources that the answer names. */
  readonly links?: readonly { readonly uri: string; readonly name: string; readonly mimeType: string }[];
}

/** A tool that a model may call. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  /**
   * @throws {ToolFault} if the caller can do something about it
   */
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolAnswer>;
}

/** A call that fails, with what to do next. */
export class ToolFault extends Error {
  override readonly name = 'ToolFault' as const;
}
