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
import type { SetUp } from './output.js';
import { columnsOf, type Output, oneLine, printJson, printLines } from './output.js';
import { counted, fitColumns, joinParts, pad, type Styles, stylesFor, widthOf, wrapRanges } from './text-columns.js';

interface AgentsFlags {
  readonly agent?: readonly string[];
  readonly all?: true;
  readonly json?: true;
}

export const setUpAgents: SetUp = (command, output) => {
  command
    .addOption(agentOption('this agent only, whether it is on this machine or not (repeatable)').conflicts('all'))
    .option('--all', 'also the agents that are not on this machine')
    .addOption(jsonOption())
    .action((flags: AgentsFlags) => agents(flags, output));
};

async function agents({ agent, all, json }: AgentsFlags, output: Output): Promise<void> {
  const named = all === true ? AGENTS.map(({ name }) => name) : agent;
  const report = await inspectInstalled(named === undefined ? {} : { agents: named });
  if (json === true) {
    printJson(output, report);
    return;
  }
  const { home } = surroundings();
  const show = (path: string): string => shownPath(path, home);
  printLines(output, agentLines(report, show, columnsOf(output), stylesFor(output.out)));
}

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
export function agentLines(
  report: InstalledReport,
  show: (path: string) => string,
  columns: number,
  styles: Styles,
): string[] {
  const layout = { show, columns, styles };
  const { agents, skills, collisions, problems } = report;
  const broken = skills.filter(({ faults }) => faults.length > 0);
  const installations = skills.reduce((sum, skill) => sum + skill.installations.length, 0);
  const parts = [
    `${counted(skills.length, 'skill')} in ${counted(installations, 'place')}, `,
    `${counted(collisions.length, 'name')} of several skills, `,
    `${broken.length.toLocaleString('en')} broken, `,
    `${problems.length.toLocaleString('en')} not read`,
  ];
  return [
    ...agents.flatMap((agent) => agentTable(agent, layout)),
    ...section('Names of several skills', collisions, layout, (collision) => collisionLines(collision, layout)),
    ...section('Broken', broken, layout, ({ path, faults }) => [
      ...wrapped(show(path), 2, layout),
      ...faults.flatMap((fault) => wrapped(fault, 4, layout)),
    ]),
    ...section('Not read', problems, layout, ({ path, message }) => [
      ...wrapped(show(path), 2, layout),
      ...wrapped(message, 4, layout),
    ]),
    ...joinParts(parts, columns).map(styles.dim),
  ];
}

/** An agent and its folders, in the order in which it takes skills from them. */
function agentTable({ name, title, folders, skills }: ReportedAgent, layout: Layout): string[] {
  const { styles, show } = layout;
  const head = `${styles.bold(title)}  ${styles.dim(`${name}, ${counted(skills, 'skill')}`)}`;
  if (folders.length === 0) return [head, `  ${styles.dim('no folder')}`, ''];
  const rows = folders.map(({ scope, skills: count, path, plugin }) => ({
    scope,
    count: count.toLocaleString('en'),
    text: show(path) + pluginNote(name, plugin),
  }));
  const widths = [
    Math.max(...rows.map(({ scope }) => widthOf(scope))),
    Math.max(...rows.map(({ count }) => count.length)),
  ] as const;
  const lines = rows.flatMap(({ scope, count, text }) => {
    const start = `  ${pad(scope, widths[0])}  ${count.padStart(widths[1])}  `;
    const [first = '', ...rest] = wrapped(text, widthOf(start), layout);
    return [styles.dim(start) + first.trimStart(), ...rest];
  });
  return [head, ...lines, ''];
}

function pluginNote(agent: string, plugin: string | undefined): string {
  if (plugin === undefined) return '';
  const isPrefixed = AGENTS.some(({ name, prefixesPlugins }) => name === agent && prefixesPlugins);
  return isPrefixed ? ` (called ${plugin}:NAME)` : ` (of ${plugin})`;
}

function collisionLines({ agent, name, taken, left }: NameCollision, layout: Layout): string[] {
  const { show, styles } = layout;
  const lines = (word: string, paths: readonly string[]): string[] =>
    paths.flatMap((path) => {
      const [first = '', ...rest] = wrapped(show(path), 11, layout);
      return [`    ${styles.dim(word.padEnd(7))}${first.trimStart()}`, ...rest];
    });
  return [
    `  ${styles.bold(fitColumns(oneLine(name), layout.columns - agent.length - 4))}  ${styles.dim(agent)}`,
    ...lines('takes', taken),
    ...lines('not', left),
  ];
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
  const line = oneLine(text);
  return wrapRanges(line, Math.max(20, columns - indent)).map(
    ([start, end]) => ' '.repeat(indent) + line.slice(start, end).trimEnd(),
  );
}
