import { cleanLine, MAX_LISTED } from '../../core/index.js';
import type { LabelCount } from '../../result.js';
import { GET_SKILL, READ_SKILL_FILE } from './read-skills.js';
import { SEARCH_SKILLS } from './search-skills.js';
import type { Tool } from './tool.js';

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

const LIST_CATEGORIES: Tool = {
  name: 'list_categories',
  title: 'List the categories',
  description:
    'Lists the categories of the catalogue with their number of skills, and the occupations if asked. Pass a slug to search_skills as category or occupation.',
  inputSchema: {
    type: 'object',
    properties: {
      occupations: {
        type: 'boolean',
        description: 'Whether to list the occupations as well. False by default.',
        default: false,
      },
      page: {
        type: 'integer',
        minimum: 1,
        description: `Which ${MAX_LISTED} of each, those of most skills first. 1 by default.`,
        default: 1,
      },
    },
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      skills: { type: 'integer', description: 'Skills of the whole catalogue.' },
      categories: COUNTS,
      occupations: COUNTS,
      notice: { type: 'string', description: 'Said if there are more.' },
    },
    required: ['skills', 'categories'],
  },

  async run({ occupations: withOccupations, page }: { occupations: boolean; page: number }, { search }) {
    const { skills, ...all } = search.stats();
    const categories = search.categories(page).map(toEntry);
    const occupations = withOccupations ? search.occupations(page).map(toEntry) : undefined;
    const most = Math.max(all.categories, withOccupations ? all.occupations : 0);
    const notice = most > page * MAX_LISTED ? [`There are more: call again with page: ${page + 1}.`] : [];
    const lines = [`${skills} skills, ${all.categories} categories:`, ...categories.map(toLine)];
    if (occupations) lines.push(`${all.occupations} occupations:`, ...occupations.map(toLine));
    return {
      text: [...lines, ...notice].join('\n'),
      structured: { skills, categories, occupations, notice: notice[0] },
    };
  },
};

function toEntry({ slug, count, derived }: LabelCount) {
  return { slug: cleanLine(slug), skills: count, derived };
}

function toLine({ slug, skills, derived }: ReturnType<typeof toEntry>): string {
  return `- ${slug} (${skills}${derived === undefined ? '' : `, ${derived} derived`})`;
}

/** The tools. */
export const TOOLS: readonly Tool[] = [SEARCH_SKILLS, GET_SKILL, READ_SKILL_FILE, LIST_CATEGORIES];

const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

/** The tools as `tools/list` gives them. */
export function toolList(): object[] {
  return TOOLS.map(({ name, title, description, inputSchema, outputSchema }) => ({
    ...{ name, title, description, annotations: { title, ...ANNOTATIONS } },
    ...{ inputSchema, outputSchema },
  }));
}
