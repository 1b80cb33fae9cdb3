import type { SimilarSkill } from '../result.js';
import type { OpenState } from './open-state.js';
import type { SimilarOptions } from './skill-search.js';

/** The skills nearest to a skill; see `SkillSearch.similar`. */
export async function findSimilar(_state: OpenState, _id: string, _options?: SimilarOptions): Promise<SimilarSkill[]> {
  throw new Error('not built yet');
}
