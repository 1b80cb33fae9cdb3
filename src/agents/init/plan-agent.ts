import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ConfigFile, missingFolders, readConfigFile, reasonOf, type Surroundings } from '../../core/index.js';
import { AGENT_HOSTS, type AgentEntry, type AgentHost, type Program } from './agent-hosts.js';
import { CONFIG_FORMATS, entriesAt, type JsonValue, nameOf, type Place } from './config-formats.js';
import type { InitRecord, WrittenEntry, WrittenFile } from './init-record.js';

/**
 * What happens to an entry: `kept` is one that was written or changed by something else, `gone` one that is no longer
 * there, and `refused` one whose file cannot be edited.
 */
export type EntryAction = 'add' | 'replace' | 'remove' | 'unchanged' | 'kept' | 'gone' | 'refused';

/** Lines of an entry as a user is shown them. Nothing else of a configuration is shown: it may have secrets in it. */
export interface ShownEdit {
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
  const { name: agent, title } = host;
  const byFile = new Map<string, AgentEntry[]>();
  for (const entry of host.entries(of)) {
    if (!parts.includes(entry.part)) continue;
    const file = entry.files.find((path) => existsSync(path)) ?? entry.files[0];
    byFile.set(file, [...(byFile.get(file) ?? []), entry]);
  }
  const plans: FilePlan[] = [];
  for (const [file, wanted] of byFile) {
    try {
      plans.push(planFile(agent, readConfigFile(file), record.get(agent, file), wanted, program));
    } catch (error) {
      // Nothing is written for an agent if any of its files cannot be.
      const refused = [...byFile].flatMap(([path, entries]) =>
        entries.map(({ part }) => {
          const reason = path === file ? reasonOf(error) : `${file} cannot be edited`;
          return { part, file: path, place: '', action: 'refused' as const, edits: [], reason };
        }),
      );
      const faults = [`${file}: ${reasonOf(error)}`];
      return { agent, title, entries: refused, files: [], forgotten: [], notes: [], faults };
    }
  }
  const entries = plans.flatMap((plan) => plan.entries);
  const changed = entries.filter(({ action }) => action === 'add' || action === 'replace');
  const notes = changed.flatMap(({ part }) => host.notes?.[part] ?? []);
  return {
    agent,
    title,
    entries,
    files: plans.flatMap(({ planned = [] }) => planned),
    forgotten: [],
    notes,
    faults: [],
  };
}

interface FilePlan {
  readonly entries: readonly PlannedEntry[];
  readonly planned?: PlannedFile;
}

/**
 * Every text that `init` writes is made of one without its entries, so that undoing leads back to that: of the former
 * text where nothing else has written since, else of the present one without what is ours.
 */
function planFile(
  agent: string,
  file: ConfigFile,
  recorded: WrittenFile | undefined,
  wanted: readonly AgentEntry[],
  program: Program,
): FilePlan {
  const name = wanted[0]!.format;
  const format = CONFIG_FORMATS[name];
  const { text = '' } = file;
  const config = format.parse(text);
  const planned = wanted.map((entry) => ({
    ...planEntry(entry.part, entry.place(config), entry.value(program), config, recorded, program),
    part: entry.part,
  }));
  const isChange = ({ action }: { action: EntryAction }): boolean => action === 'add' || action === 'replace';
  const shown = (of: (typeof planned)[number], edits: readonly ShownEdit[]): PlannedEntry => {
    const { part, action, place, reason } = of;
    return { part, file: file.path, place: nameOf(place), action, edits, ...(reason !== undefined && { reason }) };
  };
  if (!planned.some(isChange)) return { entries: planned.map((one) => shown(one, [])) };

  const isExact = recorded !== undefined && isAsWritten(recorded, file.text);
  const present = standing(recorded, config);
  const former = isExact ? recorded.former : withoutAll(present, file.text, recorded);
  const others = (recorded?.entries ?? []).filter(
    ({ part }) => !planned.some((one) => one.part === part && isChange(one)),
  );
  const changes = planned.filter(isChange).map(({ part, place, value }): WrittenEntry => {
    const known = recorded?.entries.find((one) => one.part === part);
    return { part, place, values: [...(known?.values ?? []), value] };
  });
  let edited = former ?? '';
  for (const { place, value } of present.filter(({ part }) => others.some((one) => one.part === part))) {
    edited = format.add(edited, place, value);
  }
  for (const { place, values } of changes) edited = format.add(edited, place, values.at(-1)!);
  const after: WrittenFile = {
    ...{ agent, file: file.path, format: name, former },
    entries: [...others, ...changes],
    digests: [...(isExact ? recorded.digests : []), digestOf(edited)],
    madeFolders: [...(recorded?.madeFolders ?? []), ...missingFolders(dirname(file.target))],
    backups: recorded?.backups ?? [],
  };
  const entries = planned.map((one) => {
    if (!isChange(one)) return shown(one, []);
    const { line, lines } = format.linesOf(edited, one.place, one.value);
    const replaced = present.find(({ part }) => part === one.part);
    const removed = replaced === undefined ? [] : format.linesOf(text, replaced.place, replaced.value).lines;
    return shown(one, [{ line, removed, inserted: lines }]);
  });
  const needsCopy = file.text !== undefined && !isExact;
  return { entries, planned: { file, text: edited, before: after, after, needsCopy } };
}

