import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { orUndefined, packVector, resolveDatabase } from '../../core/index.js';
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
import { mentionsIn, namedBy } from './named-skills.js';
import {
  type AskedPrompt,
  type FoundSkill,
  type PromptAnswer,
  type PromptQuery,
  questionOf,
  TimeLimit,
} from './prompt-query.js';

/** What a search says to a prompt. */
interface DecidedPrompt {
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
async function fittingSkills(search: SkillSearch, query: PromptQuery, signal?: AbortSignal): Promise<PromptAnswer> {
  const decided = await decidePrompt(search, query, signal);
  return decided === undefined ? { skills: [] } : answerOf(search, query, decided);
}

/** What is shown of what was found, and the skills that the prompt names. */
export function answerOf(
  search: SkillSearch,
  query: PromptQuery,
  { hits, decision, vector, model }: DecidedPrompt,
): PromptAnswer {
  const named = namedSkills(search, query);
  const isOther = ({ id }: FoundSkill): boolean => named.every((one) => one.id !== id);
  const found = (count: number): FoundSkill[] =>
    hits
      .slice(0, count)
      .map(({ skill, explain }) => toFound(search, { skill, copies: () => explain!.copies }, query))
      .filter(isOther);
  return {
    skills: [...named, ...found(decision.worth).slice(0, Math.max(0, query.limit - named.length))],
    perhaps: decision.perhaps && named.length === 0 ? found(1)[0] : undefined,
    ...(vector !== undefined && model !== undefined && { vector: packVector(vector), model }),
  };
}

/**
 * Looks up what a prompt asks for, and decides what of it is worth showing.
 *
 * @param signal ends the search by meaning; words answer then, if they may
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
  const ask = async (ranking: 'hybrid' | 'words', within?: AbortSignal): Promise<DecidedPrompt> => {
    const query = { q, ranking, limit: Math.max(limit, MOST_SHOWN), invocable: true, agent, explain: true };
    const { result, decision, vector } = await catalogueSearchOf(search).semanticWithVector(query, { signal: within });
    return { hits: result.hits, decision, vector, model: result.model };
  };
  if (mode === 'words' || (mode === 'auto' && search.stats().vectors === 0)) return ask('words');
  try {
    return await ask('hybrid', signal);
  } catch (error) {
    if (mode === 'meaning') throw error;
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

function toFound(
  search: SkillSearch,
  { skill, copies }: Pick<WordCandidate, 'skill' | 'copies'>,
  { agent, host }: PromptQuery,
): FoundSkill {
  const { id, name, description, skillUrl, codehostUrl } = skill;
  const catalogue = catalogueSearchOf(search);
  const reader = agent ?? host;
  // Its folder, or that of a duplicate.
  const places = [...new Set([id, ...copies()])].flatMap((one) => catalogue.localPathsOf(one).installations ?? []);
  const own = places.find((place) => place.agent === reader)?.path;
  const folder = own ?? catalogue.localPathsOf(id).localPath;
  return {
    ...{ id, description },
    name: own !== undefined && host === 'claude-code' ? nameOfClaude(name, own) : name,
    location:
      folder === undefined ? ([skillUrl, codehostUrl].find((url) => url !== UNKNOWN) ?? id) : join(folder, 'SKILL.md'),
    ...(own !== undefined && reader === host && { installed: true }),
  };
}

/** What Claude Code calls a skill: one of a plugin has the plugin's name before its own. */
function nameOfClaude(name: string, folder: string): string {
  const root = /^.*?[\\/]plugins(?=[\\/])/.exec(folder)?.[0];
  if (root === undefined) return name;
  const plugin = orUndefined(() => {
    const { plugins } = JSON.parse(readFileSync(join(root, 'installed_plugins.json'), 'utf8')) as InstalledPlugins;
    const isWithin = ({ installPath }: { readonly installPath: string }): boolean =>
      folder.startsWith(join(installPath, sep));
    return Object.keys(plugins).find((one) => [plugins[one]!].flat().some(isWithin));
  });
  return plugin === undefined ? name : `${plugin.split('@', 1)[0]}:${name}`;
}

interface InstalledPlugins {
  readonly plugins: Readonly<
    Record<string, { readonly installPath: string } | readonly { readonly installPath: string }[]>
  >;
}

/** Ends the search by meaning so long before the end of the time: words must still answer, and be printed. */
function inTimeForWords(milliseconds: number): AbortSignal {
  return AbortSignal.timeout(Math.max(0, Math.floor(milliseconds - 200)));
}

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
  const left = deadline - performance.now();
  // A catalogue without its derived files is indexed when it is opened, and nothing else gets a turn meanwhile.
  if (left <= 0) throw new TimeLimit();
  return fittingSkills(search, query, query.mode === 'auto' ? inTimeForWords(left) : undefined);
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
  const answer = async (ask: unknown, signal: AbortSignal): Promise<PromptAnswer> => {
    const { prompt, mode, limit, agent, host, patience } = ask as AskedPrompt;
    if (mode === 'meaning' && !meaning) throw new Error('that cannot be answered');
    const opened = await search();
    // A load has just finished, and the search follows in a moment.
    if (opened.stats().stamp !== readStamp(path)) throw new Error('the catalogue has changed');
    const query = { prompt, mode: meaning ? mode : 'words', limit, agent, host } as const;
    // The first prompt loads the model, and its host may not wait so long.
    return fittingSkills(opened, query, AbortSignal.any([signal, inTimeForWords(patience)]));
  };
  return answerLocally({ subject: path, answer });
}
