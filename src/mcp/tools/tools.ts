import { GET_SKILL } from './get-skill.js';
import { LIST_CATEGORIES } from './list-categories.js';
import { READ_SKILL_FILE } from './read-skill-file.js';
import { SEARCH_SKILLS } from './search-skills.js';
import type { Tool } from './tool.js';

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
