import { resolveDatabase, SkillSearchError } from '../../core/index.js';
import type { SkillSearch } from '../../search/index.js';
import { readStamp } from '../../store/index.js';
import { LocalServer } from '../local/local-server.js';
import { fittingSkills } from './fitting-skills.js';
import { HOOK_LIMITS } from './host-format.js';
import type { FoundSkill } from './prompt-query.js';
import { promptQueryIn } from './prompt-query.js';

export interface AnswerPromptsOptions {
  /** Whether the model may be used. @default true */
  readonly meaning?: boolean | undefined;
}

/**
 * Answers the questions of `hook` for a catalogue, in its place: this process has the catalogue open and the model
 * loaded already. Never fails: where nothing can listen, `hook` looks skills up itself.
 *
 * @param database path of the catalogue
 * @param search gives the search that answers now
 */
export function answerPrompts(
  database: string,
  search: () => Promise<SkillSearch>,
  { meaning = true }: AnswerPromptsOptions = {},
): Promise<LocalServer> {
  const path = resolveDatabase(database);
  const answer = async (ask: unknown, signal: AbortSignal): Promise<readonly FoundSkill[]> => {
    const query = promptQueryIn(ask);
    if (query === undefined) throw refusal('INVALID_QUERY', 'the question is not understood');
    if (query.mode === 'meaning' && !meaning) throw refusal('NO_VECTORS', 'this process searches by words only');
    const opened = await search();
    // A load has just finished, and the search follows in a moment.
    if (opened.stats().stamp !== readStamp(path)) throw refusal('BUSY', 'the catalogue has changed');
    const limit = Math.min(HOOK_LIMITS.skills, Math.max(1, Math.floor(query.limit)));
    return fittingSkills(opened, { ...query, limit, mode: meaning ? query.mode : 'words' }, signal);
  };
  return LocalServer.start({ database: path, answer });
}

function refusal(code: 'INVALID_QUERY' | 'NO_VECTORS' | 'BUSY', message: string): SkillSearchError {
  return new SkillSearchError(code, message);
}