function planEntry(
  part: AgentEntry['part'],
  place: Place,
  value: JsonValue,
  config: unknown,
  recorded: WrittenFile | undefined,
  program: Program,
): { action: EntryAction; place: Place; value: JsonValue; reason?: string } {
  const present = entriesAt(config, place);
  const known = recorded?.entries.find((one) => one.part === part);
  if (isAmong(present, value)) return { action: 'unchanged', place, value };
  if (standing(recorded, config).some((one) => one.part === part)) return { action: 'replace', place, value };
  const isOurs = (one: unknown): boolean => mentions(one, program.database) || mentions(one, program.entry);
  const similar = place.kind === 'member' ? present.length > 0 : present.some(isOurs);
  if (!similar) return { action: 'add', place, value };
  const reason = known === undefined ? 'init did not write it' : 'it was changed after init had written it';
  return { action: 'kept', place, value, reason: `${reason}: rename or remove it and run init again` };
}

/** Plans how what `init` wrote for an agent is undone. Reads its files and writes nothing. */
export function planRemoval(agent: string, written: readonly WrittenFile[]): AgentPlan {
  const title = AGENT_HOSTS.find(({ name }) => name === agent)?.title ?? agent;
  const plans = written.map(planUndoing);
  return {
    ...{ agent, title, notes: [] },
    entries: plans.flatMap(({ entries }) => entries),
    files: plans.flatMap(({ planned }) => planned ?? []),
    forgotten: written.filter((_, i) => plans[i]!.entries.every(({ action }) => action === 'gone')),
    faults: plans.flatMap(({ fault }) => fault ?? []),
  };
}

/** Undoes the entries of a file: at once, if nothing else has written to it since, else each by itself. */
function planUndoing(recorded: WrittenFile): FilePlan & { readonly fault?: string } {
  const { file: path, former } = recorded;
  const shown = (
    entry: WrittenEntry,
    action: EntryAction,
    edits: readonly ShownEdit[],
    reason?: string,
  ): PlannedEntry => ({
    ...{ part: entry.part, file: path, place: nameOf(entry.place), action, edits },
    ...(reason !== undefined && { reason }),
  });
  try {
    const file = readConfigFile(path);
    const { text = '' } = file;
    const format = CONFIG_FORMATS[recorded.format];
    const config = format.parse(text);
    const present = standing(recorded, config);
    const entries = recorded.entries.map((entry) => {
      const standsAs = present.find(({ part }) => part === entry.part);
      if (standsAs !== undefined) {
        const { line, lines } = format.linesOf(text, standsAs.place, standsAs.value);
        return shown(entry, 'remove', [{ line, removed: lines, inserted: [] }]);
      }
      const others = entriesAt(config, entry.place);
      const isChanged = entry.place.kind === 'member' ? others.length > 0 : others.some((one) => isLike(one, entry));
      if (!isChanged) return shown(entry, 'gone', []);
      return shown(entry, 'kept', [], 'it was changed after init had written it: remove it by hand');
    });
    if (present.length === 0) return { entries };
    const isExact = isAsWritten(recorded, file.text);
    const without = isExact ? former : withoutAll(present, text, recorded);
    const kept = recorded.entries.filter((_, i) => entries[i]!.action === 'kept');
    const after = kept.length === 0 ? undefined : { ...recorded, entries: kept, digests: [] };
    const isBare = former === null && /^\ufeff?\s*(?:\{\s*\})?\s*$/.test(without ?? '');
    const left = without === null || (isBare && kept.length === 0) ? undefined : without;
    // What was written since is in no other copy.
    return { entries, planned: { file, text: left, before: recorded, after, needsCopy: !isExact } };
  } catch (error) {
    const reason = reasonOf(error);
    return {
      entries: recorded.entries.map((entry) => shown(entry, 'refused', [], reason)),
      fault: `${path}: ${reason}`,
    };
  }
}

interface StandingEntry {
  readonly part: AgentEntry['part'];
  readonly place: Place;
  readonly value: JsonValue;
}

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

/** Whether nothing else has written to a file since `init` did. */
function isAsWritten({ digests }: WrittenFile, text: string | undefined): boolean {
  return text !== undefined && digests.includes(digestOf(text));
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
