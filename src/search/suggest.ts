import type { Suggestion } from '../result.js';
import type { OpenState } from './open-state.js';
import type { SuggestOptions } from './skill-search.js';

/** How a question may go on; see `SkillSearch.suggest`. */
export function suggestQuestions(_state: OpenState, _text: string, _options?: SuggestOptions): Suggestion[] {
  throw new Error('not built yet');
}
