import { isDeepStrictEqual } from 'node:util';
import { readConfigFile, reasonOf } from '../../core/index.js';
import { AGENT_HOSTS } from './agent-hosts.js';
import type { AgentPlan, EntryAction, PlannedEntry, PlannedFile } from './agent-plan.js';
import { CONFIG_FORMATS } from './config-formats.js';
import { removeEntry } from './edit-config.js';
import { undoExactly } from './exact-change.js';
import { asTheyStand, type WrittenEntry } from './init-record.js';
import { mentions, nameOf } from './plan-agent.js';
import { type ShownEdit, showEdits, showSteps } from './shown-edit.js';

/** Plans how what `init` wrote for an agent is undone. Reads its files and writes nothing. */
export function planRemoval(agent: string, written: readonly WrittenEntry[]): AgentPlan {
  const title = AGENT_HOSTS.find(({ name }) => name === agent)?.title ?? agent;
  const files = [...new Set(written.map(({ file }) => file))];
  const plans = files.map((path) => planFile(written.filter(({ file }) => file === path)));
  return {
    ...{ agent, title, notes: [] },
    entries: plans.flatMap(({ entries }) => entries),
    files: plans.flatMap(({ planned }) => planned ?? []),
    forgotten: plans.flatMap(({ forgotten }) => forgotten),
    faults: plans.flatMap(({ fault }) => fault ?? []),
  };
}

interface FilePlan {
  readonly entries: readonly PlannedEntry[];
  readonly planned?: PlannedFile;
  readonly forgotten: readonly WrittenEntry[];
  readonly fault?: string;
}

/** Undoes the entries of a file, the last first. */
function planFile(written: readonly WrittenEntry[]): FilePlan {
  const [{ file: path, madeFile }] = written as [WrittenEntry, ...WrittenEntry[]];
  try {
    const file = readConfigFile(path);
    const undone: WrittenEntry[] = [];
    const forgotten: WrittenEntry[] = [];
    const entries: PlannedEntry[] = [];
    let text: string | undefined = file.text;
    let isExact = true;
    for (const entry of asTheyStand(written, text).toReversed()) {
      const outcome = undo(entry, text);
      entries.unshift(shown(entry, outcome));
      if (outcome.action === 'gone') forgotten.push(entry);
      if (outcome.action !== 'remove') continue;
      undone.push(entry);
      text = outcome.text;
      isExact &&= outcome.isExact;
    }
    if (undone.length === 0) return { entries, forgotten };
    const isLast = undone.length + forgotten.length === written.length;
    const left = madeFile && isLast && text !== undefined && isBare(text, written[0]!) ? undefined : text;
    return { entries, forgotten, planned: { file, text: left, written: [], undone, isExact } };
  } catch (error) {
    const reason = reasonOf(error);
    const entries = written.map((entry) => shown(entry, { action: 'refused', reason }));
    return { forgotten: [], entries, fault: `${path}: ${reason}` };
  }
}

type Outcome =
  | { readonly action: Exclude<EntryAction, 'remove'>; readonly reason?: string }
  | {
      readonly action: 'remove';
      readonly text: string | undefined;
      readonly edits: readonly ShownEdit[];
      readonly isExact: boolean;
    };

function undo(entry: WrittenEntry, text: string | undefined): Outcome {
  if (text === undefined) return { action: 'gone' };
  const { exact, place, value, found } = entry;
  const former = undoExactly(exact, text);
  if (former !== undefined) {
    return { action: 'remove', text: former.text, edits: showEdits(text, former.edits), isExact: true };
  }
  const format = CONFIG_FORMATS[entry.format];
  const present = format.entries(text, place);
  if (present.some((one) => isDeepStrictEqual(one, value))) {
    const edited = removeEntry(format, text, place, value, found);
    return { action: 'remove', text: edited.text, edits: showSteps(text, edited.steps), isExact: false };
  }
  const isChanged = place.kind === 'member' ? present.length > 0 : present.some((one) => isLike(one, value));
  if (!isChanged) return { action: 'gone' };
  return { action: 'kept', reason: 'it was changed after init had written it: remove it by hand' };
}

/** Whether an element of a list has the command that we wrote. */
function isLike(element: unknown, value: unknown): boolean {
  const commands = stringsIn(value).filter((text) => /[\\/]/.test(text));
  return commands.some((command) => mentions(element, command));
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Whether a text has no entry and no comment. */
function isBare(text: string, { format }: WrittenEntry): boolean {
  return format === 'toml' ? text.trim() === '' : /^\ufeff?\s*(?:\{\s*\})?\s*$/.test(text);
}

function shown({ part, file, place }: WrittenEntry, outcome: Outcome): PlannedEntry {
  const { action } = outcome;
  const edits = outcome.action === 'remove' ? outcome.edits : [];
  const reason = outcome.action === 'remove' ? undefined : outcome.reason;
  return { part, file, place: nameOf(place), action, edits, ...(reason === undefined ? {} : { reason }) };
}
