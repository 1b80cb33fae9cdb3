import { createHash } from 'node:crypto';
import { SkillSearchError } from '../../core/index.js';
import { bytesOfImage, type CatalogueChanges, packBlob, type SkillImage } from '../../store/writing.js';
import type { PostgresPool } from '../postgres/postgres-pool.js';
import type { RunStatement } from '../postgres/postgres-session.js';
import { isSameRevision, PUBLISHED_AT, type Revision, readPresent } from './catalogue-tables.js';
import { encodeImage } from './shared-images.js';
import {
  distinct,
  inParts,
  missingBlobs,
  missingVectors,
  noteModel,
  runAlone,
  SHARED_CATALOGUE_LIMITS,
  type StoredModel,
  storeBlobs,
  storeVectors,
} from './stored-bytes.js';

/** Ids of one statement. */
const IDS_TOGETHER = 10_000;

/** Texts and blobs that are held packed, before they are sent. */
const HELD = 256;

/**
 * Publishes changes as the next version, in one transaction. Bytes and vectors are sent on other connections before,
 * and stay there if this ends early: the next load need not send them again.
 *
 * @param onto the revision that the changes were made from
 * @returns undefined if that is not the present one: nothing is published then
 * @throws {SkillSearchError} `MODEL_MISMATCH` if the model has another number of dimensions there; `DATABASE_DAMAGED`
 *   if the changes have not the bytes, or the vector, that an image names
 */
export function publishChanges(
  pool: PostgresPool,
  changes: CatalogueChanges,
  onto: Revision,
  signal: AbortSignal | undefined,
): Promise<Revision | undefined> {
  const { statementTime, publishingPause, publishedTogether, bytesTogether } = SHARED_CATALOGUE_LIMITS;
  return pool.session({ statementTime, pauseTime: publishingPause, signal }, async ({ run }) => {
    await run({ text: 'SELECT FROM skill_discovery.catalogue FOR UPDATE' });
    // Another statement: one that has waited sees the row as it is now, but other tables as they were.
    const present = await readPresent(run);
    if (!isSameRevision(onto, present)) return undefined;
    const { identity } = present;
    const [version, { stamp, removed, changed }] = [present.version + 1, changes];
    const alone = runAlone(pool, signal);
    const model = changes.model && (await noteModel(alone, pool.address.shown, changes.model));
    for (const ids of inParts(removed, IDS_TOGETHER)) {
      await run({
        text: `UPDATE skill_discovery.skill SET version = $1, image = NULL, text_hash = NULL, digests = ''
          WHERE id = ANY ($2) AND image IS NOT NULL`,
        values: [version, ids],
      });
    }
    let done = 0;
    for await (const batch of changes.images()) {
      for (const images of inParts(batch, publishedTogether, bytesTogether, bytesOfImage)) {
        const texts = await sendBytes(alone, changes, model, images);
        await run(insertOf(version, images, texts));
        done += images.length;
      }
    }
    if (done !== changed.length) throw new RangeError(`${done} images of ${changed.length} skills`);
    const [published] = await run<{ publishedAt: number }>({
      text: `INSERT INTO skill_discovery.revision (version, stamp, published_at) VALUES ($1, $2, clock_timestamp())
        RETURNING ${PUBLISHED_AT} AS "publishedAt"`,
      values: [version, stamp],
    });
    await run({
      text: 'UPDATE skill_discovery.catalogue SET version = $1, stamp = $2, oldest = $3, model = $4, classifier = $5',
      values: [
        version,
        stamp,
        await forgetOld(run, version, present.oldest),
        model?.number ?? null,
        changes.classifier ?? null,
      ],
    });
    await cleanUnused(run);
    return { identity, version, stamp, ...published };
  });
}

function insertOf(version: number, images: readonly SkillImage[], texts: readonly (readonly Buffer[])[]) {
  const digestsOf = ({ contents }: SkillImage, i: number): string =>
    [...texts[i]!, ...keptIn(contents)].map((digest) => digest.toString('hex')).join(' ');
  const stored = (image: SkillImage, i: number): string => {
    const files = image.files.map(({ filename, text }, at) => ({
      filename,
      sha256: texts[i]![at]!,
      size: Buffer.byteLength(text),
    }));
    return encodeImage({ ...image, files });
  };
  return {
    text: `INSERT INTO skill_discovery.skill (id, version, text_hash, digests, image)
      SELECT id, $1, text_hash, digests, image
      FROM unnest($2::text[], $3::bytea[], $4::text[], $5::text[]) AS given (id, text_hash, digests, image)
      ON CONFLICT (id) DO UPDATE SET version = excluded.version, text_hash = excluded.text_hash,
        digests = excluded.digests, image = excluded.image`,
    values: [
      version,
      images.map(({ columns }) => columns.id),
      images.map(({ columns }) => columns.textHash),
      images.map(digestsOf),
      images.map(stored),
    ],
  };
}

