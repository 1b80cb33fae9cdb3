import { resolve } from 'node:path';
import { type DoctorReport, diagnose, forgetUse } from '../agents/index.js';
import { checkDatabase, isUsageOff } from '../core/index.js';
import { AGENTS, inspectInstalled, surroundings } from '../sources/index.js';
import { parseNames } from './init-command.js';
import { jsonOption, parsePath } from './options.js';
import { columnsOf, type Output, oneLine, printJson, printLines } from './output.js';
import type { SetUp } from './run.js';
import { ageOf, counted, grouped, wrapLines } from './text-columns.js';

interface DoctorFlags {
  readonly agents?: readonly string[];
  readonly database?: string;
  readonly prompt?: string;
  readonly forget?: true;
  readonly json?: true;
}

export const setUp: SetUp = (command, output) => {
  command
    .option('--prompt <text>', 'show what the hook would put beside this prompt, and how near the others came')
    .option('--agents <names>', 'these agents only, with commas between, also if they are not found', parseNames)
    .option('--database <file>', 'the catalogue (default: that which the hook asks here)', parsePath)
    .option('--forget', 'say what the log of use has, and delete it')
    .addOption(jsonOption())
    .action((flags: DoctorFlags) => doctor(flags, output));
};

async function doctor({ agents, prompt, forget, json, ...flags }: DoctorFlags, output: Output): Promise<void> {
  const of = surroundings();
  const database = flags.database === undefined ? undefined : resolve(checkDatabase(flags.database));
  const print = (lines: readonly string[]): void => {
    const atHome = lines.map((line) => (of.home.length > 1 ? line.replaceAll(of.home, '~') : line));
    printLines(
      output,
      atHome.flatMap((line) => wrapLines(oneLine(line), columnsOf(output))),
    );
  };
  if (forget === true) {
    const usage = await forgetUse(of, { agents, database });
    if (json === true) printJson(output, { forgotten: usage });
    else print([...usageLines(usage), ...usage.files.map((file) => `Deleted ${file}.`)]);
    return;
  }
  const report = await diagnose(of, { agents, database, prompt });
  const names = await namesOf(agents);
  if (json === true) printJson(output, { ...report, ...names });
  else print([...reportLines(report), ...nameLines(names)]);
  const { length } = report.problems;
  // So that the exit status is 1.
  if (length > 0) throw new Error(length === 1 ? 'something is wrong' : `${length} things are wrong`);
}

/**
 * What Claude Code has under names that a skill may have, too: skills that come with it, and commands
 * (code.claude.com/docs/en/commands, November 2026).
 */
const BUILT_IN: ReadonlySet<string> = new Set(
  `batch claude-api code-review debug doctor help init loop mcp memory model plan review run security-review simplify
  skills status verify`.split(/\s+/),
);

/** Names that several skills of an agent have, and those that the agent has something of its own for. */
interface Names {
  readonly collisions: readonly { readonly agent: string; readonly name: string }[];
  readonly builtIn: readonly { readonly agent: string; readonly name: string }[];
}

async function namesOf(agents: readonly string[] | undefined): Promise<Names> {
  // Some agents have a place for a server only.
  const withSkills = agents?.filter((name) => AGENTS.some((one) => one.name === name));
  const { collisions, skills } = await inspectInstalled({ agents: withSkills });
  const called = skills.flatMap(({ installations }) => installations);
  const builtIn = called.filter(({ agent, calledAs }) => agent === 'claude-code' && BUILT_IN.has(calledAs));
  return { collisions, builtIn: builtIn.map(({ agent, calledAs: name }) => ({ agent, name })) };
}

function reportLines({ problems, hooks, catalogue, usage, neverShown, prompt }: DoctorReport): string[] {
  const { database, skills, model } = catalogue;
  const lines = problems.map(({ problem, remedy }) => `WRONG: ${problem}: ${remedy}.`);
  for (const { title, installed, hidesUse, notesNothing, lastCalled } of hooks) {
    const never = notesNothing ? 'has the hook, which notes nothing' : 'has not called the hook yet';
    const called = lastCalled === undefined ? never : `called the hook ${momentOf(lastCalled)}`;
    lines.push(`${title} ${installed ? called : 'has no hook of ours'}.`);
    if (installed && hidesUse && !notesNothing)
      lines.push(`It does not say which skills it loads: \`skill-discovery init\` asks it to.`);
  }
  const by = model === undefined ? 'words' : 'meaning and words';
  if (skills > 0) lines.push(`${database} has ${counted(skills, 'skill')}, found by ${by}.`);
  lines.push(...usageLines(usage));
  if (neverShown !== undefined) lines.push(`${counted(neverShown.length, 'skill')} of it were never shown.`);
  return prompt === undefined ? lines : [...lines, ...promptLines(prompt)];
}

function usageLines({ since, prompts, answered, tokensPerDay, skills }: DoctorReport['usage']): string[] {
  if (since === undefined) return [`The log of use is ${isUsageOff() ? 'switched off' : 'empty'}.`];
  const shown = skills.reduce((sum, one) => sum + one.shown, 0);
  const loaded = skills.reduce((sum, one) => sum + one.loaded, 0);
  const day = new Date(since * 1000).toISOString().slice(0, 10);
  const lines = [
    `Since ${day}: skills beside ${grouped(answered)} of ${counted(prompts, 'prompt')}, ${counted(tokensPerDay, 'token')} a day.`,
    `Of ${counted(shown, 'skill')} shown, ${grouped(loaded)} were loaded.`,
  ];
  const idle = skills.filter((one) => one.shown >= OFTEN && one.loaded === 0);
  if (idle.length > 0) lines.push(`Shown often and never loaded: ${listed(idle.map(({ id }) => id))}.`);
  return lines;
}

/** In so many sessions a skill is shown often. */
const OFTEN = 10;

function promptLines({ way, candidates, thresholds }: NonNullable<DoctorReport['prompt']>): string[] {
  if (way === 'nothing') return ['Prompt: nothing is looked up for it.'];
  const from =
    thresholds === undefined
      ? ''
      : `, shown from ${thresholds.shown.toFixed(2)}, a perhaps from ${thresholds.perhaps.toFixed(2)}`;
  return [
    `Prompt: by ${way}${from}.`,
    ...candidates.map(({ name, probability, shown }) => {
      return `${probability === undefined ? '' : `${probability.toFixed(2)} `}${name}${SHOWN_AS[shown]}`;
    }),
  ];
}

const SHOWN_AS = { named: ', shown, because it is named', fits: ', shown', perhaps: ', named as a perhaps', no: '' };

function nameLines({ collisions, builtIn }: Names): string[] {
  const shared = [...new Set(collisions.map(({ name }) => name))];
  const own = [...new Set(builtIn.map(({ name }) => name))];
  return [
    ...(shared.length === 0 ? [] : [`Names of several skills: ${listed(shared)} (\`skill-discovery agents\`).`]),
    ...(own.length === 0 ? [] : [`Names that Claude Code has a skill or command of its own for: ${listed(own)}.`]),
  ];
}

function listed(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${grouped(names.length - SHOWN)} more (--json has all)` : '';
  return names.slice(0, SHOWN).join(', ') + more;
}

/** Names that are listed. */
const SHOWN = 5;

function momentOf(seconds: number): string {
  const age = ageOf(seconds);
  return age === 'today' ? `today at ${new Date(seconds * 1000).toTimeString().slice(0, 5)}` : `${age} ago`;
}
