import { openSkillSearch } from '../../search/index.js';
import { fittingSkills } from './fitting-skills.js';
import type { FoundSkill } from './found-skill.js';
import type { PromptQuery } from './prompt-query.js';
import { TimeLimit } from './time-limit.js';

/** So long before the end of the time the answer by words is taken, in milliseconds: it must still be printed. */
const MARGIN = 200;

/**
 * Opens the catalogue, and looks up the skills that fit. The search is left open: the process ends.
 *
 * @throws {SkillSearchError} as `openSkillSearch` and `SkillSearch.semantic`
 * @throws {TimeLimit} if opening took all of the time
 */
export async function findAlone(
  { database, model }: { readonly database: string; readonly model: string | undefined },
  query: PromptQuery,
  deadline: number,
): Promise<readonly FoundSkill[]> {
  const search = await openSkillSearch({ database, model, graph: false });
  // A catalogue without its derived files is indexed when it is opened, and nothing else gets a turn meanwhile.
  if (performance.now() >= deadline) throw new TimeLimit();
  const byWords = (): Promise<readonly FoundSkill[]> => fittingSkills(search, { ...query, mode: 'words' });
  if (query.mode === 'words' || (query.mode === 'auto' && search.stats().vectors === 0)) return byWords();
  const time = new AbortController();
  const left = Math.max(0, deadline - MARGIN - performance.now());
  const timer = setTimeout(() => time.abort(new TimeLimit()), left);
  try {
    return await fittingSkills(search, { ...query, mode: 'meaning' }, time.signal);
  } catch (error) {
    if (query.mode === 'meaning') throw error;
    return await byWords();
  } finally {
    clearTimeout(timer);
  }
}
