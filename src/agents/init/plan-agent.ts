import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Surroundings } from '../../core/index.js';
import { type ConfigFile, missingFolders, readConfigFile, reasonOf } from '../../core/index.js';
import type { AgentEntry, AgentHost } from './agent-hosts.js';
import type { AgentPlan, EntryAction, PlannedEntry, PlannedFile } from './agent-plan.js';
import type { Place } from './config-format.js';
import { CONFIG_FORMATS } from './config-formats.js';
import { addEntry, type EditedConfig, replaceEntry } from './edit-config.js';
import { exactChange, undoExactly } from './exact-change.js';
import { asTheyStand, type InitRecord, isSameEntry, type WrittenEntry } from './init-record.js';
import type { Program } from './program.js';
import { type ShownEdit, showSteps } from './shown-edit.js';

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
      const draft = drafts.get(file) ?? new FileDraft(readConfigFile(file), record.inFile(host.name, file));
      drafts.set(file, draft);
      entries.push(planEntry(host.name, entry, draft, program));
    } catch (error) {
      return refusal(host, [...entries, { part: entry.part, file }], file, reasonOf(error));
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
  /** Undefined if there is no file. */
  text: string | undefined;
  /** What earlier runs wrote there, the first entry first. */
  readonly recorded: readonly WrittenEntry[];
  readonly #written: WrittenEntry[] = [];

  constructor(file: ConfigFile, recorded: readonly WrittenEntry[]) {
    this.file = file;
    this.text = file.text;
    this.recorded = asTheyStand(recorded, file.text);
  }

  /** Takes over an edited text. */
  write(edited: EditedConfig, entry: WrittenEntry): readonly ShownEdit[] {
    const shown = showSteps(this.text ?? '', edited.steps);
    this.text = edited.text;
    this.#written.push(entry);
    return shown;
  }

  planned(): readonly PlannedFile[] {
    if (this.#written.length === 0) return [];
    const asEdited = { text: this.text, written: this.#written, isExact: false };
    return [{ file: this.file, undone: [], ...(this.#anew() ?? asEdited) }];
  }

  /**
   * All entries, added anew to what the file was before the first of them. So the way back stays exact where entries
   * are replaced, as after a move of the package.
   *
   * @returns undefined if none is replaced, or somebody else has written to the file since
   */
  #anew(): Pick<PlannedFile, 'text' | 'written' | 'isExact'> | undefined {
    const added = this.#written.filter((entry) => !this.recorded.some((one) => isSameEntry(one, entry)));
    if (added.length === this.#written.length) return undefined;
    let text = this.file.text;
    for (const { exact } of this.recorded.toReversed()) {
      const former = undoExactly(exact, text);
      if (former === undefined) return undefined;
      text = former.text;
    }
    const kept = this.recorded.map(
      (one) => this.#written.find((entry) => isSameEntry(one, entry)) ?? { ...one, former: one },
    );
    const written = [...kept, ...added].map((entry) => {
      const edited = addEntry(CONFIG_FORMATS[entry.format], text ?? '', entry.place, entry.value);
      const exact = exactChange(text, edited);
      text = edited.text;
      return { ...entry, found: edited.found, exact };
    });
    return { text, written, isExact: true };
  }
}

function planEntry(agent: string, entry: AgentEntry, draft: FileDraft, program: Program): PlannedEntry {
  const { part, format } = entry;
  const file = draft.file.path;
  const { text = '' } = draft;
  const recorded = draft.recorded.find((one) => one.part === part);
  const place = entry.place(format.parse(text));
  const value = entry.value(program);
  const present = format.entries(text, place);
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
    ...(recorded !== undefined && { former: recorded }),
  };
  if (recorded !== undefined && isThere(recorded.value)) {
    const edited = replaceEntry(format, text, place, recorded.value, value);
    return shown('replace', draft.write(edited, { ...common, ...made, found: recorded.found }));
  }
  const similar = place.kind === 'member' ? present[0] : present.find((one) => isOurs(one, program));
  if (similar !== undefined) {
    const reason = recorded === undefined ? 'init did not write it' : 'it was changed after init had written it';
    return shown('kept', [], `${reason}: rename or remove it and run init again`);
  }
  const edited = addEntry(format, text, place, value);
  const exact = exactChange(draft.text, edited);
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
