import { cleanLine } from '../../clean-line.js';
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
  },
  additionalProperties: false,
};

const OUTPUT: JsonSchema = {
  type: 'object',
  properties: {
    skills: { type: 'integer', description: 'Skills of the whole catalogue.' },
    categories: COUNTS,
    occupations: COUNTS,
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
    const withOccupations = new Arguments(args, INPUT).choice('occupations', [true, false]) ?? false;
    const { skills } = search.stats();
    const categories = search.categories().map(toEntry);
    const occupations = withOccupations ? search.occupations().map(toEntry) : undefined;
    const lines = [`${skills} skills, ${categories.length} categories:`, ...categories.map(toLine)];
    if (occupations !== undefined) lines.push(`${occupations.length} occupations:`, ...occupations.map(toLine));
    return {
      text: lines.join('\n'),
      structured: { skills, categories, ...(occupations === undefined ? {} : { occupations }) },
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
