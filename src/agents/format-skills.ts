import { checkChoice, checkInteger, checkOptions, checkText, namesOf, optionOf } from '../check-arguments.js';
import { UNKNOWN } from '../skill.js';
import { cleanField } from './clean-field.js';
import { sizeOfTokens, tokensOfSize } from './count-tokens.js';
import {
  type FormatOptions,
  type FormattableSkill,
  type FormattedSkills,
  type FormatValues,
  SKILL_FORMATS,
  type SkillFormat,
  type SkillOrHit,
} from './format-options.js';
import { AVAILABLE_SKILLS, anthropicLayout, JSON_SKILLS, type Layout, LIST, openaiLayout } from './layouts.js';
import { sentencesIn } from './sentences.js';
import { textSize } from './text-size.js';

const NAMES = namesOf<FormatOptions>({ format: true, maxTokens: true, callId: true, location: true });

const LAYOUTS: Readonly<Record<SkillFormat, (callId: string | undefined) => Layout>> = {
  'available-skills': () => AVAILABLE_SKILLS,
  list: () => LIST,
  'anthropic-tool-references': anthropicLayout,
  'openai-tool-search-output': openaiLayout,
  json: () => JSON_SKILLS,
};

/** Stands behind a description that was cut. */
const CUT = ' …';

/**
 * Writes skills for a language model, within a budget of tokens. First come the names, of as many skills as fit; then
 * each gets the first sentence of its description, in order, then each its second, and so on. A sentence that does not
 * fit ends its description. The text of skills is from strangers: it is made one line and escaped for its field, so
 * that it changes nothing around it.
 *
 * @param skills skills or hits, the most useful first
 * @throws {SkillSearchError} `INVALID_OPTION`; `MODEL_NOT_FOUND` as `countTokens`
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
  const layout = LAYOUTS[format](options.callId);
  const locationOf = options.location ?? usualLocation;
  const entries = skills.map((one) => toEntry('skill' in one ? one.skill : one, layout, locationOf));
  const budget = maxTokens === undefined ? Number.POSITIVE_INFINITY : sizeOfTokens(maxTokens);
  const { text, shown } = compose(entries, layout, budget);
  const value = layout.isJson && text !== '' ? (JSON.parse(text) as FormatValues[Format]) : undefined;
  return { text, value, shown, leftOut: skills.length - shown, tokens: tokensOfSize(textSize(text)) };
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
  const [before, behind] = layout.around(skill, cleanField(locationOf(skill)));
  const description = layout.description === undefined ? '' : cleanField(skill.description);
  return { before, behind, description, size: textSize(before) + textSize(behind) };
}

function compose(entries: readonly Entry[], layout: Layout, budget: number): { text: string; shown: number } {
  const [shown, spent] = countOfNames(entries, layout, budget);
  if (shown === 0) {
    const text = layout.nothing(entries.length);
    return { text: textSize(text) <= budget ? text : '', shown };
  }
  const first = entries.slice(0, shown);
  // A second sentence is worth less than another name.
  const mostSentences = shown < entries.length ? 1 : Number.POSITIVE_INFINITY;
  const descriptions = describe(first, layout, budget - spent, mostSentences);
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

/** The escaped descriptions of entries, as much of each as fits; empty for one of which nothing fits. */
function describe(entries: readonly Entry[], layout: Layout, budget: number, mostSentences: number): string[] {
  const { description, longest } = layout;
  if (description === undefined) return entries.map(() => '');
  const around = textSize(description[0]) + textSize(description[1]);
  const whole = entries.map((entry) =>
    entry.description.length > longest ? undefined : layout.escape(entry.description),
  );
  const sizes = whole.map((text) => (text === undefined ? Number.POSITIVE_INFINITY : textSize(text) + around));
  const isWhole = (text: string | undefined): text is string => text !== undefined;
  if (mostSentences > 1 && whole.every(isWhole) && sum(sizes) <= budget) return whole;
  return bySentences(entries, layout, around, budget, mostSentences);
}

/** A description that grows by sentences. */
interface Growing {
  readonly sentences: readonly string[];
  /** How many of the sentences are in. */
  taken: number;
  /** Size of these, escaped. */
  size: number;
  /** Number of their characters, not escaped. */
  length: number;
  /** Whether no further sentence fits. */
  ended: boolean;
}

function bySentences(
  entries: readonly Entry[],
  layout: Layout,
  around: number,
  budget: number,
  mostSentences: number,
): string[] {
  const { longest } = layout;
  const cut = textSize(CUT);
  const growing = entries.map(({ description }): Growing => {
    const sentences = description === '' ? [] : sentencesIn(description);
    return { sentences, taken: 0, size: 0, length: 0, ended: sentences.length === 0 };
  });
  /** What a description takes with its surroundings, and the mark of a cut unless all is in. */
  const sizeWith = (one: Growing, taken: number, size: number): number =>
    taken === 0 ? 0 : around + size + (taken < one.sentences.length ? cut : 0);
  let left = budget;
  let open = growing.length;
  while (open > 0) {
    open = 0;
    for (const one of growing) {
      if (one.ended) continue;
      const sentence = one.sentences[one.taken]!;
      const size = one.size + textSize(layout.escape(sentence));
      const length = one.length + sentence.length;
      const more = sizeWith(one, one.taken + 1, size) - sizeWith(one, one.taken, one.size);
      const isLast = one.taken + 1 === one.sentences.length;
      if (more > left || length + (isLast ? 0 : CUT.length) > longest) {
        one.ended = true;
        continue;
      }
      left -= more;
      one.taken += 1;
      one.size = size;
      one.length = length;
      one.ended = isLast || one.taken === mostSentences;
      if (!one.ended) open++;
    }
  }
  return growing.map(({ sentences, taken }) => {
    const text = layout.escape(sentences.slice(0, taken).join('')).trimEnd();
    return taken === 0 || taken === sentences.length ? text : text + CUT;
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
