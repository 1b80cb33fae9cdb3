import { join, resolve, sep } from 'node:path';
import { Option } from 'commander';
import { type DoctorReport, diagnose, forgetUse } from '../agents/index.js';
import { checkDatabase, isUsageOff } from '../core/index.js';
import { AGENTS, inspectInstalled, type NameCollision, surroundings } from '../sources/index.js';
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
    .addOption(new Option('--forget', 'say what the log of use has, and delete it').conflicts('prompt'))
    .addOption(jsonOption())
    .action((flags: DoctorFlags) => doctor(flags, output));
};

async function doctor({ agents, prompt, forget, json, ...flags }: DoctorFlags, output: Output): Promise<void> {
  const of = surroundings();
  const database = flags.database === undefined ? undefined : resolve(checkDatabase(flags.database));
  const print = (lines: readonly string[]): void => {
    const atHome = lines.map((line) => line.replaceAll(join(of.home, sep), join('~', sep)));
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
  // Some agents have a place for a server only.
  const withSkills = agents?.filter((name) => AGENTS.some((one) => one.name === name));
  const { collisions } = await inspectInstalled({ agents: withSkills });
  if (json === true) printJson(output, { ...report, collisions });
  else print([...reportLines(report), ...nameLines(collisions)]);
  const { length } = report.problems;
  // So that the exit status is 1.
  if (length > 0) throw new Error(length === 1 ? 'something is wrong' : `${length} things are wrong`);
}

function reportLines({ problems, hooks, catalogue, usage, neverShown, prompt }: DoctorReport): string[] {
  const { database, skills, model } = catalogue;
  const lines = problems.map(({ problem, remedy }) => `WRONG: ${problem}: ${remedy}.`);
  for (const { title, installed, hidesUse, lastCalled } of hooks) {
    const called =
      lastCalled === undefined ? 'has the hook; no call is noted' : `called the hook ${momentOf(lastCalled)}`;
    lines.push(`${title} ${installed ? called : 'has no hook of ours'}.`);
    if (installed && hidesUse) lines.push('It does not say which skills it loads: `skill-discovery init` asks it to.');
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
  if (thresholds === undefined) return ['Prompt: nothing is looked up for it.'];
  const from = `shown from ${thresholds.shown.toFixed(3)}, a perhaps from ${thresholds.perhaps.toFixed(3)}`;
  const lines = candidates.map(({ name, probability, shown }) => {
    return `${probability === undefined ? '' : `${probability.toFixed(3)} `}${name}${SHOWN_AS[shown]}`;
  });
  return [`Prompt: by ${way}, ${from}.`, ...lines];
}

const SHOWN_AS = { named: ', shown, because it is named', fits: ', shown', perhaps: ', named as a perhaps', no: '' };

function nameLines(collisions: readonly NameCollision[]): string[] {
  const names = [...new Set(collisions.map(({ name }) => name))];
  return names.length === 0 ? [] : [`Names of several skills: ${listed(names)} (\`skill-discovery agents\`).`];
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
