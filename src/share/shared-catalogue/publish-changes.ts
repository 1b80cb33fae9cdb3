import { SkillSearchError } from '../../core/index.js';
import type { CatalogueChanges } from '../../store/index.js';
import { bytesOfImage, newStamp } from '../../store/index.js';
import type { PostgresPool } from '../postgres/postgres-pool.js';
import type { RunStatement } from '../postgres/postgres-session.js';
import { cleanUnused } from './clean-unused.js';
import { fromStoredText, inParts, runAlone, SHARED_CATALOGUE_LIMITS, toStoredText } from './helpers.js';
import { PublishedVectors } from './published-vectors.js';
import { stateOf } from './shared-changes.js';
import { type CatalogueRow, isKnown, PUBLISHED_AT, readCatalogueRow, type SharedState } from './shared-state.js';
import { UsedBytes } from './used-bytes.js';
import { noteModel } from './vector-table.js';
import { ImageWriter } from './write-images.js';

/** What became of changes that were to be published. */
export type PublishOutcome =
  /** @property isNext whether they were made from the version before: then the state is the one that they lead to */
  | { readonly kind: 'published'; readonly state: SharedState; readonly isNext: boolean }
  /**
   * Nothing was published: later versions have changed the same skills, or brought some of a source that was pruned.
   *
   * @property ids some of them; none if it is the model or the classifier that is another now
   */
  | { readonly kind: 'overlap'; readonly ids: readonly string[] }
  /** Nothing was published: the state that the changes were made from is not one of this catalogue, or too old. */
  | { readonly kind: 'unknown' };

