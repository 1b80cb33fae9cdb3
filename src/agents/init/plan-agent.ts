import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ConfigFile, missingFolders, readConfigFile, reasonOf, type Surroundings } from '../../core/index.js';
import { AGENT_HOSTS, type AgentEntry, type AgentHost, entriesOf, type Program } from './agent-hosts.js';
import { CONFIG_FORMATS, entriesAt, type JsonValue, nameOf, type Place } from './config-formats.js';
import type { InitRecord, WrittenEntry, WrittenFile } from './init-record.js';

/**
 * What happens to an entry: `kept` is one that was written or changed by something else, `gone` one that is no longer
 * there, and `refused` one whose file cannot be edited.
 */
export type EntryAction = 'add' | 'replace' | 'remove' | 'unchanged' | 'kept' | 'gone' | 'refused';

/** Lines of an entry as a user is shown them. Nothing else of a configuration is shown: it may have secrets in it. */
interface ShownEdit {
  /** The line of the file where they are, from 1. */
  readonly line: number;
  readonly removed: readonly string[];
  readonly inserted: readonly string[];
}

/** An entry as a user is shown it. */
export interface PlannedEntry {
  readonly part: AgentEntry['part'];
  readonly file: string;
  /** Where in the file, as `mcpServers.skills`. */
  readonly place: string;
  readonly action: EntryAction;
  readonly edits: readonly ShownEdit[];
  /** Why it is kept or refused. */
  readonly reason?: string;
}

/** A file that is to be written. */
export interface PlannedFile {
  readonly file: ConfigFile;
  /** Undefined if the file is to be deleted. */
  readonly text: string | undefined;
  /** What the record has of the file until it is written. */
  readonly before: WrittenFile;
  /** What the record has of it afterwards; undefined for nothing. */
  readonly after: WrittenFile | undefined;
  /** Whether something may be lost that nothing else has: a copy is kept then. */
  readonly needsCopy: boolean;
}

/** All that happens to the configuration of an agent: everything or nothing. */
export interface AgentPlan {
  readonly agent: string;
  readonly title: string;
  readonly entries: readonly PlannedEntry[];
  readonly files: readonly PlannedFile[];
  /** Files of the record of which nothing is left to undo. */
  readonly forgotten: readonly WrittenFile[];
  readonly notes: readonly string[];
  /** Files that cannot be edited, and why. */
  readonly faults: readonly string[];
}

/** Plans what `init` writes into the configuration of an agent. Reads its files and writes nothing. */
export function planAgent(
  host: AgentHost,
  of: Surroundings,
  program: Program,
  record: InitRecord,
  parts: readonly AgentEntry['part'][],
): AgentPlan {
  const { name: agent, title, hook } = host;
  const wanted = entriesOf(host, of, program).filter(({ part }) => parts.includes(part));
  const plans = [...new Set(wanted.map(({ file }) => file))].map((path) => {
    const entries = wanted.filter(({ file }) => file === path);
    const recorded = record.get(agent, path);
    const target = { agent, path, format: entries[0]!.format, recorded, entries };
    return planFile(target, (config, present) => entries.map((entry) => outcomeOf(entry, config, present, program)));
  });
  const faulty = plans.find(({ fault }) => fault !== undefined);
  const entries = plans.flatMap((plan) => plan.entries);
  if (faulty?.fault !== undefined) {
    // Nothing is written for an agent if any of its files cannot be.
    const { file, reason = '' } = faulty.entries[0]!;
    const refused = entries.map((one) => refusal(one.part, one.file, one.file === file ? reason : faulty.fault!));
    return { agent, title, entries: refused, files: [], forgotten: [], notes: [], faults: [faulty.fault] };
  }
  const isHookNew = entries.some(({ part, action }) => part === 'hook' && (action === 'add' || action === 'replace'));
  const notes = isHookNew && hook?.note !== undefined ? [hook.note] : [];
  const files = plans.flatMap(({ planned = [] }) => planned);
  return { agent, title, entries, files, forgotten: [], notes, faults: [] };
}

