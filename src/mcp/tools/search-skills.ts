import { MAX_TOOL_TOKENS, MIN_TOOL_TOKENS } from '../../limits.js';
import { Arguments } from './arguments.js';
import { findHits, WAYS } from './find-hits.js';
import { addressOf } from './find-skill.js';
import { fitHits } from './fit-hits.js';
import { THIRD_PARTY } from './quoted.js';
import { SKILL_FIELDS } from './schemas.js';
import { sourceUrl } from './source-url.js';
import type { JsonSchema, Tool } from './tool.js';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;

const INPUT: JsonSchema = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      description:
        'What is to be done, in a sentence or a few words: "fill in a PDF form". At most 2,000 characters. Words in "double quotes" must stand together, with by: words.',
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
    limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, description: 'Skills to show. 10 by default.' },
    max_tokens: {
      type: 'integer',
      minimum: MIN_TOOL_TOKENS,
      maximum: MAX_TOOL_TOKENS,
      description: 'Tokens that the list of skills may take: descriptions are cut, then skills are left out.',
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
      category: given.optionalText('category'),
      occupation: given.optionalText('occupation'),
      author: given.optionalText('author'),
      limit: given.integer('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT,
    };
    const maxTokens = given.integer('max_tokens', MIN_TOOL_TOKENS, MAX_TOOL_TOKENS);
    const found = await findHits(question, context);
    const hits = found.hits.map(({ skill, score }) => ({ skill, score, ...addressOf(context, skill) }));
    const fitted = await fitHits(hits, maxTokens);
    const omitted = hits.length - fitted.length;
    const remarks = [...found.remarks];
    if (omitted > 0) remarks.push(`${omitted} more were found and did not fit into max_tokens.`);
    if (hits.length > 0) remarks.push(THIRD_PARTY);
    const notice = remarks.join(' ');
    const skills = hits.slice(0, fitted.length).map(({ skill, score, id, uri, complete }, i) => {
      const { name, author, stars, updatedAt, categories, occupations } = skill;
      // A host may show the model this instead of the text.
      const description = maxTokens === undefined ? skill.description : fitted[i]!.description;
      const url = sourceUrl(skill);
      return {
        ...{ id, uri, name, author, description, stars, updatedAt, categories, occupations },
        ...(url === undefined ? {} : { url }),
        complete,
        ...(score === undefined ? {} : { score }),
      };
    });
    const { by, confident, total } = found;
    return {
      text: [notice, ...fitted.map(({ line }) => line)].join('\n'),
      structured: { by, confident, ...(total === undefined ? {} : { total }), skills, omitted, notice },
    };
  },
};
