import { constants, existsSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import {
  isObject,
  isUsageOff,
  isWithoutMeaning,
  joinPaths,
  madeOnce,
  nearestCatalogue,
  orUndefined,
  projectLevels,
  readConfigFile,
  readUsage,
  realPathOrSelf,
  reasonOf,
  SkillSearchError,
  type Surroundings,
  type UsageEntry,
  usageFile,
  userCatalogue,
  userFolders,
} from '../../core/index.js';
import { MOST_SHOWN, openSkillSearch, type SkillSearch } from '../../search/index.js';
import { answerOf, decidePrompt } from '../hook/fitting-skills.js';
import {
  AGENT_HOSTS,
  type AgentEntry,
  type AgentHost,
  entriesOf,
  isInstalled,
  type PathOfHost,
  pathOf,
} from '../init/agent-hosts.js';
import { projectCataloguesOf } from '../init/catalogue-files.js';
import { CONFIG_FORMATS, type ConfigFormat, entriesAt } from '../init/config-formats.js';
import { hostNamed } from '../init/run-init.js';

/** What is asked of a doctor. */
export interface DoctorOptions {
  /** Names of agents. Undefined: all that are found. */
  readonly agents: readonly string[] | undefined;
  /** Path of the catalogue. Undefined: that which the hook asks here. */
  readonly database: string | undefined;
  /** A prompt to be decided as the hook would. */
  readonly prompt?: string | undefined;
}

/** What keeps skills from coming to prompts, and what became of those that came. */
export interface DoctorReport {
  /** What is wrong, and what to do. Empty if all is well. */
  readonly problems: readonly Problem[];
  /** The agents that are there and can call the hook. */
  readonly hooks: readonly AgentWithHook[];
  readonly catalogue: {
    readonly database: string;
    readonly skills: number;
    /** Id of the model that finds by meaning; absent where words alone do. */
    readonly model?: string | undefined;
  };
  /** Failures of the hook in the last week, the newest first. */
  readonly failures: readonly { readonly time: string; readonly name: string }[];
  readonly usage: UsageReport;
  /** Ids of skills that the log of use has not; absent without a log. */
  readonly neverShown?: readonly string[];
  readonly prompt?: PromptReport;
}

interface Problem extends HookFault {
  readonly about: 'hook' | 'catalogue' | 'meaning';
}

interface AgentWithHook {
  readonly agent: string;
  readonly title: string;
  readonly installed: boolean;
  /** Whether it could tell which skills it loads, and was not asked to. */
  readonly hidesUse: boolean;
  /** Unix time in seconds; absent where it is not known of any call. */
  readonly lastCalled?: number | undefined;
}

/** @throws {SkillSearchError} `INVALID_OPTION` for an unknown agent */
export async function diagnose(of: Surroundings, options: DoctorOptions): Promise<DoctorReport> {
  const { inspected, commands, databases } = await lookAround(of, options);
  const database = databases[0]!;
  const usage = reportUsage(databases);

  const problems: Problem[] = [];
  const wrong = (about: Problem['about'], problem: string, remedy: string): unknown =>
    problems.push({ about, problem, remedy });
  if (commands.length === 0) wrong('hook', 'no agent calls the hook', RUN_INIT);
  for (const path of new Set(inspected.flatMap(({ missing }) => missing))) {
    const titles = inspected.filter(({ missing }) => missing.includes(path)).map(({ host }) => host.title);
    wrong('hook', `what ${titles.join(', ')} would start names ${path}, which is not there`, RUN_INIT);
  }
  for (const { host, hook, faults } of inspected) {
    for (const { problem, remedy } of faults) wrong('hook', problem, remedy);
    const isUnseen = hook !== undefined && usage.lastByHost[host.name] === undefined;
    if (host.name !== 'codex' || !isUnseen || isUsageOff() || hook.includes('--no-usage')) continue;
    wrong('hook', 'Codex calls a hook only after a review, and has not called it yet', 'review it there with `/hooks`');
  }
  const failures = failuresOf(of);
  const failing = failureIn(failures, usage);
  if (failing !== undefined) wrong('hook', failing.problem, failing.remedy);

  const hooks = inspected.flatMap(({ host: { name: agent, title, hook: isKnown }, hook, hidesUse }) => {
    const lastCalled = usage.lastByHost[agent];
    return isKnown === undefined ? [] : { agent, title, installed: hook !== undefined, hidesUse, lastCalled };
  });
  const report = { problems, hooks, catalogue: { database, skills: 0 }, failures, usage };
  let search: SkillSearch;
  try {
    search = await openSkillSearch({ database, graph: false });
  } catch (error) {
    if (!(error instanceof SkillSearchError)) throw error;
    if (error.code === 'DATABASE_NOT_FOUND') wrong('catalogue', `there is no catalogue at ${database}`, RUN_INIT);
    else wrong('catalogue', error.message, `move it away, then ${RUN_INIT}`);
    return report;
  }
  try {
    const reason = await whyNoMeaning(search);
    const isWanted = commands.length === 0 || commands.some((words) => !words.includes('words'));
    if (reason !== undefined && isWanted) {
      // What `init` makes is the catalogue of the user.
      const isOfProject = projectCataloguesOf(of).includes(database);
      const load = isOfProject ? 'run `skill-discovery load --installed` here' : RUN_INIT;
      wrong('meaning', `words only: ${reason.message.replace(ADVICE, '')}`, remedyFor(reason, load));
    }
    const { prompt } = options;
    const { skills, model } = search.stats();
    const known = new Set(usage.skills.map(({ id }) => id));
    return {
      ...report,
      catalogue: { database, skills, ...(reason === undefined && { model }) },
      ...(usage.lines > 0 && { neverShown: search.ids().filter((id) => !known.has(id)) }),
      ...(prompt !== undefined && { prompt: await explainPrompt(search, prompt, isWanted && reason === undefined) }),
    };
  } finally {
    await search.close();
  }
}

const RUN_INIT = 'run `skill-discovery init`';

/**
 * Deletes the logs of use of the catalogues that hooks ask.
 *
 * @returns what was in them
 */
export async function forgetUse(of: Surroundings, options: DoctorOptions): Promise<UsageReport> {
  const { databases } = await lookAround(of, options);
  const report = reportUsage(databases);
  for (const file of report.files) rmSync(file, { force: true });
  return report;
}

/** The agents, the commands with which they call the hook, and the catalogues that it asks, the one for here first. */
async function lookAround(of: Surroundings, { agents, database }: DoctorOptions) {
  const hosts = agents === undefined ? AGENT_HOSTS.filter((host) => isInstalled(host, of)) : agents.map(hostNamed);
  const levels = await projectLevels(await realPathOrSelf(of.cwd), await realPathOrSelf(of.home));
  const inspected = hosts.map((host) => inspectHost(host, of, levels));
  const commands = inspected.flatMap(({ hook }) => (hook === undefined ? [] : [hook]));
  const named = database ?? commands.map(databaseOf).find((one) => one !== undefined);
  if (named !== undefined) return { inspected, commands, databases: [named] };
  const databases = new Set([await nearestCatalogue(of), userCatalogue(of), ...projectCataloguesOf(of)]);
  return { inspected, commands, databases: [...databases] };
}

/** Loads the model: nothing else shows that it can be. */
async function whyNoMeaning(search: SkillSearch): Promise<SkillSearchError | undefined> {
  const reason = await search.warmUp().then(
    () => undefined,
    (error: unknown) => error,
  );
  if (reason === undefined || isWithoutMeaning(reason)) return reason;
  throw reason;
}

/** What a message says to do: a server of ours, or `init`, loads again by itself. */
const ADVICE = /: (?:load .*|install it with `[^`]+`(?:, then .*)?)/;

function remedyFor({ code, message }: SkillSearchError, load: string): string {
  if (code === 'MODEL_NOT_FOUND' || code === 'MODEL_NOT_READABLE') return 'install this package again';
  const install = /install it with `[^`]+`/.exec(message);
  return install === null ? load : `${install[0]}, then ${load}`;
}

const WEEK = 7 * 86_400_000;

/** What the log of the hook has of the last week, the newest first. */
function failuresOf(of: Surroundings): DoctorReport['failures'] {
  // There is none as long as nothing fails.
  const log = orUndefined(() => readFileSync(join(userFolders(of).state, 'hook.log'), 'utf8')) ?? '';
  const failures = Array.from(log.matchAll(/^(\S+Z) (.+)$/gm), ([, time, name]) => ({ time: time!, name: name! }));
  return failures.filter(({ time }) => Date.parse(time) > Date.now() - WEEK).reverse();
}

/** Now and then a call may fail: once, or one in twenty, and not the last. */
function failureIn(failures: DoctorReport['failures'], { prompts, lastByHost }: UsageReport): HookFault | undefined {
  const [last] = failures;
  if (last === undefined) return undefined;
  const isOver = Date.parse(last.time) / 1000 < Math.max(...Object.values(lastByHost));
  if (isOver && failures.length <= Math.max(1, prompts / 20)) return undefined;
  const times = failures.length === 1 ? 'once' : `${failures.length} times`;
  return {
    problem: `the hook failed ${times} in a week, last with ${last.name}`,
    remedy:
      last.name === 'TIME_LIMIT'
        ? 'let an agent run our MCP server, which answers faster, or give the hook more time with --timeout'
        : 'look at hook.log, and try it with --prompt',
  };
}

/** How the hook decides a prompt. */
interface PromptReport {
  /** `nothing`: a command of the host, or a text without a word. */
  readonly way: 'meaning' | 'words' | 'nothing';
  /** Those that are shown, and then the nearest of the others. */
  readonly candidates: readonly {
    readonly id: string;
    readonly name: string;
    /** That it fits; absent where it is not known. */
    readonly probability?: number | undefined;
    /** `named`: because the prompt names it. */
    readonly shown: 'named' | 'fits' | 'perhaps' | 'no';
  }[];
  /** Probabilities from which a skill is shown, and from which it is named as a perhaps. */
  readonly thresholds?: { readonly shown: number; readonly perhaps: number };
}

/** So many skills are told of a prompt. */
const CANDIDATES = 5;

/** Decides a prompt as the hook does. */
async function explainPrompt(search: SkillSearch, prompt: string, byMeaning: boolean): Promise<PromptReport> {
  const way = byMeaning ? 'meaning' : 'words';
  const query = { prompt, mode: way, limit: MOST_SHOWN } as const;
  const decided = await decidePrompt(search, { ...query, limit: CANDIDATES });
  if (decided === undefined) return { way: 'nothing', candidates: [] };
  const { skills, perhaps } = answerOf(search, query, decided);
  const { hits, decision } = decided;
  const scores = new Map(hits.map(({ skill, score }) => [skill.id, score]));
  const shown = skills.map(({ id, name, named }) => {
    return { id, name, probability: scores.get(id), shown: named ? ('named' as const) : ('fits' as const) };
  });
  const others = hits
    .filter(({ skill }) => skills.every(({ id }) => id !== skill.id))
    .map(({ skill: { id, name }, score: probability }) => {
      return { id, name, probability, shown: perhaps?.id === id ? ('perhaps' as const) : ('no' as const) };
    });
  const thresholds = { shown: decision.thresholds.confident, perhaps: decision.thresholds.perhaps };
  return { way, candidates: [...shown, ...others], thresholds };
}

/** What keeps an agent from calling the hook, and what to do. */
interface HookFault {
  readonly problem: string;
  readonly remedy: string;
}

/** What the configuration of an agent says of us. */
interface InspectedHost {
  readonly host: AgentHost;
  /** The words of the hook's command; undefined if there is none. */
  readonly hook: readonly string[] | undefined;
  /** Whether it could tell which skills it loads, and was not asked to. */
  readonly hidesUse: boolean;
  /** Paths in commands of ours where nothing is. */
  readonly missing: readonly string[];
  readonly faults: readonly HookFault[];
}

/**
 * Looks at the configuration of an agent, and at those that can switch its hooks off. Commands are read, not run.
 *
 * @param levels folders of the project, the nearest first
 */
function inspectHost(host: AgentHost, of: Surroundings, levels: readonly string[]): InspectedHost {
  const faults = new Map<string, HookFault>();
  const ours: { readonly part: AgentEntry['part']; readonly words: readonly string[] }[] = [];
  const entries = entriesOf(host, of, { node: '', entry: '', database: '', namesDatabase: false, semantic: true });
  for (const { part, file, format, place } of entries) {
    try {
      const config = configIn(file, format);
      const values = entriesAt(config, place(config));
      const commands = values.flatMap((one) => (isObject(one) && Array.isArray(one['hooks']) ? one['hooks'] : [one]));
      ours.push(...commands.map((one) => ({ part, words: wordsOf(one) })).filter(({ words }) => startOf(words) > 0));
    } catch (error) {
      faults.set(file, { problem: `${file}: ${reasonOf(error)}`, remedy: 'mend the file' });
    }
  }
  const isUse = ({ part }: { readonly part: string }): boolean => part === 'use';
  const hook = ours.find(({ part }) => part === 'hook')?.words;
  const paths = ours.flatMap(({ words }) => [...words.slice(0, startOf(words)), databaseOf(words) ?? '']);
  return {
    ...{ host, hook, hidesUse: entries.some(isUse) && !ours.some(isUse) },
    missing: paths.filter((path) => isAbsolute(path) && !existsSync(path)),
    faults: [...faults.values(), ...(hook === undefined ? [] : switchedOff(host, of, levels))],
  };
}

/** What our command line begins with, whatever it was installed as. */
const OURS = /skill-discovery|[\\/]cli[\\/]main\.js$/;

/** Where in a command the name of ours stands; -1 if it is none. */
function startOf(words: readonly string[]): number {
  return words.findIndex((word, at) => (word === 'hook' || word === 'mcp') && OURS.test(words[at - 1] ?? ''));
}

/** The catalogue that a command names. */
function databaseOf(words: readonly string[]): string | undefined {
  const at = words.indexOf('--database');
  return at === -1 ? undefined : words[at + 1];
}

/** The words of a command, as agents write one: a line for a shell, a program with arguments, or a list. */
function wordsOf(value: unknown): readonly string[] {
  const { command, args } = isObject(value) ? value : {};
  const words = Array.isArray(command) ? command : Array.isArray(args) ? [command, ...args] : undefined;
  if (words !== undefined) return words.filter((word) => typeof word === 'string');
  if (typeof command !== 'string') return [];
  const parts = command.match(/(?:[^\s'"\\]|'[^']*'|"[^"]*"|\\.)+/g) ?? [];
  return parts.map((part) => part.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, '$1$2$3'));
}

/** A setting with which an agent calls no hook of its user. */
interface Switch {
  readonly setting: string;
  readonly off: boolean;
  /** Files that have it, each over those before it. Those that begin with a dot lie in the folders of a project. */
  readonly files: readonly string[];
}

/** The settings of the agents that can call the hook, by their names. */
const SWITCHES: Readonly<Record<string, Switch>> = {
  'claude-code': {
    ...{ setting: 'disableAllHooks', off: true },
    files: ['$claude/settings.json', './.claude/settings.json', './.claude/settings.local.json'],
  },
  codex: { setting: 'features.hooks', off: false, files: ['$codex/config.toml', './.codex/config.toml'] },
  'gemini-cli': {
    ...{ setting: 'hooksConfig.enabled', off: false },
    files: ['~/.gemini/settings.json', './.gemini/settings.json'],
  },
};

function switchedOff({ name, title }: AgentHost, of: Surroundings, levels: readonly string[]): readonly HookFault[] {
  const { setting = '', off, files = [] } = SWITCHES[name] ?? {};
  const paths = files.flatMap((file) => {
    if (file.startsWith('.')) return levels.map((level) => joinPaths(of, level, file)).reverse();
    return pathOf(file as PathOfHost, of);
  });
  const file = paths.findLast((path) => valueAt(path, setting) !== undefined);
  if (file === undefined || valueAt(file, setting) !== off) return [];
  const problem = `${title} does not call the hook, because of ${setting} = ${off} in ${file}`;
  return [{ problem, remedy: 'take that out, or ask who manages it' }];
}

/** A value in a configuration; undefined if there is none, or the file cannot be read. */
function valueAt(file: string, setting: string): unknown {
  const config = orUndefined(() => configIn(file, file.endsWith('.toml') ? 'toml' : 'json'));
  return setting.split('.').reduce((value, key) => (isObject(value) ? value[key] : undefined), config);
}

/** @throws {ConfigFault} if it cannot be read */
function configIn(file: string, format: ConfigFormat['name']): unknown {
  return CONFIG_FORMATS[format].parse(readConfigFile(file, undefined, constants.R_OK).text ?? '');
}

/** What logs of use say, in sums. */
export interface UsageReport {
  /** Logs that are there. */
  readonly files: readonly string[];
  readonly lines: number;
  /** Unix time in seconds of the first line; absent without lines. */
  readonly since?: number;
  /** Prompts that a hook was called for. */
  readonly prompts: number;
  /** Those beside which skills were put. */
  readonly answered: number;
  readonly tokensPerDay: number;
  /** By host: Unix time in seconds of its last line. */
  readonly lastByHost: Readonly<Record<string, number>>;
  /** In how many sessions each skill was shown, and in how many of these it was loaded; the most shown first. */
  readonly skills: readonly { readonly id: string; readonly shown: number; readonly loaded: number }[];
}

/** Those that ask without a prompt. */
const NO_HOOKS = ['mcp', 'library'];

/** @param databases paths of catalogues; those without a log do not count */
function reportUsage(databases: readonly string[]): UsageReport {
  // Several paths may lead to a catalogue.
  const byFile = new Map(databases.map((database) => [usageFile(database), database]));
  const files = [...byFile.keys()].filter((file) => existsSync(file));
  const entries = [...byFile.values()].flatMap(readUsage).sort((a, b) => a.time - b.time);
  const prompts = entries.filter(({ kind, host }) => kind === 'shown' && !NO_HOOKS.includes(host));
  const days = new Set(entries.map(({ time }) => Math.floor(time / 86_400)));
  const tokens = entries.reduce((sum, entry) => sum + (entry.tokens ?? 0), 0);
  return {
    ...{ files, lines: entries.length, ...(entries[0] !== undefined && { since: entries[0].time }) },
    prompts: prompts.length,
    answered: prompts.filter(({ skills }) => skills.length > 0).length,
    tokensPerDay: Math.round(tokens / Math.max(1, days.size)),
    lastByHost: Object.fromEntries(entries.map(({ host, time }) => [host, time])),
    skills: skillsOf(entries),
  };
}

function skillsOf(entries: readonly UsageEntry[]): UsageReport['skills'] {
  const sessionsOf = new Map<string, Readonly<Record<UsageEntry['kind'], Set<string>>>>();
  for (const { session, kind, skills } of entries) {
    for (const id of skills) {
      madeOnce(sessionsOf, id, () => ({ shown: new Set<string>(), used: new Set<string>() }))[kind].add(session);
    }
  }
  const sums = Array.from(sessionsOf, ([id, { shown, used }]) => {
    return { id, shown: shown.size, loaded: [...shown].filter((session) => used.has(session)).length };
  });
  return sums.sort((a, b) => b.shown - a.shown || b.loaded - a.loaded || (a.id < b.id ? -1 : 1));
}
