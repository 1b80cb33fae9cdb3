import type { CatalogueChanges, SkillImage } from '../../store/index.js';
import type { PostgresSession } from '../postgres/postgres-session.js';
import { readBlobs } from './blob-table.js';
import { fromStoredText } from './helpers.js';
import { readImages } from './read-images.js';
import { type CatalogueRow, isAhead, isKnown, readCatalogueRow, type SharedState } from './shared-state.js';
import { readPublishedVectors } from './vector-table.js';

/** What leads from a state of a shared catalogue to its present one. */
export interface SharedChanges extends CatalogueChanges {
  /** The present one. */
  readonly state: SharedState;
  /** Whether this is all that the catalogue has: what a copy has besides is to be removed. `removed` is empty then. */
  readonly isWhole: boolean;
  /** Whether the database is a standby that has not got to that state yet. No changes are known then. */
  readonly isBehind: boolean;
  /** The images of any skills, in this order, some at a time. */
  imagesOf(ids: readonly string[]): AsyncIterable<readonly SkillImage[]>;
}

/** Reads what has changed since a state, in a session that sees one state of the database. */
export async function readChanges(
  session: PostgresSession,
  shown: string,
  since: SharedState | undefined,
): Promise<SharedChanges> {
  const { run } = session;
  const head = await readCatalogueRow(run);
  const isBehind = since !== undefined && isAhead(since, head);
  const isWhole = !isBehind && (since === undefined || since.version === 0 || !(await isKnown(run, head, since)));
  const from = isWhole ? 0 : since!.version;
  const changed = await idsSince(session, 'skill', from);
  const removed = isWhole ? [] : await idsSince(session, 'removed', from);
  const { model } = head;
  return {
    state: stateOf(head),
    isWhole,
    isBehind,
    stamp: head.stamp,
    model: model === undefined ? undefined : { id: fromStoredText(model.id), dimensions: model.dimensions },
    classifier: head.classifier === undefined ? undefined : fromStoredText(head.classifier),
    removed,
    changed,
    images: () => readImages(session, shown, changed),
    imagesOf: (ids) => readImages(session, shown, ids),
    blobs: (digests) => readBlobs(session, shown, digests),
    vectors: async (textHashes) => (model === undefined ? [] : readPublishedVectors(session, shown, model, textHashes)),
  };
}

export function stateOf({ identity, version, stamp, publishedAt }: CatalogueRow): SharedState {
  return { identity, version, stamp, ...(publishedAt === undefined ? {} : { publishedAt }) };
}

/** Ids of which a table notes a later version, in order. */
async function idsSince({ copy }: PostgresSession, table: 'skill' | 'removed', version: number): Promise<string[]> {
  const rows = await copy(`SELECT id FROM skill_discovery.${table} WHERE version > ${version} ORDER BY id`);
  return rows.map(([id]) => fromStoredText(id!.toString()));
}
