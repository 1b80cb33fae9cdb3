import { AGENTS, inspectInstalled, shownPath, surroundings } from '../sources/index.js';
import { agentLines } from './agent-lines.js';
import { jsonOption } from './common-options.js';
import { agentOption } from './installed-option.js';
import { columnsOf, type Output, printJson, printLines } from './output.js';
import type { SetUp } from './set-up.js';
import { stylesFor } from './styles.js';

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
