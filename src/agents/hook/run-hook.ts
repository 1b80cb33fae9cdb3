import { appendFileSync, existsSync, realpathSync, renameSync, statSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import {
  appendUsage,
  isUsageOff,
  makeFolder,
  nearestCatalogue,
  orUndefined,
  readUsageFile,
  requestIn,
  type Surroundings,
  surroundings,
  usageFile,
  usageSession,
  userFolders,
} from '../../core/index.js';
import { askLocally } from '../../core/local-server.js';
import { type HookOptions, readHookOptions } from './hook-options.js';
import { contextOf, estimateTokens, HOOK_LIMITS, printed, readInput } from './host-format.js';
import {
  type AskedPrompt,
  type FoundSkill,
  type PromptAnswer,
  type PromptQuery,
  proseOf,
  TimeLimit,
} from './prompt-query.js';

/** Streams of the process. */
export interface HookStreams {
  readonly input: Readable;
  readonly output: NodeJS.WritableStream;
}

/**
 * Runs `hook`: reads a prompt, and prints the skills that fit. It never fails and never waits longer than its time
 * limit: a host may take an error as a reason to drop the prompt. What goes wrong is one line in the log.
 *
 * @param words the arguments behind `hook`
 */
export async function runHook(words: readonly string[], { input, output }: HookStreams): Promise<void> {
  const of = surroundingsOfProcess();
  // Nobody knows where a catalogue or a log would be.
  if (of === undefined) return;
  try {
    const options = readHookOptions(words);
    const { text = '', note } = await inTime(options.timeout, (deadline) => answer(options, input, of, deadline));
    if (text !== '') await write(output, text);
    note?.();
  } catch (error) {
    logFailure(userFolders(of).state, error);
  }
}

/**
 * The surroundings, also where the working folder was removed, as that of a finished branch often is.
 *
 * @returns undefined for a user without a home
 */
function surroundingsOfProcess(): Surroundings | undefined {
  // With less to ask the system for, it may still be told.
  return orUndefined(() => surroundings()) ?? orUndefined(() => surroundings({ cwd: parse(process.execPath).root }));
}

/** What is printed, if anything, and what notes that it was. */
interface Answer {
  readonly text?: string;
  readonly note?: () => void;
}

async function answer(options: HookOptions, input: Readable, of: Surroundings, deadline: number): Promise<Answer> {
  const { text: prompt, cwd = of.cwd, session: id, tool } = await readInput(input, options.format);
  // A command such as `/pdf` or `/document-skills:pdf` calls a skill.
  const called = /^\s*\/([a-z][\w:-]*)(?:\s|$)/.exec(prompt)?.[1];
  const used = tool ?? (called === undefined ? undefined : { name: 'Skill', input: { skill: called } });
  // Then nothing need be opened.
  if (used === undefined && proseOf(prompt) === '') return {};
  const { limit, mode, format, agent } = options;
  const query = { prompt: shortened(prompt), mode, limit, host: format, agent };
  const database = options.database ?? (await nearestCatalogue({ ...of, cwd }));
  const isNoted = id !== undefined && !options['no-usage'] && !isUsageOff();
  if (used !== undefined) {
    if (!isNoted) return {};
    const { noteToolUse } = await import('./use-signals.js');
    await noteToolUse({ tool: used, session: id, host: format, cwd, database });
    return {};
  }
  const asked = { ...options, database };
  let found = await askServer(asked, query, of, deadline);
  if (found === undefined) {
    // A server answers as a rule, and this opens the catalogue.
    const { findAlone } = await import('./fitting-skills.js');
    found = await findAlone(asked, query, deadline);
  }
  const { vector, model } = found;
  const session = isNoted ? usageSession(id) : undefined;
  const { text: context, ids } = contextOf(notShown(found, database, session), options['max-tokens'], format);
  const tokens = context === '' ? {} : { tokens: estimateTokens(context) };
  return {
    text: context === '' ? '' : printed(context, format),
    note: () => {
      if (session === undefined) return;
      const time = Math.floor(Date.now() / 1000);
      const question = vector !== undefined && model !== undefined ? { vector, model } : {};
      appendUsage(database, { time, host: format, session, kind: 'shown', skills: ids, ...question, ...tokens });
    },
  };
}

/** Bytes at the end of the log of use that are read: some hundred prompts. */
const RECENT = 128 * 1024;

/** What was not yet shown in the session, and what the prompt names. */
function notShown(found: PromptAnswer, database: string, session: string | undefined): PromptAnswer {
  if (session === undefined) return found;
  // There is no file as long as nothing was shown.
  const { entries = [] } = orUndefined(() => readUsageFile(usageFile(database), RECENT, 'shown')) ?? {};
  const before = new Set(entries.flatMap((entry) => (entry.session === session ? entry.skills : [])));
  const isNew = ({ id, named = false }: FoundSkill): boolean => named || !before.has(id);
  return { skills: found.skills.filter(isNew), perhaps: found.perhaps && [found.perhaps].find(isNew) };
}

/** A prompt that a server takes. */
function shortened(prompt: string): string {
  const { promptLength } = HOOK_LIMITS;
  return prompt.length > promptLength ? requestIn(proseOf(prompt), promptLength / 2) : prompt;
}

/** So much of the time is left for looking skills up here if a server does not answer. In milliseconds. */
const LEFT_FOR_ALONE = 1500;

async function askServer(
  { alone, database }: { readonly alone: boolean; readonly database: string },
  query: PromptQuery,
  of: Surroundings,
  deadline: number,
): Promise<PromptAnswer | undefined> {
  const path = resolve(database);
  if (alone || !existsSync(path)) return undefined;
  const left = deadline - performance.now();
  const patience = Math.max(left / 3, left - LEFT_FOR_ALONE);
  const ask: AskedPrompt = { ...query, patience };
  return (await askLocally({ subject: realpathSync(path), ask, patience, of })) as PromptAnswer | undefined;
}

/**
 * Does work within a time limit. Work that holds the event loop is not ended, but what it comes to is dropped: a thread
 * that watches could only kill the process, with a status that hosts take for a failure, and starting one takes time,
 * too.
 *
 * @param work gets the moment at which it must have ended, by `performance.now()`
 * @throws {TimeLimit} if it has not ended then
 */
async function inTime<Result>(milliseconds: number, work: (deadline: number) => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // From the start of the process: the host waits since then.
    // Node 24 warns of less than nothing, on standard error.
    timer = setTimeout(() => reject(new TimeLimit()), Math.max(0, milliseconds - performance.now()));
  });
  const result = await Promise.race([work(milliseconds), late]).finally(() => clearTimeout(timer));
  // Work that held the event loop also held the timer.
  if (performance.now() >= milliseconds) throw new TimeLimit();
  return result;
}

/** Resolves when the text is on its way, also if nobody reads it. */
function write(output: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    output.on('error', () => resolve());
    output.write(text, () => resolve());
  });
}

/**
 * Writes a line to `hook.log` in a folder: when, and what went wrong. Nothing that a prompt says may be in it, so of an
 * error only its code or its class, never its message. Fails silently: there is nowhere to say it.
 */
export function logFailure(folder: string, error: unknown): void {
  try {
    const path = join(folder, 'hook.log');
    makeFolder(folder, { mode: 0o700 });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > HOOK_LIMITS.logBytes) renameSync(path, `${path}.1`);
    appendFileSync(path, `${new Date().toISOString()} ${nameOf(error)}\n`, { mode: 0o600 });
  } catch {
    // A folder that cannot be written.
  }
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return /^[A-Z][A-Z_]{2,50}$/.test(code) ? code : error.constructor.name;
}
