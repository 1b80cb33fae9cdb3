import { existsSync } from 'node:fs';
import type { SkillNumber } from '../../core/index.js';
import { MAX_CHANGED_IN_PLACE } from '../../core/index.js';
import { readMeta } from '../meta.js';
import { type NamedState, noteIn, writeNote } from '../shared-note.js';
import { endChange } from '../write/end-change.js';
import { endLoad } from '../write/end-load.js';
import { OpenChange } from '../write/open-change.js';
import { loadKey, OpenLoad } from '../write/open-load.js';
import { revertKilledRun } from '../write/revert-killed-run.js';
import { forgetUnclaimedRows } from '../write/row-notes.js';
import type { CatalogueChanges } from './catalogue-changes.js';
import { headOf } from './catalogue-head.js';
import { bytesOf, type FetchedImages, fetchImages } from './fetch-images.js';
import { ImageWriter } from './image-writer.js';

/** Bytes of skills that are held in memory for a change in place: more are written as a whole load, in batches. */
const MOST_BYTES_IN_PLACE: number = 64 * 2 ** 20;

export interface ApplyOptions {
  /** What is noted of the state that this makes; see `readNamedState`. */
  readonly note: string;
  /** Called now and then with the number of changed skills that are written. */
  readonly onProgress?: ((done: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Brings a catalogue to the later state that changes lead to, or makes it. Few changes are written in place, in one
 * transaction; more by a working copy that is published as that of a load. Killed at any moment, the catalogue is in
 * the state before or in the later one, and the next call goes on. Derived files are left alone.
 *
 * @param database its file
 * @param changes from the catalogue's state; what they say of more skills than have changed does no harm
 * @throws {SkillSearchError} `DATABASE_DAMAGED` if a skill is not what its hash says: it is named, and nothing is
 *   changed; `LOAD_IN_PROGRESS`, `DATABASE_NOT_WRITABLE`, and those of opening a catalogue
 * @throws the signal's reason when aborted
 */
export async function applyChanges(database: string, changes: CatalogueChanges, options: ApplyOptions): Promise<void> {
  options.signal?.throwIfAborted();
  const outcome = (await applyInPlace(database, changes, options)) ?? (await applyAsLoad(database, changes, options));
  if (outcome === 'there, with another note') writeNote(database, options.note);
}

type Outcome = 'applied' | 'there' | 'there, with another note';

/** @returns undefined if a whole load is needed */
async function applyInPlace(
  database: string,
  changes: CatalogueChanges,
  { note, onProgress, signal }: ApplyOptions,
): Promise<Outcome | undefined> {
  const { removed, changed, stamp } = changes;
  if (removed.length + changed.length > MAX_CHANGED_IN_PLACE || !existsSync(database)) return undefined;
  const change = await OpenChange.inTurn(database, signal);
  if (change === undefined) return undefined;
  try {
    const there = isThere(change, { stamp, note });
    if (there !== undefined) return there;
    if (!hasHeadOf(change, changes)) return undefined;
    const fetched: FetchedImages[] = [];
    let bytes = 0;
    for await (const batch of fetchImages(changes, () => change.statements)) {
      signal?.throwIfAborted();
      fetched.push(batch);
      bytes += bytesOf(batch);
      // Readers of former states may look for what a vector belongs to: only a working copy can do without it.
      if (bytes > MOST_BYTES_IN_PLACE || batch.voidVectors.length > 0) return undefined;
    }
    endChange(change, {
      hasWork: () => true,
      state: { stamp, note },
      write: () => {
        const writer = new ImageWriter(change, false);
        for (const id of removed) writer.remove(id);
        for (const batch of fetched) write(change, changes, batch, writer);
        return true;
      },
    });
    onProgress?.(changed.length);
    return 'applied';
  } finally {
    change.close();
  }
}

async function applyAsLoad(
  database: string,
  changes: CatalogueChanges,
  { note, onProgress, signal }: ApplyOptions,
): Promise<Outcome> {
  const { stamp, removed } = changes;
  const exists = existsSync(database);
  // What a killed run wrote into a new catalogue serves for any state. Else it may have written over what this one
  // leaves as it is.
  const load = new OpenLoad(database, loadKey(['shared', ...(exists ? [stamp] : [])]), exists);
  try {
    const there = isThere(load, { stamp, note });
    if (there !== undefined) return there;
    const isFirst = load.base === undefined;
    const brought = new Set<SkillNumber>();
    const writer = new ImageWriter(load, isFirst && !load.resumed);
    load.guard(() => {
      forgetOtherVectors(load, changes);
      for (const id of removed) writer.remove(id);
    });
    let done = 0;
    for await (const batch of fetchImages(changes, () => load.statements)) {
      signal?.throwIfAborted();
      load.guard(() => {
        const skills = write(load, changes, batch, writer);
        if (isFirst && load.resumed) for (const skill of skills) brought.add(skill);
      });
      done += batch.images.length;
      onProgress?.(done);
    }
    endLoad(load, {
      hasWork: () => true,
      state: { stamp, note },
      onlyRemoves: changes.changed.length === 0,
      model: changes.model?.id,
      write: (statements) => {
        if (isFirst && load.resumed) revertKilledRun(statements, false, brought);
        if (changes.classifier === undefined) statements.labels.restart(undefined);
        else statements.labels.useRules(changes.classifier);
        statements.labels.deleteVoid();
        forgetUnclaimedRows(statements.connection);
        return true;
      },
    });
    load.reported();
    return 'applied';
  } finally {
    load.close();
  }
}

/** Whether a catalogue is in a state already; undefined if it is not. */
function isThere({ base }: OpenLoad | OpenChange, { stamp, note }: NamedState): Outcome | undefined {
  if (base === undefined || readMeta(base.connection, 'stamp') !== stamp) return undefined;
  return noteIn(base.connection) === note ? 'there' : 'there, with another note';
}

/** Whether vectors and derived labels of the skills that do not change are those of the later state. */
function hasHeadOf({ base }: OpenChange, { model, classifier }: CatalogueChanges): boolean {
  const head = headOf(base.connection);
  if (head.classifier !== classifier) return false;
  return model === undefined || (head.model?.id === model.id && head.model.dimensions === model.dimensions);
}

/** @returns the numbers of the skills */
function write(
  load: OpenLoad | OpenChange,
  { model }: CatalogueChanges,
  { images, vectors, voidVectors }: FetchedImages,
  writer: ImageWriter,
): SkillNumber[] {
  for (const textHash of voidVectors) load.write().vectors.forget(textHash);
  const skills = images.map(({ checked, blobs }) => writer.put(checked, blobs));
  if (model !== undefined) {
    for (const { textHash, embedding } of vectors) load.write().vectors.putEncoded(model, textHash, embedding);
  }
  return skills;
}

/** Deletes vectors of the model that have another length: those of the later state all come. */
function forgetOtherVectors(load: OpenLoad, { model }: CatalogueChanges): void {
  const present = model && load.statements.vectors.dimensions(model.id);
  if (present !== undefined && present !== model?.dimensions) load.write().vectors.keepOnly(undefined, true);
}
