import {
  AGENTS,
  type InstalledReport,
  inspectInstalled,
  type NameCollision,
  type ReportedAgent,
  shownPath,
  surroundings,
} from '../sources/index.js';
import { agentOption } from './load-flags.js';
import { jsonOption } from './options.js';
import { columnsOf, oneLine, printJson, printLines } from './output.js';
import type { SetUp } from './run.js';
import { counted, fitColumns, grouped, pad, type Styles, stylesFor, widthOf, wrapLines } from './text-columns.js';

interface AgentsFlags {
  readonly agent?: readonly string[];
  readonly all?: true;
  readonly json?: true;
}

export const setUp: SetUp = (command, output) => {
  command
    .addOption(agentOption('this agent only, whether it is on this machine or not (repeatable)').conflicts('all'))
    .option('--all', 'also the agents that are not on this machine')
    .addOption(jsonOption())
    .action(async ({ agent, all, json }: AgentsFlags) => {
      const agents = all === true ? AGENTS.map(({ name }) => name) : agent;
      const report = await inspectInstalled({ agents });
      if (json === true) return printJson(output, report);
      const { home } = surroundings();
      const show = (path: string): string => shownPath(path, home);
      printLines(output, agentLines(report, { show, columns: columnsOf(output), styles: stylesFor(output.out) }));
    });
};

/** Collisions, broken skills and problems that are listed. `--json` has all. */
const SHOWN = 20;

/** How the lines are written. */
interface Layout {
  /** Writes a path as people do. */
  readonly show: (path: string) => string;
  readonly columns: number;
  readonly styles: Styles;
}

/**
 * What agents have, as text: for each its folders, then names that several skills have, then what is broken, then what
 * was not read.
 */
function agentLines(report: InstalledReport, layout: Layout): string[] {
  const { agents, skills, collisions, problems } = report;
  const broken = skills.filter(({ faults }) => faults.length > 0);
  const installations = skills.reduce((sum, skill) => sum + skill.installations.length, 0);
  const summary = [
    `${counted(skills.length, 'skill')} in ${counted(installations, 'place')}`,
    `${counted(collisions.length, 'name')} of several skills`,
    `${grouped(broken.length)} broken`,
    `${grouped(problems.length)} not read`,
  ].join(', ');
  return [
    ...agents.flatMap((agent) => agentTable(agent, layout)),
    ...section('Names of several skills', collisions, layout, (collision) => collisionLines(collision, layout)),
    ...section('Broken', broken, layout, ({ path, faults }) => faultLines(path, faults, layout)),
    ...section('Not read', problems, layout, ({ path, message }) => faultLines(path, [message], layout)),
    ...wrapped(summary, 0, layout).map(layout.styles.dim),
  ];
}

/** An agent and its folders, in the order in which it takes skills from them. */
function agentTable({ name, title, folders, skills }: ReportedAgent, layout: Layout): string[] {
  const { styles, show } = layout;
  const head = `${styles.bold(title)}  ${styles.dim(`${name}, ${counted(skills, 'skill')}`)}`;
  if (folders.length === 0) return [head, `  ${styles.dim('no folder')}`, ''];
  const scopeWidth = Math.max(...folders.map(({ scope }) => widthOf(scope)));
  const countWidth = Math.max(...folders.map(({ skills: count }) => grouped(count).length));
  const lines = folders.flatMap(({ scope, skills: count, path, plugin }) => {
    const start = `  ${pad(scope, scopeWidth)}  ${grouped(count).padStart(countWidth)}  `;
    return labelled(start, show(path) + pluginNote(name, plugin), layout);
  });
  return [head, ...lines, ''];
}

/** A text in lines, the first behind a label that the others are indented by. */
function labelled(label: string, text: string, layout: Layout): string[] {
  const [first = '', ...rest] = wrapped(text, widthOf(label), layout);
  return [layout.styles.dim(label) + first.trimStart(), ...rest];
}

function pluginNote(agent: string, plugin: string | undefined): string {
  if (plugin === undefined) return '';
  const isPrefixed = AGENTS.some(({ name, prefixesPlugins }) => name === agent && prefixesPlugins);
  return isPrefixed ? ` (called ${plugin}:NAME)` : ` (of ${plugin})`;
}

function collisionLines({ agent, name, taken, left }: NameCollision, layout: Layout): string[] {
  const { show, styles } = layout;
  const lines = (word: string, paths: readonly string[]): string[] =>
    paths.flatMap((path) => labelled(`    ${word.padEnd(7)}`, show(path), layout));
  return [
    `  ${styles.bold(fitColumns(oneLine(name), layout.columns - agent.length - 4))}  ${styles.dim(agent)}`,
    ...lines('takes', taken),
    ...lines('not', left),
  ];
}

function faultLines(path: string, faults: readonly string[], layout: Layout): string[] {
  return [...wrapped(layout.show(path), 2, layout), ...faults.flatMap((fault) => wrapped(fault, 4, layout))];
}

/** A heading with the first of some items; nothing if there are none. */
function section<Item>(
  title: string,
  items: readonly Item[],
  { styles }: Layout,
  linesOf: (item: Item) => string[],
): string[] {
  if (items.length === 0) return [];
  const left = items.length - SHOWN;
  const more = left > 0 ? [`  ${styles.dim(`… and ${left.toLocaleString('en')} more (all of them with --json)`)}`] : [];
  return [styles.bold(title), ...items.slice(0, SHOWN).flatMap(linesOf), ...more, ''];
}

/** A text in lines that are indented by so many columns. */
function wrapped(text: string, indent: number, { columns }: Layout): string[] {
  return wrapLines(oneLine(text), Math.max(20, columns - indent)).map((line) => ' '.repeat(indent) + line);
}
