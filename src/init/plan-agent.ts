import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Surroundings } from '../user-folders.js';
import type { AgentEntry, AgentHost } from './agent-hosts.js';
import type { AgentPlan, EntryAction, PlannedEntry, PlannedFile } from './agent-plan.js';
import { ConfigFault } from './config-fault.js';
import { type ConfigFile, digestOf, readConfigFile } from './config-file.js';
import type { Place } from './config-format.js';
import { addEntry, type EditedConfig, replaceEntry } from './edit-config.js';
import { missingFolders } from './folders.js';
import type { InitRecord, WrittenEntry } from './init-record.js';
import type { Program } from './program.js';
import { type ShownEdit, showEdits } from './shown-edit.js';
import { applyEdits } from './text-edit.js';

/** Plans what `init` writes into the configuration of an agent. Reads its files and writes nothing. */
export function planAgent(
  host: AgentHost,
  of: Surroundings,
  program: Program,
  record: InitRecord,
  parts: readonly AgentEntry['part'][],
): AgentPlan {
  const drafts = new Map<string, FileDraft>();
  const entries: PlannedEntry[] = [];
  const wanted = host.entries(of).filter(({ part }) => parts.includes(part));
  for (const entry of wanted) {
    const file = entry.files.find((path) => existsSync(path)) ?? entry.files[0];
    try {
      const draft = drafts.get(file) ?? new FileDraft(readConfigFile(file));
      drafts.set(file, draft);
      entries.push(planEntry(host.name, entry, draft, program, record));
    } catch (error) {
      if (!(error instanceof ConfigFault)) throw error;
      return refusal(host, [...entries, { part: entry.part, file }], file, error.message);
    }
  }
  const files = [...drafts.values()].flatMap((draft) => draft.planned());
  const changed = entries.filter(({ action }) => action === 'add' || action === 'replace');
  const notes = changed.flatMap(({ part }) => host.notes?.[part] ?? []);
  return { agent: host.name, title: host.title, entries, files, forgotten: [], notes, faults: [] };
}

/** A file with the entries that were planned into it so far. */
class FileDraft {
  readonly file: ConfigFile;
  text: string;
  readonly #written: WrittenEntry[] = [];

  constructor(file: ConfigFile) {
    this.file = file;
    this.text = file.text ?? '';
  }

  /** Takes over an edited text. */
  write(edited: EditedConfig, entry: WrittenEntry): readonly ShownEdit[] {
    let text = this.text;
    const shown = edited.steps.flatMap((edits) => {
      const before = text;
      text = applyEdits(text, edits);
      return showEdits(before, edits);
    });
    this.text = edited.text;
    this.#written.push(entry);
    return shown;
  }

  /** The digest of the text so far; null if there is no file. */
  get digest(): string | null {
    return this.file.text === undefined && this.#written.length === 0 ? null : digestOf(this.text);
  }

  planned(): readonly PlannedFile[] {
    if (this.#written.length === 0) return [];
    return [{ file: this.file, text: this.text, written: this.#written, undone: [], isExact: false }];
  }
}

function planEntry(
  agent: string,
  entry: AgentEntry,
  draft: FileDraft,
  program: Program,
  record: InitRecord,
): PlannedEntry {
  const { part, format } = entry;
  const file = draft.file.path;
  const recorded = record.find({ agent, part, file });
  const place = entry.place(format.parse(draft.text));
  const value = entry.value(program);
  const present = format.entries(draft.text, place);
  const shown = (action: EntryAction, edits: readonly ShownEdit[], reason?: string): PlannedEntry => ({
    ...{ part, file, place: nameOf(place), action, edits },
    ...(reason === undefined ? {} : { reason }),
  });
  const isThere = (one: unknown): boolean => present.some((other) => isDeepStrictEqual(other, one));

  if (isThere(value)) return shown('unchanged', []);
  const common = { agent, part, file, format: format.name, place, value };
  const made = {
    madeFile: recorded?.madeFile === true || draft.file.text === undefined,
    madeFolders: [...(recorded?.madeFolders ?? []), ...missingFolders(dirname(draft.file.target))],
    backups: recorded?.backups ?? [],
  };
  if (recorded !== undefined && isThere(recorded.value)) {
    const edited = replaceEntry(format, draft.text, place, recorded.value, value);
    return shown('replace', draft.write(edited, { ...common, ...made, found: recorded.found }));
  }
  const similar = place.kind === 'member' ? present[0] : present.find((one) => isOurs(one, program));
  if (similar !== undefined) {
    const reason = recorded === undefined ? 'init did not write it' : 'it was changed after init had written it';
    return shown('kept', [], `${reason}: rename or remove it and run init again`);
  }
  const before = draft.digest;
  const edited = addEntry(format, draft.text, place, value);
  const exact = { edits: edited.steps[0]!, before, after: digestOf(edited.text) };
  return shown('add', draft.write(edited, { ...common, ...made, found: edited.found, exact }));
}

/** Whether an entry has our catalogue, or starts our program. */
function isOurs(entry: unknown, { database, entry: program }: Program): boolean {
  return mentions(entry, database) || mentions(entry, program);
}

/** Whether a text is anywhere in a value. */
export function mentions(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text);
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => mentions(one, text));
}

/** A place as people write it. */
export function nameOf({ keys }: Place): string {
  return keys.join('.');
}

/** Nothing is written for an agent if any of its files cannot be. */
function refusal(
  host: AgentHost,
  planned: readonly (Pick<PlannedEntry, 'part' | 'file'> & Partial<PlannedEntry>)[],
  file: string,
  fault: string,
): AgentPlan {
  const entries = planned.map((entry) => {
    const reason = entry.file === file ? fault : `${file} cannot be edited`;
    return { place: '', ...entry, action: 'refused' as const, edits: [], reason };
  });
  const faults = [`${file}: ${fault}`];
  return { agent: host.name, title: host.title, entries, files: [], forgotten: [], notes: [], faults };
}