export function refusal(part: AgentEntry['part'], file: string, reason: string): PlannedEntry {
  return { part, file, place: '', action: 'refused', edits: [], reason };
}

/** Plans how what `init` wrote for an agent is undone. Reads its files and writes nothing. */
export function planRemoval(agent: string, written: readonly WrittenFile[]): AgentPlan {
  const title = AGENT_HOSTS.find(({ name }) => name === agent)?.title ?? agent;
  const plans = written.map((recorded) => {
    const { file: path, format, entries } = recorded;
    return planFile({ agent, path, format, recorded, entries }, (config, present) =>
      entries.map((entry) => {
        const { part, place } = entry;
        if (present.some((one) => one.part === part)) return { part, place, action: 'remove' };
        const others = entriesAt(config, place);
        const isChanged = place.kind === 'member' ? others.length > 0 : others.some((one) => isLike(one, entry));
        if (!isChanged) return { part, place, action: 'gone' };
        const reason = 'it was changed after init had written it: remove it by hand';
        return { part, place, action: 'kept', reason };
      }),
    );
  });
  return {
    ...{ agent, title, notes: [] },
    entries: plans.flatMap(({ entries }) => entries),
    files: plans.flatMap(({ planned = [] }) => planned),
    forgotten: written.filter((_, i) => plans[i]!.entries.every(({ action }) => action === 'gone')),
    faults: plans.flatMap(({ fault = [] }) => fault),
  };
}

/** A file, with what the record has of it, and the entries that are looked at. */
interface Target {
  readonly agent: string;
  readonly path: string;
  readonly format: WrittenFile['format'];
  readonly recorded: WrittenFile | undefined;
  readonly entries: readonly { readonly part: AgentEntry['part'] }[];
}

/** What happens to an entry, and what is written there: nothing where it is removed. */
interface Outcome extends Pick<PlannedEntry, 'part' | 'action' | 'reason'> {
  readonly place: Place;
  readonly value?: JsonValue;
}

interface FilePlan {
  readonly entries: readonly PlannedEntry[];
  readonly planned?: PlannedFile;
  /** Why the file cannot be edited. */
  readonly fault?: string;
}

/**
 * Every text that `init` writes is made of one without its entries, so that undoing leads back to that: of the former
 * text where nothing else has written since, else of the present one without what is ours.
 */