/**
 * Sends the bytes and vectors of images where they are missing.
 *
 * @returns for each image the digests of its texts
 */
async function sendBytes(
  run: RunStatement,
  changes: CatalogueChanges,
  model: StoredModel | undefined,
  images: readonly SkillImage[],
): Promise<Buffer[][]> {
  const texts = new Map<string, string>();
  const digests = images.map(({ files }) => files.map(({ text }) => noteText(text, texts)));
  for (const part of inParts(await missingBlobs(run, distinct(digests.flat())), HELD)) {
    const packed = part.map((digest) => digest.toString('hex')).map((sha256) => [sha256, texts.get(sha256)!] as const);
    await storeBlobs(run, await Promise.all(packed.map(([sha256, text]) => packBlob(sha256, Buffer.from(text)))));
  }
  const kept = images.flatMap(({ contents }) => keptIn(contents));
  for (const part of inParts(await missingBlobs(run, distinct(kept)), HELD)) {
    const blobs = await changes.blobs(part);
    if (blobs.length < part.length) throw new SkillSearchError('DATABASE_DAMAGED', 'the bytes of a file are missing');
    await storeBlobs(run, blobs);
  }
  const hashes = distinct(images.filter(({ hasVector }) => hasVector).map(({ columns }) => columns.textHash));
  if (model === undefined || hashes.length === 0) return digests;
  const lacking = await missingVectors(run, model, hashes);
  const vectors = lacking.length === 0 ? [] : await changes.vectors(lacking);
  if (vectors.length < lacking.length) {
    throw new SkillSearchError('DATABASE_DAMAGED', 'the vectors of some texts are missing');
  }
  await storeVectors(run, model, vectors);
  return digests;
}

/** Digests of the files that are kept as blobs. */
export function keptIn(contents: SkillImage['contents']): Buffer[] {
  return (contents?.files ?? []).filter(({ kept }) => kept === 'blob').map(({ sha256 }) => sha256);
}

function noteText(text: string, texts: Map<string, string>): Buffer {
  const digest = createHash('sha256').update(text).digest();
  texts.set(digest.toString('hex'), text);
  return digest;
}

/** Forgets removed skills and revisions beyond their bounds. @returns the first version from which changes are known */
async function forgetOld(run: RunStatement, version: number, oldest: number): Promise<number> {
  const { removed, versions } = SHARED_CATALOGUE_LIMITS;
  // The latest version of the first one too many: a version is forgotten as a whole.
  const [beyond] = await run<{ version: number }>({
    text: `SELECT version::float8 AS version FROM skill_discovery.skill WHERE image IS NULL
      ORDER BY skill.version DESC OFFSET $1 LIMIT 1`,
    values: [removed],
  });
  const known = Math.max(oldest, beyond?.version ?? 0, version - versions);
  if (known === oldest) return oldest;
  await run({ text: 'DELETE FROM skill_discovery.skill WHERE image IS NULL AND version <= $1', values: [known] });
  await run({ text: 'DELETE FROM skill_discovery.revision WHERE version < $1', values: [known] });
  return known;
}

/** Vectors, or blobs, that one statement deletes. What is left is for the next day. */
const MOST_DELETED = 100_000;

/** What says of a row of `vector` or `blob` that it may go. Each is one join: a catalogue may have millions of rows. */
const UNUSED = [
  ['vector', 'model, text_hash', 'model IS DISTINCT FROM (SELECT model FROM skill_discovery.catalogue)'],
  [
    'vector',
    'model, text_hash',
    'NOT EXISTS (SELECT FROM skill_discovery.skill WHERE skill.text_hash = vector.text_hash)',
  ],
  ['blob', 'sha256', 'NOT EXISTS (SELECT FROM used WHERE used.sha256 = blob.sha256)'],
] as const;

/**
 * Deletes vectors and blobs that no skill has and that are older than some days, at most once a day. A replica that
 * reads has its snapshot of the database, and still sees them. Where this takes too long it is left for the next day:
 * what is to be published must not fail of it.
 */
async function cleanUnused(run: RunStatement): Promise<void> {
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
    for (const [table, key, unused] of UNUSED) {
      await run({
        text: `WITH used AS MATERIALIZED (
            SELECT DISTINCT decode(unnest(string_to_array(digests, ' ')), 'hex') AS sha256 FROM skill_discovery.skill)
          DELETE FROM skill_discovery.${table} WHERE (${key}) IN (
            SELECT ${key} FROM skill_discovery.${table}
            WHERE made_at < now() - make_interval(days => $1) AND ${unused} LIMIT ${MOST_DELETED})`,
        values: [unusedDays],
      });
    }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== QUERY_CANCELED) throw error;
    await run({ text: 'ROLLBACK TO SAVEPOINT cleaning' });
  }
}

/** The database's code of a statement that took too long. */
const QUERY_CANCELED = '57014';
