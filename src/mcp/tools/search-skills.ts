import {
  cleanLine,
  countCodePoints,
  giveWay,
  isBusy,
  isWithoutMeaning,
  MAX_KEYWORD_QUERY_LENGTH,
  SkillSearchError,
} from '../../core/index.js';
import type { SkillFilters } from '../../filters.js';
import { SKILL_SCOPES, type Skill } from '../../skill.js';
import { skillUri } from '../skills.js';
import {
  addressOf,
  factsOf,
  SKILL_FIELDS,
  type SkillAddress,
  THIRD_PARTY,
  type Tool,
  type ToolAnswer,
  type ToolContext,
  ToolFault,
} from './tool.js';

/** The ways to search; the first is the default. */
const WAYS = ['both', 'words', 'meaning'] as const;
type Way = (typeof WAYS)[number];

export const SEARCH_SKILLS: Tool = {
  name: 'search_skills',
  title: 'Search skills',
  description:
    'Finds agent skills (folders with a SKILL.md of instructions for a task) in a catalogue, best first. Use it before a task that a ready-made skill may help with. Then call get_skill with the uri of a hit to read it.',
  inputSchema: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        description:
          'What is to be done, in a sentence or a few words: "fill in a PDF form". Of a text over 2,000 characters what asks for something counts. Words in "double quotes" must stand together, with by: words.',
        examples: ['fill in a PDF form'],
      },
      by: {
        type: 'string',
        enum: WAYS,
        description:
          'both: meaning and words, for a task in plain language (the default). words: skills that have the words, for names and exact terms. meaning: meaning alone.',
        default: 'both',
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
        default: true,
      },
      limit: { type: 'integer', minimum: 1, maximum: 50, description: 'Skills to show. 10 by default.', default: 10 },
      max_tokens: {
        type: 'integer',
        minimum: 100,
        maximum: 100_000,
        description:
          'Tokens that the answer may take: descriptions are cut, then skills are left out. 300 or more show something.',
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  outputSchema: {
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
  },

  async run({ query, by, limit, max_tokens: maxTokens, ...given }: SearchArguments, context) {
    const { min_stars: minStars, updated_after: updatedAfter, ...others } = given;
    const question = { query, by, limit, filters: { ...others, minStars, updatedAfter } };
    const found = await findHits(question, context);
    const hits: AddressedHit[] = [];
    for (const { skill, score } of found.hits) {
      hits.push({ skill, score, ...addressOf(context, skill) });
      await giveWay(context.signal);
    }
    if (maxTokens !== undefined) return answerWithin(found, hits, maxTokens);
    const descriptions = hits.map(({ skill }) => skill.description);
    return answerOf(found, hits, descriptions, false);
  },
};

type SearchArguments = Omit<Question, 'filters'> &
  Omit<SkillFilters, 'minStars' | 'updatedAfter'> & {
    readonly min_stars?: number;
    readonly updated_after?: string;
    readonly max_tokens?: number;
  };

interface AddressedHit extends SkillAddress {
  readonly skill: Skill;
  readonly score: number | undefined;
}

/** Steps of the bisection: the list gets all but a hundredth of what it may have. */
const STEPS = 7;

/**
 * Shows as much as lets both the text and the structured content fit: a host may show the model either. What is around
 * the list takes tokens as well, so the budget of the list is found by bisection.
 */
async function answerWithin(found: Found, hits: readonly AddressedHit[], maxTokens: number): Promise<ToolAnswer> {
  // Counting tokens reads a vocabulary. Most calls have no limit.
  const { countTokens } = await import('../../agents/formats/text-size.js');
  const { formatSkills } = await import('../../agents/formats/format-skills.js');
  // The sizes of words are kept, so that counting what has them again takes a fraction of the time.
  for (const { skill } of hits) {
    countTokens(skill.description);
    await giveWay();
  }
  // What is said without any skill is said in any case.
  let best = answerOf(found, hits, [], true);
  for (let [step, low, high, budget] = [0, 0, maxTokens, maxTokens]; step <= STEPS && low < high; step++) {
    const location = ({ id, name }: Pick<Skill, 'id' | 'name'>): string => skillUri(id, name);
    const { value } = formatSkills(hits, { format: 'json', maxTokens: budget, location });
    const descriptions = (value?.skills ?? []).map(({ description = '' }) => description);
    const answer = answerOf(found, hits, descriptions, true);
    await giveWay();
    const fits = countTokens(answer.text) <= maxTokens && countTokens(JSON.stringify(answer.structured)) <= maxTokens;
    if (fits) [low, best] = [budget, answer];
    else high = budget;
    budget = Math.floor((low + high) / 2);
  }
  return best;
}

/**
 * @param descriptions of the hits that are shown, which are the first ones
 * @param brief leaves out what get_skill tells as well
 */
function answerOf(
  { by, confident, total, remarks: found }: Found,
  hits: readonly AddressedHit[],
  descriptions: readonly string[],
  brief: boolean,
): ToolAnswer {
  const omitted = hits.length - descriptions.length;
  const remarks = [...found];
  if (omitted > 0) remarks.push(`${omitted} more were found and did not fit into max_tokens.`);
  if (hits.length > 0) remarks.push(THIRD_PARTY);
  const notice = remarks.join(' ');
  const shown = descriptions.map((text, i) => ({ ...hits[i]!, description: cleanLine(text) }));
  const lines = shown.map(({ skill, uri, path, description }) => {
    const place = path === undefined ? uri : `${uri}, installed in ${path}`;
    return `- ${cleanLine(skill.name)} (${place})${description === '' ? '' : `: ${description}`}`;
  });
  const skills = shown.map(({ skill, score, id, uri, path, complete, description }) => {
    if (brief)
      return { id, uri, path, name: cleanLine(skill.name), author: cleanLine(skill.author), description, complete };
    return { id, uri, path, ...factsOf(skill), complete, score };
  });
  return { text: [notice, ...lines].join('\n'), structured: { by, confident, total, skills, omitted, notice } };
}

