import type { SkillNumber } from '../../core/index.js';
import { hasNotedBlobs, isMetaWhole } from '../facts.js';
import { readLineage } from '../lineage.js';
import { readMeta, writeMeta } from '../meta.js';
import type { NamedState } from '../shared-note.js';
import { areAllSigned } from '../signature-table.js';
import type { Connection } from '../sqlite/connection.js';
import type { OpenLoad } from './open-load.js';
import { countUnreported, type Unreported } from './report-notes.js';
import { carryStates, forgetFormerStates } from './superseding.js';
import type { NetChanges, WriterStatements } from './writer-statements.js';

/** What a load leaves for its end. */
export interface EndOfLoad {
  /** Whether there is something to write, beside what is in a working copy already. */
  hasWork(): boolean;
  /**
   * Writes it, inside the last transaction.
   *
   * @returns whether claims or derived labels changed
   */
  write(statements: WriterStatements): boolean;
  /** Whether skills are removed and nothing else is done: then the derived files of the state before stay in use. */
  readonly onlyRemoves?: boolean;
  /** Whether the load wrote again what was damaged, so that it is published even if it changed nothing else. */
  readonly hasMended?: boolean;
  /** Id of the model of the load, if it has one; see {@link keepOneModel}. */
  readonly model?: string | undefined;
  /** Skills that the load brought. */
  readonly brought?: ReadonlySet<SkillNumber>;
  /** The state that the load makes, if it has a name already: then it is published even if it changes nothing. */
  readonly state?: NamedState | undefined;
}

/** How many skills a load changed. */
export interface ChangeCounts extends NetChanges {
  /** Skills that the load brought and that were stored as they are. */
  readonly unchanged: number;
}

const NO_CHANGES: NetChanges = { added: 0, updated: 0, removed: 0 };
const NONE: ReadonlySet<SkillNumber> = new Set();

/**
 * Writes what is left for the end of a load, and publishes the load if it changed anything. A kill leaves nothing of
 * what is written here, because it goes into one transaction with the new stamp.
 *
 * Closes the files. No other load can start until `load.close()`.
 *
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE`; the working copy is kept then
 */
export function endLoad(load: OpenLoad, end: EndOfLoad): ChangeCounts {
  return load.guard(() => {
    const isNeeded = load.hasWorkingCopy || end.hasWork() || !areAllSigned(load.statements.connection);
    const changes = isNeeded ? publishIfChanged(load, end) : countFor(load.unreported, NO_CHANGES, load, end);
    load.closeFiles();
    return changes;
  });
}

function publishIfChanged(load: OpenLoad, end: EndOfLoad): ChangeCounts {
  const working = load.beginEnd();
  const { statements, base } = load;
  const hasChanged = end.write(statements);
  const wasComplete = base !== undefined && isMetaWhole(base.connection) && areAllSigned(base.connection);
  const keepsDerived = end.onlyRemoves === true && wasComplete;
  keepOneModel(statements, working, end.model, keepsDerived);
  if (!areAllSigned(working)) load.signatures?.signAll();
  const hadFormerStates = base !== undefined && readLineage(base.connection).length > 0;
  let noteState: ((stamp: string) => void) | undefined;
  if (keepsDerived) noteState = carryStates(working);
  else forgetFormerStates(working);
  // What a killed run deleted nobody has noted, and damage deletes without a note, too.
  const isBaseDoubtful = base !== undefined && !hasNotedBlobs(base.connection);
  statements.contents.deleteUnused(load.resumed || end.hasMended === true || isBaseDoubtful || hadFormerStates);

  const changes = base === undefined ? statements.countAllAsAdded() : statements.countChanges();
  const isFirst = readMeta(working, 'stamp') === undefined;
  const vectorsChanged =
    base !== undefined && statements.vectors.fingerprint('main') !== statements.vectors.fingerprint('base');
  const skillsChanged = changes.added + changes.updated + changes.removed > 0;
  const isChanged =
    isFirst ||
    !wasComplete ||
    end.hasMended === true ||
    hasChanged ||
    vectorsChanged ||
    skillsChanged ||
    end.state !== undefined;
  const toReport = base === undefined ? 'all-new' : sinceReport(load.unreported, statements);
  const counts = countFor(load.unreported === undefined ? undefined : toReport, changes, load, end);
  if (isChanged) load.publish(toReport === undefined ? formerVersions(statements) : toReport, noteState, end.state);
  else load.discard();
  return counts;
}

/** The counts of a report: of this run, or since an earlier run that was killed before it could report. */
function countFor(unreported: Unreported | undefined, own: NetChanges, load: OpenLoad, end: EndOfLoad): ChangeCounts {
  const { brought = NONE } = end;
  if (unreported !== undefined) return countUnreported(unreported, load.statements, brought);
  return { ...own, unchanged: brought.size - own.added - own.updated };
}

/** What this run and an earlier one changed together; undefined if there was no earlier one. */
function sinceReport(earlier: Unreported | undefined, statements: WriterStatements): Unreported | undefined {
  if (earlier === undefined || earlier === 'all-new') return earlier;
  return new Map([...formerVersions(statements), ...earlier]);
}

function* formerVersions({ touched }: WriterStatements): Generator<readonly [id: string, was: Buffer | null]> {
  for (const { id, was } of touched.iterate()) yield [id, was];
}

/**
 * Keeps the vectors of one model, and deletes all others: of the given model if it has any, else of the model that the
 * catalogue had, else of whatever model a killed run used.
 *
 * @param keepsUnused whether vectors stay whose text no skill has any more: a derived file may have them
 */
function keepOneModel(
  { vectors }: WriterStatements,
  working: Connection,
  model: string | undefined,
  keepsUnused: boolean,
): void {
  const made = vectors.models();
  const kept = [model, readMeta(working, 'model'), made[0]].find((id) => id !== undefined && made.includes(id));
  if (kept !== undefined) writeMeta(working, 'model', kept);
  vectors.keepOnly(kept, keepsUnused);
}
