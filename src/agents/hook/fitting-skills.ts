import { join } from 'node:path';
import { isObject, resolveDatabase } from '../../core/index.js';
import { answerLocally, type LocalServer } from '../../core/local-server.js';
import { catalogueSearchOf, openSkillSearch, type SkillSearch, type WordCandidate } from '../../search/index.js';
import { UNKNOWN } from '../../skill.js';
import { readStamp } from '../../store/index.js';
import { FIT_HITS, fits, fitsByWords } from './fit-rule.js';
import { HOOK_LIMITS } from './host-format.js';
import { type FoundSkill, type PromptQuery, promptQueryIn, TimeLimit } from './prompt-query.js';
import { LOOKED_AT, type PromptQuestion, rankByWords, readPromptQuestion } from './rank-prompt.js';

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
  if (query.mode === 'words') return findByWords(search, query, question);
  try {
    return await findByMeaning(search, query, question, signal);
  } catch (error) {
    if (query.mode === 'meaning' || signal?.aborted === true) throw error;
    return findByWords(search, query, question);
  }
}

async function findByMeaning(
  search: SkillSearch,
  { limit, agent }: PromptQuery,
  question: PromptQuestion,
  signal: AbortSignal | undefined,
): Promise<readonly FoundSkill[]> {
  const { result, vector } = await catalogueSearchOf(search).semanticWithVector(
    { q: question.text, limit: Math.max(limit, FIT_HITS), invocable: true, agent, explain: true },
    { signal },
  );
  if (!fits(question, result, vector, search.stats().skills)) return [];
  return result.hits.slice(0, limit).map(({ skill }) => toFound(search, skill, agent));
}

function findByWords(
  search: SkillSearch,
  { limit, agent }: PromptQuery,
  question: PromptQuestion,
): readonly FoundSkill[] {
  const candidates = catalogueSearchOf(search).wordCandidates({ q: question.text, invocable: true, agent }, LOOKED_AT);
  const ranked = rankByWords(question.text, candidates);
  if (!fitsByWords(question, ranked, search.stats().skills)) return [];
  return ranked.slice(0, limit).map(({ skill }) => toFound(search, skill, agent));
}

function toFound(search: SkillSearch, skill: WordCandidate['skill'], agent: string | undefined): FoundSkill {
  const { name, description } = skill;
  return { name, description, location: locationOf(search, skill, agent) };
}

function locationOf(
  search: SkillSearch,
  { id, skillUrl, codehostUrl }: WordCandidate['skill'],
  agent: string | undefined,
): string {
  const { localPath, installations = [] } = catalogueSearchOf(search).localPathsOf(id);
  const folder = installations.find((one) => one.agent === agent)?.path ?? localPath;
  if (folder !== undefined) return join(folder, 'SKILL.md');
  return [skillUrl, codehostUrl].find((url) => url !== UNKNOWN) ?? id;
}

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

/**
 * Answers the questions of `hook` for a catalogue, in its place: this process has the catalogue open and the model
 * loaded already. Never fails: where nothing can listen, `hook` looks skills up itself.
 *
 * @param database path of the catalogue
 * @param search gives the search that answers now
 * @param meaning whether the model may be used
 */
export function answerPrompts(
  database: string,
  search: () => Promise<SkillSearch>,
  meaning: boolean = true,
): Promise<LocalServer> {
  const path = resolveDatabase(database);
  let isWarm = false;
  const answer = async (ask: unknown, signal: AbortSignal): Promise<readonly FoundSkill[]> => {
    const query = promptQueryIn(ask);
    if (query === undefined || (query.mode === 'meaning' && !meaning)) throw new Error('that cannot be answered');
    const opened = await search();
    // A load has just finished, and the search follows in a moment.
    if (opened.stats().stamp !== readStamp(path)) throw new Error('the catalogue has changed');
    const limit = Math.min(HOOK_LIMITS.skills, Math.max(1, Math.floor(query.limit)));
    const asked: PromptQuery = { ...query, limit, mode: meaning ? query.mode : 'words' };
    if (asked.mode !== 'auto' || isWarm) return fittingSkills(opened, asked, signal);
    // The first prompt loads the model, and its host may not wait so long.
    const began = performance.now();
    const byWords = await fittingSkills(opened, { ...asked, mode: 'words' }, signal);
    const found = fittingSkills(opened, asked, signal).finally(() => {
      isWarm = true;
    });
    return (await inTime(found, patienceOf(ask) - MARGIN - (performance.now() - began))) ?? byWords;
  };
  return answerLocally({ subject: path, answer });
}

/** Milliseconds that a hook waits for its answer. */
function patienceOf(ask: unknown): number {
  const { patience } = isObject(ask) ? ask : {};
  return typeof patience === 'number' ? Math.min(patience, HOOK_LIMITS.time) : HOOK_LIMITS.time;
}

/** What comes of work; undefined if it takes too long. */
async function inTime<Found>(work: Promise<Found>, milliseconds: number): Promise<Found | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, milliseconds));
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
