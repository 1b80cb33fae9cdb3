import { createHash } from 'node:crypto';
import {
  checkChoice,
  checkInteger,
  checkListener,
  checkOptions,
  checkText,
  cleanLine,
  invalidArgument,
  MAX_DESCRIPTION,
  namesOf,
  optionOf,
  parameterOf,
} from '../../core/index.js';
import { UNKNOWN } from '../../skill.js';
import {
  type FormatOptions,
  type FormattableSkill,
  type FormattedSkills,
  type FormatValues,
  SKILL_FORMATS,
  type SkillFormat,
  type SkillOrHit,
} from './format-options.js';
import { PIECE, sizeOfTokens, textSize, tokensOfSize } from './text-size.js';

const NAMES = namesOf<FormatOptions>({ format: true, maxTokens: true, callId: true, location: true });

const LAYOUTS: Readonly<Record<SkillFormat, (callId: string | undefined) => Layout>> = {
  'available-skills': () => AVAILABLE_SKILLS,
  list: () => LIST,
  'anthropic-tool-references': anthropicLayout,
  'openai-tool-search-output': openaiLayout,
  json: () => JSON_SKILLS,
};

/**
 * Writes skills for a language model, within a budget of tokens. First come the names, of as many skills as fit; then
 * each gets an equal share of what is left for its description, which is cut at a word where it is longer. The text of
 * skills is from strangers: it is made one line and escaped for its field, so that it changes nothing around it.
 *
 * @param skills skills or hits, the most useful first
 * @throws {SkillSearchError} `INVALID_PARAMETER` unless the skills are an array of skills or hits; `INVALID_OPTION`;
 *   `MODEL_NOT_FOUND` as `countTokens`
 * @example
 * const { hits } = search.keyword({ q: 'pdf' });
 * const { text, leftOut } = formatSkills(hits, { format: 'available-skills', maxTokens: 500 });
 */
export function formatSkills<Format extends SkillFormat>(
  skills: readonly SkillOrHit[],
  options: FormatOptions<Format>,
): FormattedSkills<Format> {
  checkOptions(options, NAMES);
  const format = checkChoice(optionOf('format'), options.format ?? '', SKILL_FORMATS)!;
  const maxTokens = checkInteger(optionOf('maxTokens'), options.maxTokens, 0, Number.MAX_SAFE_INTEGER);
  checkText('callId', options.callId);
  checkListener('location', options.location);
  if (!Array.isArray(skills)) throw invalidArgument(parameterOf('skills'), 'an array of skills or hits', skills);
  const layout = LAYOUTS[format](options.callId);
  const locationOf = options.location ?? usualLocation;
  // Not map(), which leaves out holes.
  const entries = Array.from(skills, (one, i) => toEntry(checkSkill(one, i), layout, locationOf));
  const budget = maxTokens === undefined ? Number.POSITIVE_INFINITY : sizeOfTokens(maxTokens);
  const { text, shown } = compose(entries, layout, budget);
  const value = layout.isJson && text !== '' ? (JSON.parse(text) as FormatValues[Format]) : undefined;
  return { text, value, shown, leftOut: skills.length - shown, tokens: tokensOfSize(textSize(text)) };
}

/** @returns the skill, or that of the hit */
function checkSkill(one: unknown, index: number): FormattableSkill {
  let name = `skills[${index}]`;
  let skill = one;
  if (typeof one === 'object' && one !== null && 'skill' in one) {
    name += '.skill';
    skill = one.skill;
  }
  if (typeof skill !== 'object' || skill === null) {
    throw invalidArgument(parameterOf(name), 'a skill or a hit', skill);
  }
  for (const field of ['id', 'name', 'description', 'localPath', 'skillUrl', 'codehostUrl'] as const) {
    const value: unknown = (skill as Partial<FormattableSkill>)[field];
    const isOptional = field.endsWith('Path') || field.endsWith('Url');
    if (typeof value === 'string' || (isOptional && value === undefined)) continue;
    const expected = isOptional ? 'a string or left out' : 'a string';
    throw invalidArgument(parameterOf(`${name}.${field}`), expected, value);
  }
  return skill as FormattableSkill;
}

function usualLocation({ id, localPath, skillUrl, codehostUrl }: FormattableSkill): string {
  if (localPath !== undefined) return `${localPath}/SKILL.md`;
  return [skillUrl, codehostUrl].find((url) => url !== undefined && url !== UNKNOWN) ?? id;
}