/** Settings of {@link publishChanges}. */
export interface PublishOptions {
  readonly signal?: AbortSignal | undefined;
  /** Names of sources that were pruned: later versions must not have brought anything of them. */
  readonly pruned?: readonly string[] | undefined;
  /** Told how many of the changed skills are on their way. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Ids of an overlap that are told. */
const MOST_TOLD = 1000;

/** Ids of one statement. */
const IDS_TOGETHER = 10_000;

/**
 * Publishes changes as the next version, in one transaction. Whoever publishes has the row of the catalogue locked, so
 * loads publish one after the other, and nobody else deletes bytes or vectors meanwhile. These are sent on other
 * connections, and stay there if this ends early: the next load need not send them again.
 *
 * @param onto the state that the changes were made from
 */
export function publishChanges(
  pool: PostgresPool,
  changes: CatalogueChanges,
  onto: SharedState,
  { signal, pruned = [], onProgress = () => {} }: PublishOptions,
): Promise<PublishOutcome> {
  const { statementTime, publishingPause, publishedTogether, bytesTogether } = SHARED_CATALOGUE_LIMITS;
  return pool.session({ statementTime, pauseTime: publishingPause, signal }, async ({ run }) => {
    const head = await lockCatalogue(run, pool.address.shown);
    if (!(await isKnown(run, head, onto))) return { kind: 'unknown' };
    const isNext = onto.version === head.version;
    if (changes.stamp === onto.stamp) return { kind: 'published', state: stateOf(head), isNext };
    const overlap = isNext ? undefined : await overlapOf(run, head, changes, onto, pruned);
    if (overlap !== undefined) return { kind: 'overlap', ids: overlap };

    const version = head.version + 1;
    // Changes that others have been added to lead to a state that nobody has seen yet.
    const stamp = isNext ? changes.stamp : newStamp();
    const alone = runAlone(pool, signal);
    const model = changes.model && (await noteModel(alone, pool.address.shown, changes.model));
    const bytes = new UsedBytes(alone, changes, model);
    const writer = new ImageWriter(run, version);
    const vectors = new PublishedVectors(run, version, isNext);
    if (model?.number !== head.model?.number) await vectors.forgetAll();
    for (const ids of inParts(changes.removed, IDS_TOGETHER)) await writer.remove(ids);
    let done = 0;
    for await (const batch of changes.images()) {
      for (const images of inParts(batch, publishedTogether, bytesTogether, bytesOfImage)) {
        await writer.write(await bytes.send(images));
        await vectors.note(images);
        done += images.length;
        onProgress(done, changes.changed.length);
      }
    }
    if (done !== changes.changed.length) throw new RangeError(`${done} images of ${changes.changed.length} skills`);
    const [published] = await run<{ publishedAt: number }>({
      text: `INSERT INTO skill_discovery.version (version, stamp, published_at, changed, removed)
        VALUES ($1, $2, clock_timestamp(), $3, $4) RETURNING ${PUBLISHED_AT} AS "publishedAt"`,
      values: [version, stamp, done, changes.removed.length],
    });
    const oldest = await forgetOldVersions(run, version, head.oldest);
    await run({
      text: 'UPDATE skill_discovery.catalogue SET version = $1, stamp = $2, oldest = $3, model = $4, classifier = $5',
      values: [version, stamp, oldest, model?.number ?? null, storedOrNull(changes.classifier)],
    });
    await cleanUnused(run);
    return { kind: 'published', state: { identity: head.identity, version, stamp, ...published }, isNext };
  });
}

function storedOrNull(text: string | undefined): string | null {
  return text === undefined ? null : toStoredText(text);
}

/** Waits until nobody else publishes. */
async function lockCatalogue(run: RunStatement, shown: string): Promise<CatalogueRow> {
  const { lockTime, publishingWait } = SHARED_CATALOGUE_LIMITS;
  const began = performance.now();
  await run({ text: `SET LOCAL lock_timeout = ${lockTime}` });
  await run({ text: 'SAVEPOINT waiting' });
  for (;;) {
    try {
      await run({ text: 'SELECT FROM skill_discovery.catalogue FOR UPDATE' });
      await run({ text: 'SET LOCAL lock_timeout = 0' });
      // Another statement: one that has waited sees the row as it is now, but other tables as they were.
      return await readCatalogueRow(run);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      if (performance.now() - began > publishingWait) {
        const message = `another load has been publishing into ${shown} for ${publishingWait / 60_000} minutes`;
        throw new SkillSearchError('LOAD_IN_PROGRESS', message, { path: shown, cause: error });
      }
      await run({ text: 'ROLLBACK TO SAVEPOINT waiting' });
    }
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Ids that changes have in common with later versions; undefined if both can stand side by side. */
async function overlapOf(
  run: RunStatement,
  head: CatalogueRow,
  changes: CatalogueChanges,
  onto: SharedState,
  pruned: readonly string[],
): Promise<string[] | undefined> {
  const ids = [...changes.changed, ...changes.removed].map(toStoredText);
  const found: string[] = [];
  for (const part of inParts(ids, IDS_TOGETHER)) {
    // By the ids, of which there is an index: a join of what many loads have written could take hours.
    const rows = await run<{ id: string }>({
      text: `SELECT id FROM skill_discovery.skill WHERE id = ANY ($2) AND version > $1
        UNION ALL SELECT id FROM skill_discovery.removed WHERE id = ANY ($2) AND version > $1`,
      values: [onto.version, part],
    });
    found.push(...rows.map(({ id }) => fromStoredText(id)));
    if (found.length >= MOST_TOLD) break;
  }
  if (found.length > 0) return found.slice(0, MOST_TOLD);
  // Two loads of one source at the same time: what the other has brought is not in this one, and is to be pruned.
  const brought = await run<{ id: string }>({
    text: `SELECT id FROM skill_discovery.skill JOIN skill_discovery.claim ON claim.skill = skill.number
        JOIN skill_discovery.source ON source.number = claim.source
      WHERE version > $1 AND name = ANY ($2) ORDER BY id LIMIT ${MOST_TOLD}`,
    values: [onto.version, pruned.map(toStoredText)],
  });
  if (brought.length > 0) return brought.map(({ id }) => fromStoredText(id));
  // All skills have vectors of one model, and labels by the rules of one classifier.
  const isOfOne = changes.model?.id === head.model?.id && changes.classifier === head.classifier;
  return isOfOne ? undefined : [];
}

/** Forgets removed skills and versions beyond their bounds. @returns the first version from which changes are known */
async function forgetOldVersions(run: RunStatement, version: number, oldest: number): Promise<number> {
  const { removed, versions } = SHARED_CATALOGUE_LIMITS;
  // The latest version of the first one too many: a version is forgotten as a whole.
  const [beyond] = await run<{ version: number }>({
    text: `SELECT version::float8 AS version FROM skill_discovery.removed ORDER BY removed.version DESC OFFSET $1 LIMIT 1`,
    values: [removed],
  });
  const known = Math.max(oldest, beyond?.version ?? 0, version - versions);
  if (known === oldest) return oldest;
  await run({ text: 'DELETE FROM skill_discovery.removed WHERE version <= $1', values: [known] });
  await run({ text: 'DELETE FROM skill_discovery.version WHERE version < $1', values: [known] });
  return known;
}
