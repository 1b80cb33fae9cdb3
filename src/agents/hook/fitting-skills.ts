import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { isObject, packVector, resolveDatabase } from '../../core/index.js';
import { answerLocally, type LocalServer } from '../../core/local-server.js';
import type { SemanticHit } from '../../result.js';
import {
  catalogueSearchOf,
  type Decision,
  MOST_SHOWN,
  openSkillSearch,
  type SkillSearch,
  type WordCandidate,
} from '../../search/index.js';
import { UNKNOWN } from '../../skill.js';
import { readStamp } from '../../store/index.js';
import { HOOK_LIMITS } from './host-format.js';
import { mentionsIn, namedBy } from './named-skills.js';
import {
  type FoundSkill,
  type PromptAnswer,
  type PromptQuery,
  promptQueryIn,
  questionOf,
  TimeLimit,
} from './prompt-query.js';

/** A skill that was found. */
interface Hit {
  readonly skill: WordCandidate['skill'];
  /** Ids of all its duplicates. */
  readonly copies: () => readonly string[];
}

/** What a search says to a prompt. */
export interface DecidedPrompt {
  /** The best first; as many as were asked for. */
  readonly hits: readonly SemanticHit[];
  readonly decision: Decision;
  /** Of what the prompt asks; undefined by words. */
  readonly vector: Float32Array | undefined;
  /** The model that the vector is of. */
  readonly model: string | undefined;
}

/**
 * The skills that a prompt names, and those that fit it, the best first; none where none fits.
 *
 * @throws {SkillSearchError} as {@link decidePrompt}
 */
export async function fittingSkills(
  search: SkillSearch,
  query: PromptQuery,
  signal?: AbortSignal,
): Promise<PromptAnswer> {
  const decided = await decidePrompt(search, query, signal);
  if (decided === undefined) return { skills: [] };
  const { hits, decision, vector, model } = decided;
  const named = namedSkills(search, query);
  const isOther = ({ id }: FoundSkill): boolean => named.every((one) => one.id !== id);
  const found = (count: number): FoundSkill[] =>
    hits
      .slice(0, count)
      .map(({ skill, explain }) => toFound(search, { skill, copies: () => explain!.copies }, query))
      .filter(isOther);
  return {
    skills: [...named, ...found(decision.worth).slice(0, Math.max(0, query.limit - named.length))],
    perhaps: decision.perhaps ? found(1)[0] : undefined,
    ...(vector !== undefined && model !== undefined && { vector: packVector(vector), model }),
  };
}

/**
 * Looks up what a prompt asks for, and decides what of it is worth showing.
 *
 * @returns undefined if there is nothing to look skills up for
 * @throws {SkillSearchError} as `SkillSearch.semantic`; by meaning also as `SkillSearch.warmUp`
 */
export async function decidePrompt(
  search: SkillSearch,
  { prompt, mode, limit, agent }: PromptQuery,
  signal?: AbortSignal,
): Promise<DecidedPrompt | undefined> {
  const q = questionOf(prompt);
  if (q === undefined) return undefined;
  const ask = async (ranking: 'hybrid' | 'words'): Promise<DecidedPrompt> => {
    const query = { q, ranking, limit: Math.max(limit, MOST_SHOWN), invocable: true, agent, explain: true };
    const { result, decision, vector } = await catalogueSearchOf(search).semanticWithVector(query, { signal });
    return { hits: result.hits, decision, vector, model: result.model };
  };
  if (mode === 'words') return ask('words');
  try {
    return await ask('hybrid');
  } catch (error) {
    if (mode === 'meaning' || signal?.aborted === true) throw error;
    return ask('words');
  }
}

/** So many skills with a name that a prompt may mean are looked at. */
const LOOKED_AT = 120;

/** Most skills that are shown because a prompt names them. */
const MOST_NAMED = 5;

/** The skills that a prompt names; of several of a name the first that the host has. */
function namedSkills(search: SkillSearch, query: PromptQuery): readonly FoundSkill[] {
  const mentions = mentionsIn(questionOf(query.prompt) ?? '');
  const q = [...new Set(mentions.flat().flatMap((name) => name.split(/[\s"]+/)))].join(' ');
  if (!/[\p{L}\p{N}]/u.test(q)) return [];
  const { agent } = query;
  const candidates = catalogueSearchOf(search).wordCandidates({ q, invocable: true, agent }, LOOKED_AT);
  const hits = candidates.map((candidate) => ({ ...candidate, name: candidate.skill.name }));
  const best = new Map<string, FoundSkill>();
  for (const hit of namedBy(mentions, hits)) {
    const found = { ...toFound(search, hit, query), named: true };
    if (!best.has(hit.name) || (found.installed && !best.get(hit.name)!.installed)) best.set(hit.name, found);
  }
  return [...best.values()].slice(0, MOST_NAMED);
}

function toFound(search: SkillSearch, { skill, copies }: Hit, { agent, host }: PromptQuery): FoundSkill {
  const { id, name, description, skillUrl, codehostUrl } = skill;
  const catalogue = catalogueSearchOf(search);
  const reader = agent ?? host;
  const own = reader === undefined ? undefined : installationFor(reader);
  const folder = own ?? catalogue.localPathsOf(id).localPath;
  return {
    ...{ id, description },
    name: own !== undefined && host === 'claude-code' ? nameOfClaude(name, own) : name,
    location:
      folder === undefined ? ([skillUrl, codehostUrl].find((url) => url !== UNKNOWN) ?? id) : join(folder, 'SKILL.md'),
    ...(own !== undefined && reader === host && { installed: true }),
  };

  /** Its folder, or that of a duplicate. */
  function installationFor(reader: string): string | undefined {
    for (const one of new Set([id, ...copies()])) {
      const { installations = [] } = catalogue.localPathsOf(one);
      const found = installations.find((installation) => installation.agent === reader);
      if (found !== undefined) return found.path;
    }
    return undefined;
  }
}

/** What Claude Code calls a skill: one of a plugin has the plugin's name before its own. */
function nameOfClaude(name: string, folder: string): string {
  const root = /^.*?[\\/]plugins(?=[\\/])/.exec(folder)?.[0];
  if (root === undefined) return name;
  try {
    const { plugins } = JSON.parse(readFileSync(join(root, 'installed_plugins.json'), 'utf8')) as InstalledPlugins;
    const isWithin = ({ installPath }: { readonly installPath: string }): boolean =>
      folder.startsWith(join(installPath, sep));
    const key = Object.keys(plugins).find((one) => [plugins[one]!].flat().some(isWithin));
    return key === undefined ? name : `${key.split('@', 1)[0]}:${name}`;
  } catch {
    return name;
  }
}

interface InstalledPlugins {
  readonly plugins: Readonly<
    Record<string, { readonly installPath: string } | readonly { readonly installPath: string }[]>
  >;
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
): Promise<PromptAnswer> {
  const search = await openSkillSearch({ database, model, graph: false });
  // A catalogue without its derived files is indexed when it is opened, and nothing else gets a turn meanwhile.
  if (performance.now() >= deadline) throw new TimeLimit();
  const byWords = (): Promise<PromptAnswer> => fittingSkills(search, { ...query, mode: 'words' });
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
  const answer = async (ask: unknown, signal: AbortSignal): Promise<PromptAnswer> => {
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