/** A skill on its way into the text. */
interface Entry {
  readonly before: string;
  readonly behind: string;
  readonly description: string;
  /** Size without the description. */
  readonly size: number;
}

function toEntry(skill: FormattableSkill, layout: Layout, locationOf: (skill: FormattableSkill) => string): Entry {
  const location: unknown = locationOf(skill);
  if (typeof location !== 'string') {
    throw invalidArgument(optionOf('location'), `a function that gives a string, for skill ${skill.id}`, location);
  }
  const [before, behind] = layout.around(skill, cleanLine(location));
  const description = layout.description === undefined ? '' : cleanLine(skill.description);
  return { before, behind, description, size: textSize(before) + textSize(behind) };
}

function compose(entries: readonly Entry[], layout: Layout, budget: number): { text: string; shown: number } {
  const [shown, spent] = countOfNames(entries, layout, budget);
  if (shown === 0) {
    const text = layout.nothing(entries.length);
    return { text: textSize(text) <= budget ? text : '', shown };
  }
  const first = entries.slice(0, shown);
  const descriptions = describeSkills(
    first.map(({ description }) => description),
    layout,
    budget - spent,
  );
  const [open, close] = layout.description ?? ['', ''];
  const texts = first.map(({ before, behind }, i) => {
    const description = descriptions[i]!;
    return before + (description === '' ? '' : open + description + close) + behind;
  });
  const end = layout.leftOut(entries.length - shown, shown) + layout.tail;
  return { text: layout.head + texts.join(layout.separator) + end, shown };
}

/** How many skills fit with their names alone, and the size of that. */
function countOfNames(entries: readonly Entry[], layout: Layout, budget: number): [shown: number, size: number] {
  const separator = textSize(layout.separator);
  let size = textSize(layout.head) + textSize(layout.tail);
  let best: [number, number] = [0, 0];
  for (const [i, entry] of entries.entries()) {
    size += entry.size + (i === 0 ? 0 : separator);
    if (size > budget) break;
    const whole = size + textSize(layout.leftOut(entries.length - i - 1, i + 1));
    if (whole <= budget) best = [i + 1, whole];
  }
  return best;
}

/** Stands behind a description that was cut. */
const CUT = ' …';

/** So much of a description is worth showing, as a `textSize`. With less for each, the first skills get it. */
const WORTH_SHOWING = 8 * PIECE;

/**
 * As much as fits of the descriptions of skills, escaped: each gets an equal share, of which short ones leave some to
 * the others.
 *
 * @param descriptions clean texts, not escaped
 * @param budget for the descriptions with what the layout puts around them, as a `textSize`
 * @returns as many texts; empty for one of which nothing fits
 */
function describeSkills(descriptions: readonly string[], layout: Layout, budget: number): string[] {
  const { description: marks, longest } = layout;
  const texts = descriptions.map(() => '');
  if (marks === undefined) return texts;
  const sizeOf = (text: string): number => textSize(marks[0]) + textSize(marks[1]) + textSize(text);
  const worth = sizeOf(CUT) + WORTH_SHOWING;
  const shown: { readonly at: number; readonly text: string; readonly size: number }[] = [];
  let needed = 0;
  for (const [at, text] of descriptions.entries()) {
    if (text === '') continue;
    const size = sizeOf(layout.escape(text));
    needed += Math.min(size, worth);
    if (needed > budget && shown.length > 0) break;
    shown.push({ at, text, size });
  }
  let left = budget;
  for (const [i, { at, text, size }] of shown.toSorted((a, b) => a.size - b.size).entries()) {
    const share = left / (shown.length - i);
    const fits = (part: string): boolean =>
      part !== '' && part.length + CUT.length <= longest && sizeOf(layout.escape(part) + CUT) <= share;
    const isWhole = size <= share && text.length <= longest;
    const part = isWhole ? text : cutAtWord(text, fits);
    if (part === '') continue;
    texts[at] = layout.escape(part) + (isWhole ? '' : CUT);
    left -= sizeOf(texts[at]!);
  }
  return texts;
}

/** Longer words are cut like scripts without blanks: addresses, or encoded data. In characters. */
const LONGEST_WORD = 40;

/** Code units that are looked at first: most of a long text may be far from fitting. */
const FIRST_LOOK = 64;

