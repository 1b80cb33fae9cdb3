import { localPathsOf } from '../search/local-paths-of.js';
import type { SkillSearch } from '../search/skill-search.js';
import type { Skill } from '../skill.js';
import { UNKNOWN } from '../skill.js';
import { FIT_HITS, fits } from './fit-rule.js';
import type { FoundSkill } from './found-skill.js';
import type { PromptQuery } from './prompt-query.js';
import { type PromptQuestion, readPromptQuestion } from './prompt-question.js';

/**
 * The skills that fit a prompt, the best first; none where none fits.
 *
 * @throws {SkillSearchError} as `SkillSearch.semantic`; by meaning also as `SkillSearch.warmUp`
 */
export async function fittingSkills(
  search: SkillSearch,
  query: PromptQuery,
  signal?: AbortSignal,
): Promise<readonly FoundSkill[]> {
  const question = readPromptQuestion(query.prompt);
  if (question === undefined) return [];
  if (query.mode === 'words') return find(search, query, question, 'words', signal);
  try {
    return await find(search, query, question, 'hybrid', signal);
  } catch (error) {
    if (query.mode === 'meaning' || signal?.aborted === true) throw error;
    return find(search, query, question, 'words', signal);
  }
}

async function find(
  search: SkillSearch,
  { limit, agent }: PromptQuery,
  question: PromptQuestion,
  ranking: 'words' | 'hybrid',
  signal: AbortSignal | undefined,
): Promise<readonly FoundSkill[]> {
  const found = await search.semantic(
    { q: question.text, ranking, limit: Math.max(limit, FIT_HITS), invocable: true, agent, explain: true },
    { signal },
  );
  if (!fits(question, found, ranking, search.stats().skills)) return [];
  return found.hits.slice(0, limit).map(({ skill }) => ({
    id: skill.id,
    name: skill.name,
    description: skill.description,
    location: locationOf(search, skill, agent),
  }));
}

function locationOf(search: SkillSearch, { id, skillUrl, codehostUrl }: Skill, agent: string | undefined): string {
  const { localPath, installations = [] } = localPathsOf(search, id);
  const folder = installations.find((one) => one.agent === agent)?.path ?? localPath;
  if (folder !== undefined) return `${folder}${folder.includes('\\') ? '\\' : '/'}SKILL.md`;
  return [skillUrl, codehostUrl].find((url) => url !== UNKNOWN) ?? id;
}
