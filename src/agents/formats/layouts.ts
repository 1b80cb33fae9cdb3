import { cleanLine } from '../../core/index.js';
import { escapeJson, escapeMarkdown, escapeXml } from './escapes.js';
import type { FormattableSkill } from './format-options.js';
import { toolNameOf } from './tool-name.js';

/**
 * How a format is put together. Every part begins and ends with a sign or white space that no field begins or ends
 * with, so that the size of the whole is the sum of the sizes of its parts (see `textSize`).
 */
export interface Layout {
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
  /** What says how many skills were left out, between the last skill and the tail; empty for none. */
  readonly leftOut: (count: number, shown: number) => string;
  /** What stands in place of all if no skill is shown. */
  readonly nothing: (leftOut: number) => string;
  /** What stands before and behind the description of a skill. */
  readonly around: (skill: FormattableSkill, location: string) => readonly [before: string, behind: string];
  /** What stands before and behind the text of a description; undefined for a format without descriptions. */
  readonly description: readonly [before: string, behind: string] | undefined;
  readonly escape: (text: string) => string;
  /** Whether the text is JSON. */
  readonly isJson: boolean;
  /** Longest description, in characters. */
  readonly longest: number;
}

const left = (count: number): string => `${count} ${count === 1 ? 'skill' : 'skills'} left out`;

export const AVAILABLE_SKILLS: Layout = {
  head: '<available_skills>\n',
  separator: '\n',
  tail: '\n</available_skills>',
  leftOut: (count) => (count === 0 ? '' : `\n<!-- ${left(count)} -->`),
  nothing: (count) => (count === 0 ? '' : `<!-- ${left(count)} -->`),
  around: ({ name }, location) => [
    `<skill><name>${escapeXml(cleanLine(name))}</name>`,
    `<location>${escapeXml(location)}</location></skill>`,
  ],
  description: ['<description>', '</description>'],
  escape: escapeXml,
  isJson: false,
  longest: Number.POSITIVE_INFINITY,
};

export const LIST: Layout = {
  head: '',
  separator: '\n',
  tail: '',
  leftOut: (count) => (count === 0 ? '' : `\n(${left(count)})`),
  nothing: (count) => (count === 0 ? '' : `(${left(count)})`),
  around: ({ name }, location) => [`- **${escapeMarkdown(cleanLine(name))}** (${escapeMarkdown(location)})`, ''],
  description: [': ', ''],
  escape: escapeMarkdown,
  isJson: false,
  longest: Number.POSITIVE_INFINITY,
};

export const JSON_SKILLS: Layout = {
  head: '{"skills":[',
  separator: ',',
  tail: '}',
  leftOut: (count) => `],"leftOut":${count}`,
  nothing: (count) => `{"skills":[],"leftOut":${count}}`,
  around: ({ id, name }, location) => [
    `{"id":"${escapeJson(cleanLine(id))}","name":"${escapeJson(cleanLine(name))}"`,
    `,"location":"${escapeJson(location)}"}`,
  ],
  description: [',"description":"', '"'],
  escape: escapeJson,
  isJson: true,
  longest: Number.POSITIVE_INFINITY,
};

/** What the blocks of the model APIs have in common: a list in JSON, with no place for what was left out. */
function blockOf(head: string): Omit<Layout, 'around' | 'description' | 'longest'> {
  const tail = ']}';
  return {
    head,
    separator: ',',
    tail,
    leftOut: () => '',
    nothing: () => head + tail,
    escape: escapeJson,
    isJson: true,
  };
}

/** A `tool_result` of the Messages API. */
export function anthropicLayout(callId: string | undefined): Layout {
  const id = callId === undefined ? '' : `,"tool_use_id":"${escapeJson(callId)}"`;
  return {
    ...blockOf(`{"type":"tool_result"${id},"content":[`),
    around: (skill) => [`{"type":"tool_reference","tool_name":"${toolNameOf(skill)}"}`, ''],
    description: undefined,
    longest: 0,
  };
}

/** A `tool_search_output` of the Responses API. */
export function openaiLayout(callId: string | undefined): Layout {
  const id = callId === undefined ? '' : `,"call_id":"${escapeJson(callId)}"`;
  return {
    ...blockOf(`{"type":"tool_search_output"${id},"execution":"client","status":"completed","tools":[`),
    around: (skill) => [
      `{"type":"function","name":"${toolNameOf(skill)}"`,
      ',"parameters":{"type":"object","properties":{},"required":[],"additionalProperties":false},"strict":true,"defer_loading":true}',
    ],
    description: [',"description":"', '"'],
    // The API refuses longer ones.
    longest: 1024,
  };
}
