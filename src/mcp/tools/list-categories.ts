import { cleanLine, MAX_LISTED } from '../../core/index.js';
import type { LabelCount } from '../../index.js';
import { Arguments } from './arguments.js';
import type { JsonSchema, Tool } from './tool.js';

const COUNTS = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      slug: { type: 'string' },
      skills: { type: 'integer' },
      derived: { type: 'integer', description: 'To how many of these a classifier gave it.' },
    },
    required: ['slug', 'skills'],
  },
} as const;

const INPUT: JsonSchema = {
  type: 'object',
  properties: {
    occupations: { type: 'boolean', description: 'Whether to list the occupations as well. False by default.' },
    page: {
      type: 'integer',
      minimum: 1,
      description: `Which ${MAX_LISTED} of each, those of most skills first. 1 by default.`,
    },
  },
  additionalProperties: false,
};

const OUTPUT: JsonSchema = {
  type: 'object',
  properties: {
    skills: { type: 'integer', description: 'Skills of the whole catalogue.' },
    categories: COUNTS,
    occupations: COUNTS,
    notice: { type: 'string', description: 'Said if there are more.' },
  },
  required: ['skills', 'categories'],
};

export const LIST_CATEGORIES: Tool = {
  name: 'list_categories',
  title: 'List the categories',
  description:
    'Lists the categories of the catalogue with their number of skills, and the occupations if asked. Pass a slug to search_skills as category or occupation.',
  inputSchema: INPUT,
  outputSchema: OUTPUT,

  async run(args, { search }) {
    const given = new Arguments(args, INPUT);
    const withOccupations = given.choice('occupations', [true, false]) ?? false;
    const page = given.integer('page', 1, Number.MAX_SAFE_INTEGER) ?? 1;
    const { skills, ...all } = search.stats();
    const categories = search.categories(page).map(toEntry);
    const occupations = withOccupations ? search.occupations(page).map(toEntry) : undefined;
    const most = Math.max(all.categories, withOccupations ? all.occupations : 0);
    const notice = most > page * MAX_LISTED ? [`There are more: call again with page: ${page + 1}.`] : [];
    const lines = [`${skills} skills, ${all.categories} categories:`, ...categories.map(toLine)];
    if (occupations) lines.push(`${all.occupations} occupations:`, ...occupations.map(toLine));
    return {
      text: [...lines, ...notice].join('\n'),
      structured: { skills, categories, ...(occupations && { occupations }), ...(notice[0] && { notice: notice[0] }) },
    };
  },
};

interface Entry {
  readonly slug: string;
  readonly skills: number;
  readonly derived?: number;
}

function toEntry({ slug, count, derived }: LabelCount): Entry {
  return { slug: cleanLine(slug), skills: count, ...(derived === undefined ? {} : { derived }) };
}

function toLine({ slug, skills, derived }: Entry): string {
  return `- ${slug} (${skills}${derived === undefined ? '' : `, ${derived} derived`})`;
}
