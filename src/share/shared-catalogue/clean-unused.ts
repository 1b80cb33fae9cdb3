import type { RunStatement } from '../postgres/postgres-session.js';
import { SHARED_CATALOGUE_LIMITS } from './helpers.js';

/** Vectors, or blobs, that one statement deletes. What is left is for the next day. */
const MOST_DELETED = 100_000;

/** Which are handed out. With its text the vector goes, too, or it is one for loads again. */
const FORGET_UNUSED = `DELETE FROM skill_discovery.published_vector WHERE NOT EXISTS (
  SELECT FROM skill_discovery.skill WHERE skill.text_hash = published_vector.text_hash)`;

/** What says of a row of `vector` or `blob` that it may go. Each is one join: a catalogue may have millions of rows. */
const UNUSED: Readonly<Record<'vector' | 'blob', readonly string[]>> = {
  vector: [
    'model IS DISTINCT FROM (SELECT model FROM skill_discovery.catalogue)',
    'NOT EXISTS (SELECT FROM skill_discovery.skill WHERE skill.text_hash = vector.text_hash)',
  ],
  blob: [
    `NOT EXISTS (SELECT FROM skill_discovery.skill_file WHERE skill_file.sha256 = blob.sha256)
      AND NOT EXISTS (SELECT FROM skill_discovery.content_file WHERE content_file.sha256 = blob.sha256)`,
  ],
};

const KEYS = { vector: 'model, text_hash', blob: 'sha256' } as const;

/**
 * Deletes vectors and blobs that no skill has and that are older than some days, at most once a day. Nobody else may
 * publish meanwhile. A copy that reads has its snapshot, and still sees them. Where this takes too long it is left for
 * the next day: what is to be published must not fail of it.
 */
export async function cleanUnused(run: RunStatement): Promise<void> {
  const { unusedDays, cleaningHours } = SHARED_CATALOGUE_LIMITS;
  const due = await run({
    text: `UPDATE skill_discovery.catalogue SET cleaned_at = now()
      WHERE cleaned_at < now() - make_interval(hours => $1) RETURNING 1`,
    values: [cleaningHours],
  });
  if (due.length === 0) return;
  await run({ text: 'SAVEPOINT cleaning' });
  // Tables that were just written have no statistics, and the database takes each join for one of few rows. By nested
  // loops 15,000 vectors took minutes.
  await run({ text: 'SET LOCAL enable_nestloop = off' });
  try {
    await run({ text: FORGET_UNUSED });
    for (const table of ['vector', 'blob'] as const) {
      for (const unused of UNUSED[table]) {
        await run({
          text: `DELETE FROM skill_discovery.${table} WHERE (${KEYS[table]}) IN (
              SELECT ${KEYS[table]} FROM skill_discovery.${table}
              WHERE made_at < now() - make_interval(days => $1) AND ${unused} LIMIT ${MOST_DELETED})`,
          values: [unusedDays],
        });
      }
    }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== QUERY_CANCELED) throw error;
    await run({ text: 'ROLLBACK TO SAVEPOINT cleaning' });
  }
}

/** The database's code of a statement that took too long. */
const QUERY_CANCELED = '57014';
