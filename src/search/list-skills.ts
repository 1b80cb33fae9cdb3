import type { ListQuery } from '../query.js';
import type { ListResult } from '../result.js';
import type { OpenState } from './open-state.js';

/** Lists skills without a question; see `SkillSearch.list`. */
export function listSkills(_state: OpenState, _query: ListQuery): ListResult {
  throw new Error('not built yet');
}