/** A blank, or a character of a script that writes words without blanks between them. */
const BREAK =
  /[\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

let segmenter: Intl.Segmenter | undefined;

/**
 * The longest beginning of a text that fits and ends with a word, or with a character where no word ends nearby; empty
 * if none fits. Never the whole text, never half a character.
 *
 * @param fits asked for some 20 beginnings, without blanks at their end; says yes to what is shorter than what fits
 */
function cutAtWord(text: string, fits: (beginning: string) => boolean): string {
  // Finding the cut of a far longer text would take seconds.
  let [low, high] = [0, Math.min(text.length, MAX_DESCRIPTION)];
  while (low + 1 < high) {
    const middle = Math.min((low + high) >> 1, 2 * low + FIRST_LOOK);
    if (fits(text.slice(0, middle).trimEnd())) low = middle;
    else high = middle;
  }
  let end = low;
  for (let at = low; at > Math.max(0, low - LONGEST_WORD); at--) {
    if (!BREAK.test(text.slice(at - 1, at + 1))) continue;
    end = at;
    break;
  }
  segmenter ??= new Intl.Segmenter();
  const whole = segmenter.segment(text.slice(0, MAX_DESCRIPTION)).containing(end)?.index ?? 0;
  const beginning = text.slice(0, whole).trimEnd();
  return fits(beginning) ? beginning : '';
}

/**
 * How a format is put together. Every part begins and ends with a sign or white space that no field begins or ends
 * with, so that the size of the whole is the sum of the sizes of its parts (see `textSize`).
 */
interface Layout {
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

const AS_TEXT = { separator: '\n', isJson: false, longest: Number.POSITIVE_INFINITY };

const AVAILABLE_SKILLS: Layout = {
  head: '<available_skills>\n',
  tail: '\n</available_skills>',
  leftOut: (count) => (count === 0 ? '' : `\n<!-- ${left(count)} -->`),
  nothing: (count) => (count === 0 ? '' : `<!-- ${left(count)} -->`),
  around: ({ name }, location) => [
    `<skill><name>${escapeXml(cleanLine(name))}</name>`,
    `<location>${escapeXml(location)}</location></skill>`,
  ],
  description: ['<description>', '</description>'],
  escape: escapeXml,
  ...AS_TEXT,
};

const LIST: Layout = {
  head: '',
  tail: '',
  leftOut: (count) => (count === 0 ? '' : `\n(${left(count)})`),
  nothing: (count) => (count === 0 ? '' : `(${left(count)})`),
  around: ({ name }, location) => [`- **${escapeMarkdown(cleanLine(name))}** (${escapeMarkdown(location)})`, ''],
  description: [': ', ''],
  escape: escapeMarkdown,
  ...AS_TEXT,
};

const JSON_SKILLS: Layout = {
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
function anthropicLayout(callId: string | undefined): Layout {
  const id = callId === undefined ? '' : `,"tool_use_id":"${escapeJson(callId)}"`;
  return {
    ...blockOf(`{"type":"tool_result"${id},"content":[`),
    around: (skill) => [`{"type":"tool_reference","tool_name":"${toolNameOf(skill)}"}`, ''],
    description: undefined,
    longest: 0,
  };
}

/** A `tool_search_output` of the Responses API. */
function openaiLayout(callId: string | undefined): Layout {
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

/** Escapes a text for the content of an XML element. */
function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes a text for a line of a Markdown list: no emphasis, code, link or tag of it reaches what stands behind. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*[\]<>~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');
}

/** Escapes a text for the inside of a JSON string. */
function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A name of a tool that both model APIs take, and that no other id is hashed to. */
const TOOL_NAME = /^(?!.*-[0-9a-f]{12}$)[a-zA-Z0-9_-]{1,64}$/;

/**
 * The name of the tool that stands for a skill in a model API: the skill's id where that can be a tool's name (letters,
 * digits, `_` and `-`, at most 64), else its beginning and twelve digits of its hash (SHA-256). The same for the same
 * id, always.
 *
 * @throws {SkillSearchError} `INVALID_PARAMETER` unless the skill has an id that is a string
 * @example
 * toolNameOf({ id: 'acme-tools-pdf.forms' }); // 'acme-tools-pdf_forms-' and twelve digits
 */
export function toolNameOf(skill: { readonly id: string }): string {
  const id: unknown = (skill as { readonly id: string } | null | undefined)?.id;
  if (typeof id !== 'string') throw invalidArgument(parameterOf('id'), 'a string', id);
  if (TOOL_NAME.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 12);
  return `${id.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 51)}-${hash}`;
}
