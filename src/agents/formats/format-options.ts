import type { KeywordHit, SemanticHit } from '../../result.js';
import type { Skill } from '../../skill.js';

/**
 * How skills are written for a model:
 *
 * - `available-skills`: the XML of the Agent Skills specification
 * - `list`: one line of Markdown a skill
 * - `anthropic-tool-references`: a `tool_result` with references to deferred tools, for the Messages API of Anthropic
 * - `openai-tool-search-output`: the answer to a `tool_search_call`, for the Responses API of OpenAI
 * - `json`: id, name, description and location of each skill
 */
export const SKILL_FORMATS = [
  'available-skills',
  'list',
  'anthropic-tool-references',
  'openai-tool-search-output',
  'json',
] as const;
export type SkillFormat = (typeof SKILL_FORMATS)[number];

/** What is written of a skill. */
export type FormattableSkill = Pick<Skill, 'id' | 'name' | 'description'> &
  Partial<Pick<Skill, 'skillUrl' | 'codehostUrl' | 'localPath'>>;

/** A skill, or a hit of a search. */
export type SkillOrHit = FormattableSkill | Pick<KeywordHit, 'skill'> | Pick<SemanticHit, 'skill'>;

/** Options of `formatSkills`. */
export interface FormatOptions<Format extends SkillFormat = SkillFormat> {
  readonly format: Format;
  /** Most tokens of the text, by `countTokens`; an integer from 0. @default no limit */
  readonly maxTokens?: number | undefined;
  /** Of the two blocks for model APIs: the id of the call that they answer. Left out of the block by default. */
  readonly callId?: string | undefined;
  /**
   * Where the agent finds a skill. By default `SKILL.md` in its `localPath`, else its URL, else its id.
   */
  readonly location?: ((skill: FormattableSkill) => string) | undefined;
}

/** A block that the Messages API of Anthropic takes in a message of the user. */
export interface AnthropicToolResult {
  readonly type: 'tool_result';
  readonly tool_use_id?: string;
  readonly content: readonly { readonly type: 'tool_reference'; readonly tool_name: string }[];
}

/** A function as the Responses API of OpenAI takes it. */
export interface OpenaiFunction {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly strict: boolean;
  readonly defer_loading: true;
}

/** An item of the input of the Responses API of OpenAI. */
export interface OpenaiToolSearchOutput {
  readonly type: 'tool_search_output';
  readonly call_id?: string;
  readonly execution: 'client';
  readonly status: 'completed';
  readonly tools: readonly OpenaiFunction[];
}

/** The value of the format `json`. */
export interface JsonSkills {
  readonly skills: readonly {
    readonly id: string;
    readonly name: string;
    readonly description?: string;
    readonly location: string;
  }[];
  readonly leftOut: number;
}

/** The value of each format that is JSON. */
export interface FormatValues {
  readonly 'available-skills': undefined;
  readonly list: undefined;
  readonly 'anthropic-tool-references': AnthropicToolResult;
  readonly 'openai-tool-search-output': OpenaiToolSearchOutput;
  readonly json: JsonSkills;
}

/** What `formatSkills` returns. */
export interface FormattedSkills<Format extends SkillFormat = SkillFormat> {
  /** Empty if nothing fits. */
  readonly text: string;
  /** Of the formats that are JSON: the value of the text. Undefined if nothing fits. */
  readonly value: FormatValues[Format] | undefined;
  /** Number of skills in the text: the first ones. */
  readonly shown: number;
  /** Number of skills that did not fit. */
  readonly leftOut: number;
  /** `countTokens` of the text. */
  readonly tokens: number;
}
