import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { InvalidArgumentError } from 'commander';
import {
  type CataloguePlan,
  type Dialogue,
  type EntryAction,
  type InitPlan,
  InitRecord,
  type InitResult,
  type PlannedEntry,
  runInit,
} from '../agents/index.js';
import { checkDatabase, userCatalogue } from '../core/index.js';
import type { LoadReport } from '../index.js';
import { surroundings, userFolders } from '../sources/index.js';
import { jsonOption, parsePath, pick } from './options.js';
import { blankUnsafe, type Output, oneLine, printJson, printLines } from './output.js';
import type { SetUp } from './run.js';
import { counted } from './text-columns.js';

interface InitFlags {
  readonly agents?: readonly string[];
  readonly database?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly remove?: true;
  readonly json?: true;
  /** False for `--no-mcp`. */
  readonly mcp: boolean;
  /** False for `--no-hook`. */
  readonly hook: boolean;
  readonly semantic: boolean;
}

export const setUp: SetUp = (command, output) => {
  command
    .option('--agents <names>', 'these agents only, with commas between, also if they are not found', parseNames)
    .option('--database <file>', 'the catalogue (default: skills.db in the data folder of the user)', parsePath)
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--yes', 'write without asking')
    .option('--no-mcp', 'add no MCP server')
    .option('--no-hook', 'install no hook for prompts')
    .option('--no-semantic', 'words only: make no vectors, and let agents search by words')
    .option('--remove', 'undo what earlier runs have written')
    .addOption(jsonOption())
    .action((flags: InitFlags) => init(flags, output));
};

/** Parses names with commas or blanks between, each kept once. */
export function parseNames(value: string): readonly string[] {
  const names = namesIn(value);
  if (names.length === 0) throw new InvalidArgumentError('It must be names with commas between.');
  return names;
}

function namesIn(value: string): readonly string[] {
  return [...new Set(value.split(/[\s,]+/).filter((name) => name !== ''))];
}

async function init(flags: InitFlags, output: Output): Promise<void> {
  const of = surroundings();
  const database = resolve(checkDatabase(flags.database ?? userCatalogue(of)));
  let report: LoadReport | undefined;
  const result = await runInit(
    {
      of,
      agents: flags.agents,
      parts: [...(flags.mcp ? ['server' as const] : []), ...(flags.hook ? (['hook', 'use'] as const) : [])],
      isRemoval: flags.remove === true,
      program: {
        // The first file of the command line, as it is built: also if this is run from the sources.
        entry: fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url)),
        ...{ node: process.execPath, semantic: flags.semantic },
        ...{ database, namesDatabase: flags.database !== undefined },
      },
      record: new InitRecord(join(userFolders(of).data, 'init.json')),
      now: () => new Date(),
      buildCatalogue: async () => {
        report = await load(database, of.home, flags, output);
      },
    },
    dialogueOf(flags, output),
  );
  const { catalogues, hadWork: changes, isDone: written, backups, left } = result;
  const agents = result.agents.map((one) => pick(one, 'agent', 'title', 'entries', 'notes'));
  if (flags.json === true) printJson(output, { agents, catalogues, changes, left, written, backups, report });
  else printLines(output, resultLines(result, flags, report));
  if (changes && !written && flags.dryRun !== true && !isAsked(flags, output)) {
    const message = 'nobody can be asked here: --yes writes this, --dry-run only shows it';
    throw Object.assign(new Error(message), { code: 'INVALID_OPTION' });
  }
  if (left.length > 0) throw new Error(`left as they are: ${left.join('; ')}`);
}

/** The skills of the user: a configuration is for all projects. */
async function load(database: string, home: string, { semantic }: InitFlags, output: Output): Promise<LoadReport> {
  const [{ buildCatalogue }, { LoadProgressBar }] = await Promise.all([
    import('../index.js'),
    import('./progress-bar.js'),
  ]);
  const bar = new LoadProgressBar(output.error);
  try {
    return await buildCatalogue({
      ...{ database, sources: [{ installed: { cwd: home } }], semantic: semantic ? undefined : false },
      onProgress: (progress) => bar.showLoad(progress),
    });
  } finally {
    bar.stop();
  }
}

function dialogueOf(flags: InitFlags, output: Output): Dialogue {
  const all = ({ agents }: InitPlan): readonly string[] => agents.map(({ agent }) => agent);
  return {
    show: (plan, isAgain) => {
      if (flags.json === true && !isAsked(flags, output)) return;
      if (isAgain) output.error.write('A configuration has changed meanwhile. What is left to write:\n');
      const shown = flags.json === true ? { ...output, out: output.error } : output;
      printLines(shown, planLines(plan));
    },
    choose: async (plan) => {
      if (flags.dryRun === true) return undefined;
      if (flags.yes === true) return all(plan);
      if (!isAsked(flags, output)) return undefined;
      const names = all(plan);
      const ask = (question: string): Promise<string> => askLine(question, output.error);
      return chooseAgents(names, ask, (line) => output.error.write(`${line}\n`));
    },
  };
}

