import type { AgentPlan, CataloguePlan, EntryAction, InitPlan, PlannedEntry, ShownEdit } from '../agents/index.js';
import { blankUnsafe, oneLine } from './terminal-text.js';

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
export function planLines({ agents, catalogues }: InitPlan): string[] {
  return [
    ...agents.flatMap(agentLines),
    ...catalogues.map(({ database, action }) => `The catalogue ${oneLine(database)} ${CATALOGUES[action]}.`),
  ];
}

function agentLines({ agent, title, entries }: AgentPlan): string[] {
  return [`${title} (${agent})`, ...entries.flatMap(entryLines), ''];
}

function entryLines({ file, place, action, reason, edits }: PlannedEntry): string[] {
  const why = reason === undefined ? '' : `: ${oneLine(reason)}`;
  const what = place === '' ? '' : `${place} `;
  return [`  ${oneLine(file)}: ${what}${ACTIONS[action]}${why}`, ...edits.flatMap(editLines)];
}

function editLines({ line, removed, inserted }: ShownEdit): string[] {
  return [
    `    line ${line}`,
    ...removed.map((text) => `    - ${codeLine(text)}`),
    ...inserted.map((text) => `    + ${codeLine(text)}`),
  ];
}

/** Keeps the indentation. */
function codeLine(text: string): string {
  return blankUnsafe(text.replaceAll('\t', '  '));
}