/** What is searched for. */
interface Question {
  readonly query: string;
  readonly by: Way;
  readonly filters: SkillFilters;
  readonly limit: number;
}

/** What was found. */
interface Found {
  /** How was searched. */
  readonly by: Way;
  readonly hits: readonly { readonly skill: Skill; readonly score?: number }[];
  /** False if nothing fits well, or nothing was found. */
  readonly confident: boolean;
  /** All matching skills, where that is known. */
  readonly total?: number;
  /** Said before the hits, the most important first. */
  readonly remarks: readonly string[];
}

const NOTHING_FITS =
  'Nothing in this catalogue fits the request well. What follows is only the nearest: do not use it unless it truly fits.';
const LOOSE = {
  'some-words': 'No skill has all of the words. What follows has some of them: check that it fits before using it.',
  translated:
    'No skill has all of the words. What follows has English ones for them: check that it fits before using it.',
} as const;

/** The arguments that the library calls otherwise, by its name. */
const ARGUMENT_OF: Readonly<Record<string, string>> = {
  q: 'query',
  minStars: 'min_stars',
  updatedAfter: 'updated_after',
};

/**
 * Searches as asked, or by words where meaning is not available and was not the only wish.
 *
 * @throws {ToolFault} if the query is empty or too long, or a filter is none
 */
async function findHits(question: Question, context: ToolContext): Promise<Found> {
  try {
    return await findAsAsked(question, context);
  } catch (error) {
    const name = error instanceof SkillSearchError ? ARGUMENT_OF[error.parameter ?? ''] : undefined;
    if (!(error instanceof SkillSearchError) || name === undefined) throw error;
    const fault = error.message.replace(/^\w+ /, 'it ');
    throw new ToolFault(`The argument ${name} is wrong: ${fault}. Correct it and call again.`);
  }
}

async function findAsAsked(question: Question, context: ToolContext): Promise<Found> {
  const { by } = question;
  if (by === 'words') return findByWords(question, context);
  if (!context.meaning) return withoutMeaning(question, context, context.withoutMeaning);
  try {
    return await findByMeaning(question, context, by === 'meaning' ? 'vector' : 'hybrid');
  } catch (error) {
    if (!isWithoutMeaning(error) && !isBusy(error)) throw error;
    return withoutMeaning(question, context, context.tellError(error).message);
  }
}

async function withoutMeaning(question: Question, context: ToolContext, reason: string): Promise<Found> {
  if (question.by === 'meaning') {
    throw new ToolFault(`Searching by meaning is not available: ${reason}. Call again with by: "words".`);
  }
  const found = await findByMeaning(question, context, 'words');
  return { ...found, remarks: [...found.remarks, `Searched by words only: ${reason}.`] };
}

async function findByWords(question: Question, context: ToolContext): Promise<Found> {
  const { query, filters, limit } = question;
  if (countCodePoints(query.slice(0, 2 * MAX_KEYWORD_QUERY_LENGTH + 2).trim()) > MAX_KEYWORD_QUERY_LENGTH) {
    return findByMeaning(question, context, 'words');
  }
  const asked = { q: query, ...filters, limit };
  const { hits, step, pagination, truncated } = context.search.keyword(asked);
  context.usage?.noteShown(context.search, hits);
  const loose = step === 'some-words' || step === 'translated' ? LOOSE[step] : undefined;
  const remarks = hits.length === 0 ? [nothingFound(question)] : loose === undefined ? [] : [loose];
  if (truncated === true) remarks.push(TRUNCATED);
  if (pagination.total > hits.length) remarks.push(`${hits.length} of ${pagination.total} skills that match.`);
  return { by: 'words', hits, confident: hits.length > 0 && loose === undefined, total: pagination.total, remarks };
}

async function findByMeaning(
  question: Question,
  { search, signal, longestWait, usage }: ToolContext,
  ranking: 'hybrid' | 'vector' | 'words',
): Promise<Found> {
  const { query, filters, limit } = question;
  const asked = { q: query, ...filters, limit, ranking };
  const options = { signal, longestWait, usage: usage !== undefined };
  const { hits, worth, truncated } = await (usage?.semantic(search, asked, options) ?? search.semantic(asked, options));
  const fitting = worth === 1 ? 'The first fits best.' : `The first ${worth} fit best.`;
  const remarks = hits.length === 0 ? [nothingFound(question)] : [worth === 0 ? NOTHING_FITS : fitting];
  if (truncated === true) remarks.push(TRUNCATED);
  return { by: BY[ranking], hits, confident: worth > 0, remarks };
}

const BY = { hybrid: 'both', vector: 'meaning', words: 'words' } as const;

const TRUNCATED = 'The question was too costly to finish: its most frequent words did not count.';

function nothingFound({ by, filters }: Question): string {
  // What a model may call is what it gets unless it asks for the others.
  const given = Object.entries(filters).filter(
    ([name, value]) => value !== undefined && !(name === 'invocable' && value === true),
  );
  const names = given.map(([name]) => ARGUMENT_OF[name] ?? name).join(', ');
  const hasSlugs = filters.category !== undefined || filters.occupation !== undefined;
  const advice = [
    ...(given.length > 0 ? [`leave out ${names}${hasSlugs ? ' (list_categories has the slugs)' : ''}`] : []),
    ...(by === 'words' ? ['search by: "both"'] : []),
    'use other or fewer words',
  ];
  return `Nothing was found. You may ${advice.join(', or ')}.`;
}