/** Whether somebody is there to be asked. */
function isAsked(flags: InitFlags, { error }: Output): boolean {
  return flags.dryRun !== true && flags.yes !== true && process.stdin.isTTY === true && error.isTTY === true;
}

function resultLines(result: InitResult, flags: InitFlags, report: LoadReport | undefined): string[] {
  const { agents, catalogues, hadWork, isDone, backups } = result;
  if (!hadWork) {
    const isNothing = flags.remove === true && agents.length === 0;
    return isNothing ? ['There is nothing to undo.'] : [...planLines(result), 'Nothing to change.'];
  }
  if (!isDone) return ['Nothing was written.'];
  const lines = [doneLine(result, flags.remove === true)];
  if (report !== undefined) {
    const skills = report.added + report.updated + report.unchanged;
    lines.push(`${oneLine(catalogues[0]!.database)} has ${counted(skills, 'installed skill')}.`);
    const fault = report.warnings.find(({ origin }) => origin === 'vectors');
    if (fault !== undefined) lines.push(oneLine(`Skills are found by words only, not by meaning: ${fault.message}`));
  }
  lines.push(...backups.map((path) => `Former text: ${oneLine(path)}`));
  lines.push(...agents.flatMap(({ notes }) => notes));
  if (flags.remove !== true) lines.push('Restart the agents; `skill-discovery init --remove` undoes this.');
  return lines;
}

/** Whether all of the plan was carried out, a part, or nothing. */
function doneLine({ agents, left }: InitResult, isRemoval: boolean): string {
  const what = isRemoval ? 'Undone' : 'Written';
  if (left.length === 0) return `${what}.`;
  const actions = agents.flatMap(({ entries }) => entries.map(({ action }) => action));
  const isNothing = actions.every((action) => action === 'refused' || action === 'kept');
  return isNothing ? `Nothing was ${what.toLowerCase()}.` : `${what} in part.`;
}

const ACTIONS: Readonly<Record<EntryAction, string>> = {
  add: 'is added',
  replace: 'is replaced',
  remove: 'is removed',
  unchanged: 'is there already',
  kept: 'stays as it is',
  gone: 'is gone already',
  refused: 'is not touched',
};

const CATALOGUES: Readonly<Record<CataloguePlan['action'], string>> = {
  build: 'is built from the installed skills',
  present: 'is there',
  remove: 'is deleted',
  keep: 'stays, because it has other skills, too',
};

/** What is going to be written, for people. */
function planLines({ agents, catalogues }: InitPlan): string[] {
  const ofAgents = agents.flatMap(({ agent, title, entries }) => [
    `${title} (${agent})`,
    ...entries.flatMap(entryLines),
    '',
  ]);
  return [
    ...ofAgents,
    ...catalogues.map(({ database, action }) => `The catalogue ${oneLine(database)} ${CATALOGUES[action]}.`),
  ];
}

function entryLines({ file, place, action, reason, edits }: PlannedEntry): string[] {
  const why = reason === undefined ? '' : `: ${oneLine(reason)}`;
  const what = place === '' ? '' : `${place} `;
  const changes = edits.flatMap(({ line, removed, inserted }) => [
    `    line ${line}`,
    ...removed.map((text) => `    - ${codeLine(text)}`),
    ...inserted.map((text) => `    + ${codeLine(text)}`),
  ]);
  return [`  ${oneLine(file)}: ${what}${ACTIONS[action]}${why}`, ...changes];
}

/** Keeps the indentation. */
function codeLine(text: string): string {
  return blankUnsafe(text.replaceAll('\t', '  '));
}

/**
 * Asks which agents' changes to write, until the answer can be understood.
 *
 * @param ask puts the question and gives the answer; empty if there is none
 * @param tell says what is wrong with an answer
 * @returns undefined to write nothing
 */
export async function chooseAgents(
  agents: readonly string[],
  ask: (question: string) => Promise<string>,
  tell: (line: string) => void,
): Promise<readonly string[] | undefined> {
  for (;;) {
    const answer = (await ask('Write this? [y]es, [n]o, or names of agents: ')).trim();
    if (/^y(es)?$/i.test(answer)) return agents;
    if (answer === '' || /^no?$/i.test(answer)) return undefined;
    const names = namesIn(answer);
    const unknown = names.find((name) => !agents.includes(name));
    if (unknown === undefined && names.length > 0) return names;
    tell(`${oneLine(unknown ?? answer)} is none of ${agents.join(', ')}.`);
  }
}

/** Asks for a line on the terminal. An input that ends, or Ctrl-C, is an empty answer. */
function askLine(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output });
  return new Promise((resolve) => {
    lines.on('close', () => resolve(''));
    lines.on('SIGINT', () => lines.close());
    lines.question(question, (answer) => {
      resolve(answer.trim());
      lines.close();
    });
  });
}
