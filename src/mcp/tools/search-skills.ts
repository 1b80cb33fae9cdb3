import { cleanLine, giveWay, MAX_TOOL_TOKENS, MIN_TOOL_TOKENS } from '../../core/index.js';
import type { Skill } from '../../index.js';
import { SKILL_SCOPES } from '../../skill.js';
import { Arguments } from './arguments.js';
import { type Found, findHits, WAYS } from './find-hits.js';
import { addressOf, type SkillAddress } from './find-skill.js';
import { type FittedHit, fitHits } from './fit-hits.js';
import { THIRD_PARTY } from './quoted.js';
import { SKILL_FIELDS } from './schemas.js';
import { factsOf } from './skill-facts.js';
import type { JsonSchema, Tool, ToolAnswer } from './tool.js';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;

const INPUT: JsonSchema = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      description:
        'What is to be done, in a sentence or a few words: "fill in a PDF form". Of a text over 2,000 characters the first and last thousand count. Words in "double quotes" must stand together, with by: words.',
    },
    by: {
      type: 'string',
      enum: WAYS,
      description:
        'both: meaning and words, for a task in plain language (the default). words: skills that have the words, for names and exact terms. meaning: meaning alone.',
    },
    category: { type: 'string', description: 'Only skills of this category: a slug of list_categories.' },
    occupation: { type: 'string', description: 'Only skills of this occupation: a slug of list_categories.' },
    author: { type: 'string', description: 'Only skills of this user name.' },
    license: { type: 'string', description: 'Only skills that state this license: MIT.' },
    min_stars: { type: 'integer', minimum: 0, description: 'Only skills with as many stars or more.' },
    updated_after: { type: 'string', description: 'Only skills updated on this day or later: 2026-01-31.' },
    agent: { type: 'string', description: 'Only skills installed for this agent: claude-code.' },
    scope: {
      type: 'string',
      enum: SKILL_SCOPES,
      description: 'Only skills installed for a project, the user, a plugin, or all users (system).',
    },
    invocable: {
      type: 'boolean',
      description: 'False: only skills that their authors leave to users to call. True by default.',
    },
    limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: 'Skills to show. 10 by default.' },
    max_tokens: {
      type: 'integer',
      minimum: MIN_TOOL_TOKENS,
      maximum: MAX_TOOL_TOKENS,
      description:
        'Tokens that the answer may take: descriptions are cut, then skills are left out. 300 or more show something.',
    },
  },
  required: ['query'],
  additionalProperties: false,
};

const OUTPUT: JsonSchema = {
  type: 'object',
  properties: {
    by: { type: 'string', enum: WAYS, description: 'How was searched. words where meaning is not available.' },
    confident: {
      type: 'boolean',
      description: 'False: nothing in the catalogue fits well, do not use a hit only because it is first.',
    },
    total: { type: 'integer', description: 'With by: words, the number of all skills that match.' },
    skills: {
      type: 'array',
      items: {
        type: 'object',
        properties: { ...SKILL_FIELDS, score: { type: 'number', description: '0 to 1.' } },
        required: ['id', 'uri', 'name', 'author', 'description', 'complete'],
      },
    },
    omitted: { type: 'integer', description: 'Skills that were found and did not fit into max_tokens.' },
    notice: { type: 'string' },
  },
  required: ['by', 'confident', 'skills', 'omitted', 'notice'],
};

export const SEARCH_SKILLS: Tool = {
  name: 'search_skills',
  title: 'Search skills',
  description:
    'Finds agent skills (folders with a SKILL.md of instructions for a task) in a catalogue, best first. Use it before a task that a ready-made skill may help with. Then call get_skill with the uri of a hit to read it.',
  inputSchema: INPUT,
  outputSchema: OUTPUT,

  async run(args, context) {
    const given = new Arguments(args, INPUT);
    const question = {
      query: given.text('query', '"fill in a PDF form"'),
      by: given.choice('by', WAYS) ?? 'both',
      filters: {
        category: given.optionalText('category'),
        occupation: given.optionalText('occupation'),
        author: given.optionalText('author'),
        license: given.optionalText('license'),
        minStars: given.integer('min_stars', 0, Number.MAX_SAFE_INTEGER),
        updatedAfter: given.optionalText('updated_after'),
        agent: given.optionalText('agent'),
        scope: given.choice('scope', SKILL_SCOPES),
        invocable: given.choice('invocable', [true, false]) ?? true,
      },
      limit: given.integer('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT,
    };
    const maxTokens = given.integer('max_tokens', MIN_TOOL_TOKENS, MAX_TOOL_TOKENS);
    const found = await findHits(question, context);
    const hits: AddressedHit[] = [];
    for (const { skill, score } of found.hits) {
      hits.push({ skill, score, ...addressOf(context, skill) });
      await giveWay(context.signal);
    }
    return maxTokens === undefined
      ? answerOf(found, hits, await fitHits(hits, undefined), false)
      : answerWithin(found, hits, maxTokens);
  },
};

interface AddressedHit extends SkillAddress {
  readonly skill: Skill;
  readonly score: number | undefined;
}

/** Pieces of the bisection: the list gets all but a hundredth of what it may have. */
const STEPS = 7;

/**
 * Shows as much as lets both the text and the structured content fit: a host may show the model either. What is around
 * the list takes tokens as well, so the budget of the list is found by bisection.
 */
async function answerWithin(found: Found, hits: readonly AddressedHit[], maxTokens: number): Promise<ToolAnswer> {
  const { countTokens } = await import('../../agents/formats/count-tokens.js');
  // The sizes of words are kept, so that counting what has them again takes a fraction of the time.
  for (const { skill } of hits) {
    countTokens(skill.description);
    await giveWay();
  }
  const within = async (budget: number): Promise<ToolAnswer | undefined> => {
    const answer = answerOf(found, hits, await fitHits(hits, budget), true);
    for (const text of [answer.text, JSON.stringify(answer.structured)]) {
      await giveWay();
      if (countTokens(text) > maxTokens) return undefined;
    }
    return answer;
  };
  const whole = await within(maxTokens);
  if (whole !== undefined) return whole;
  // What is said without any skill is said in any case.
  let best = answerOf(found, hits, [], true);
  for (let step = 0, low = 0, high = maxTokens; step < STEPS; step++) {
    const middle = Math.floor((low + high) / 2);
    const answer = await within(middle);
    if (answer === undefined) high = middle;
    else [low, best] = [middle, answer];
  }
  return best;
}

/** @param brief leaves out what get_skill tells as well */
function answerOf(
  { by, confident, total, remarks: found }: Found,
  hits: readonly AddressedHit[],
  fitted: readonly FittedHit[],
  brief: boolean,
): ToolAnswer {
  const omitted = hits.length - fitted.length;
  const remarks = [...found];
  if (omitted > 0) remarks.push(`${omitted} more were found and did not fit into max_tokens.`);
  if (hits.length > 0) remarks.push(THIRD_PARTY);
  const notice = remarks.join(' ');
  const skills = fitted.map(({ description }, i) => {
    const { skill, score, id, uri, complete } = hits[i]!;
    if (brief) return { id, uri, name: cleanLine(skill.name), author: cleanLine(skill.author), description, complete };
    return { id, uri, ...factsOf(skill), complete, ...(score === undefined ? {} : { score }) };
  });
  return {
    text: [notice, ...fitted.map(({ line }) => line)].join('\n'),
    structured: { by, confident, ...(total === undefined ? {} : { total }), skills, omitted, notice },
  };
}
