import { cleanLine, MAX_LISTED } from '../../core/index.js';
import type { LabelCount } from '../../result.js';
import { GET_SKILL, READ_SKILL_FILE } from './read-skills.js';
import { SEARCH_SKILLS } from './search-skills.js';
import { Arguments, type JsonSchema, type Tool } from './tool.js';

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

const LIST_INPUT: JsonSchema = {
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

const LIST_OUTPUT: JsonSchema = {
  type: 'object',
  properties: {
    skills: { type: 'integer', description: 'Skills of the whole catalogue.' },
    categories: COUNTS,
    occupations: COUNTS,
    notice: { type: 'string', description: 'Said if there are more.' },
  },
  required: ['skills', 'categories'],
};

const LIST_CATEGORIES: Tool = {
  name: 'list_categories',
  title: 'List the categories',
  description:
    'Lists the categories of the catalogue with their number of skills, and the occupations if asked. Pass a slug to search_skills as category or occupation.',
  inputSchema: LIST_INPUT,
  outputSchema: LIST_OUTPUT,

  async run(args, { search }) {
    const given = new Arguments(args, LIST_INPUT);
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

const TOOLS: readonly Tool[] = [SEARCH_SKILLS, GET_SKILL, READ_SKILL_FILE, LIST_CATEGORIES];

/** The names of the tools, with commas between them. */
export const TOOL_NAMES: string = TOOLS.map(({ name }) => name).join(', ');

const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

export function findTool(name: string): Tool | undefined {
  return TOOLS.find((tool) => tool.name === name);
}

/** The tools as `tools/list` gives them. */
export function toolList(): object[] {
  return TOOLS.map(({ name, title, description, inputSchema, outputSchema }) => ({
    ...{ name, title, description, annotations: { title, ...ANNOTATIONS } },
    ...{ inputSchema, outputSchema },
  }));
}
