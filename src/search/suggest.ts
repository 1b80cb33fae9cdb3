import {
  checkInteger,
  checkOptions,
  invalidArgument,
  MAX_KEYWORD_QUERY_LENGTH,
  namesOf,
  optionOf,
} from '../core/index.js';
import { completeWord } from '../keyword/index.js';
import type { Suggestion } from '../result.js';
import type { OpenState } from './open-state.js';
import type { SuggestOptions } from './skill-search.js';

/** The greatest `limit` of suggestions. More are not read while somebody types. */
const MAX_SUGGESTIONS = 20;

const DEFAULT_SUGGESTIONS = 8;

const SUGGEST_OPTIONS = namesOf<SuggestOptions>({ limit: true });

/** How a question may go on; see `SkillSearch.suggest`. */
export function suggestQuestions(
  { keywordIndex, stopWords }: OpenState,
  text: string,
  options: SuggestOptions = {},
): Suggestion[] {
  if (typeof text !== 'string') throw invalidArgument(optionOf('text'), 'a string', text);
  checkOptions(options, SUGGEST_OPTIONS);
  const limit = checkInteger(optionOf('limit'), options.limit, 1, MAX_SUGGESTIONS) ?? DEFAULT_SUGGESTIONS;
  const typed = text.trimStart();
  // No search takes a longer question. UTF-16 units first, so that a text of megabytes costs nothing.
  if (typed.length > 2 * MAX_KEYWORD_QUERY_LENGTH || [...typed].length > MAX_KEYWORD_QUERY_LENGTH) return [];
  const words = completeWord(keywordIndex, typed, stopWords);
  const names = keywordIndex.namesBeginning(typed, limit + 1).filter((name) => name.text !== typed.trimEnd());
  return mixed(words, names, limit);
}

interface Completion {
  readonly text: string;
  readonly count: number;
}

/** Words first, and no more than half of the whole as long as there are names; each text once. */
function mixed(words: readonly Completion[], names: readonly Completion[], limit: number): Suggestion[] {
  const taken = new Set(words.map(({ text }) => text.toLowerCase()));
  const others = names.filter(({ text }) => !taken.has(text.toLowerCase()));
  const shown = words.slice(0, Math.max(Math.ceil(limit / 2), limit - others.length));
  return [
    ...shown.map(({ text, count }): Suggestion => ({ text, kind: 'word', count })),
    ...others.slice(0, limit - shown.length).map(({ text, count }): Suggestion => ({ text, kind: 'name', count })),
  ];
}