function planFile(
  { agent, path, format: name, recorded, entries }: Target,
  decide: (config: unknown, present: readonly StandingEntry[]) => readonly Outcome[],
): FilePlan {
  try {
    const file = readConfigFile(path);
    const { text = '' } = file;
    const format = CONFIG_FORMATS[name];
    const config = format.parse(text);
    const present = standing(recorded, config);
    const outcomes = decide(config, present);
    const shown = ({ place, value: _, ...outcome }: Outcome, edits: readonly ShownEdit[]): PlannedEntry => {
      return { ...outcome, file: path, place: nameOf(place), edits };
    };
    const changes = outcomes.filter(({ action }) => ['add', 'replace', 'remove'].includes(action));
    if (changes.length === 0) return { entries: outcomes.map((one) => shown(one, [])) };

    // Nothing else has written to it since `init` did.
    const isExact = file.text !== undefined && recorded?.digests.includes(digestOf(text)) === true;
    const former = isExact ? recorded.former : withoutAll(present, file.text, recorded);
    const isSettled = ({ part }: { part: string }): boolean =>
      changes.some((one) => one.part === part) || outcomes.some((one) => one.part === part && one.action === 'gone');
    const others = (recorded?.entries ?? []).filter((entry) => !isSettled(entry));
    const added = changes.flatMap(({ part, place, value }) => (value === undefined ? [] : { part, place, value }));
    const stay = present.filter(({ part }) => others.some((one) => one.part === part));
    const edited = [...stay, ...added].reduce((made, { place, value }) => format.add(made, place, value), former ?? '');
    const after: WrittenFile = {
      ...{ agent, file: path, format: name, former: added.length === 0 ? recorded!.former : former },
      entries: [
        ...others,
        ...added.map(({ part, place, value }) => {
          const known = recorded?.entries.find((one) => one.part === part);
          return { part, place, values: [...(known?.values ?? []), value] };
        }),
      ],
      digests: [...(isExact ? recorded.digests : []), digestOf(edited)],
      madeFolders: [...(recorded?.madeFolders ?? []), ...missingFolders(dirname(file.target))],
      backups: recorded?.backups ?? [],
    };
    const isNothing = former === null || (recorded?.former === null && /^\ufeff?\s*(?:\{\s*\})?\s*$/.test(edited));
    // What was written since is in no other copy.
    const needsCopy = file.text !== undefined && !isExact;
    const planned: PlannedFile =
      added.length > 0
        ? { file, text: edited, before: after, after, needsCopy }
        : {
            ...{ file, needsCopy, text: isNothing && others.length === 0 ? undefined : edited },
            ...{ before: recorded!, after: others.length === 0 ? undefined : after },
          };
    const editOf = ({ part, place, value }: Outcome): readonly ShownEdit[] => {
      const former = present.find((one) => one.part === part);
      const removed = former && format.linesOf(text, former.place, former.value);
      const inserted = value === undefined ? undefined : format.linesOf(edited, place, value);
      const { line } = (inserted ?? removed)!;
      return [{ line, removed: removed?.lines ?? [], inserted: inserted?.lines ?? [] }];
    };
    return { entries: outcomes.map((one) => shown(one, changes.includes(one) ? editOf(one) : [])), planned };
  } catch (error) {
    const reason = reasonOf(error);
    return { entries: entries.map(({ part }) => refusal(part, path, reason)), fault: `${path}: ${reason}` };
  }
}

/** What is to be done for an entry that is wanted. */
function outcomeOf(
  { part, value, ...entry }: AgentEntry,
  config: unknown,
  standingEntries: readonly StandingEntry[],
  program: Program,
): Outcome {
  const place = entry.place(config);
  const present = entriesAt(config, place);
  if (isAmong(present, value)) return { part, place, action: 'unchanged' };
  if (standingEntries.some((one) => one.part === part)) return { part, place, action: 'replace', value };
  const isOurs = (one: unknown): boolean => mentions(one, program.database) || mentions(one, program.entry);
  const similar = place.kind === 'member' ? present.length > 0 : present.some(isOurs);
  if (!similar) return { part, place, action: 'add', value };
  const reason = 'init did not write it as it is: rename or remove it and run init again';
  return { part, place, action: 'kept', reason };
}

type StandingEntry = Required<Pick<Outcome, 'part' | 'place' | 'value'>>;

/** The entries of the record that are in a configuration, each with the value that it has there. */
function standing(recorded: WrittenFile | undefined, config: unknown): readonly StandingEntry[] {
  return (recorded?.entries ?? []).flatMap(({ part, place, values }) => {
    const present = entriesAt(config, place);
    const value = values.findLast((one) => isAmong(present, one));
    return value === undefined ? [] : { part, place, value };
  });
}

/** A text without these entries; null if there was no file. */
function withoutAll(
  entries: readonly StandingEntry[],
  text: string | undefined,
  recorded: WrittenFile | undefined,
): string | null {
  if (recorded === undefined || text === undefined) return text ?? null;
  const { remove } = CONFIG_FORMATS[recorded.format];
  return entries.reduceRight((left, { place, value }) => remove(left, place, value, recorded.former ?? ''), text);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isAmong(values: readonly unknown[], value: JsonValue): boolean {
  return values.some((one) => isDeepStrictEqual(one, value));
}

/** Whether an element of a list has the command that we wrote. */
function isLike(element: unknown, { values }: WrittenEntry): boolean {
  return stringsIn(values).some((text) => /[\\/]/.test(text) && mentions(element, text));
}

/** Whether a text is anywhere in a value. */
function mentions(value: unknown, text: string): boolean {
  return stringsIn(value).some((one) => one.includes(text));
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
