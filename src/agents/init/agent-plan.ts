import type { ConfigFile } from '../../core/index.js';
import type { AgentEntry } from './agent-hosts.js';
import type { WrittenEntry } from './init-record.js';
import type { ShownEdit } from './shown-edit.js';

/**
 * What happens to an entry: `kept` is one that somebody else wrote or changed, `gone` one that is no longer there, and
 * `refused` one whose file cannot be edited.
 */
export type EntryAction = 'add' | 'replace' | 'remove' | 'unchanged' | 'kept' | 'gone' | 'refused';

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
  /** What is in the record afterwards. */
  readonly written: readonly WrittenEntry[];
  /** What is no longer in the record afterwards. */
  readonly undone: readonly WrittenEntry[];
  /** Whether nothing of the former text is lost that is not ours: no copy is kept then. */
  readonly isExact: boolean;
}

/** All that happens to the configuration of an agent: everything or nothing. */
export interface AgentPlan {
  readonly agent: string;
  readonly title: string;
  readonly entries: readonly PlannedEntry[];
  readonly files: readonly PlannedFile[];
  /** Entries of the record that need nothing any more. */
  readonly forgotten: readonly WrittenEntry[];
  readonly notes: readonly string[];
  /** Files that cannot be edited, and why. */
  readonly faults: readonly string[];
}

/** Whether anything is to be written. */
export function hasChanges(plan: AgentPlan): boolean {
  return plan.files.length > 0;
}
