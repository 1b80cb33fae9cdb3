import { createHash } from 'node:crypto';
import { SkillSearchError } from '../../core/index.js';
import { blobsIn, bytesOfImage, type CatalogueChanges, packBlob, type SkillImage } from '../../store/writing.js';
import type { PostgresPool } from '../postgres/postgres-pool.js';
import type { RunStatement } from '../postgres/statements.js';
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
    await run({ text: LOCK });
    // Another statement: one that has waited sees the row as it is now, but other tables as they were.
    const present = await readPresent(run);
    if (!isSameRevision(onto, present)) return undefined;
    const { identity } = present;
    const [version, { stamp, removed, changed, classifier }] = [present.version + 1, changes];
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
        await run(insertOf(version, images, await sendBytes(alone, changes, model, images)));
        done += images.length;
      }
    }
    if (done !== changed.length) throw new RangeError(`${done} images of ${changed.length} skills`);
    const [published] = await run<Pick<Revision, 'publishedAt'>>({
      text: `INSERT INTO skill_discovery.revision (version, stamp, published_at) VALUES ($1, $2, clock_timestamp())
        RETURNING ${PUBLISHED_AT} AS "publishedAt"`,
      values: [version, stamp],
    });
    await run({
      text: 'UPDATE skill_discovery.catalogue SET version = $1, stamp = $2, model = $3, classifier = $4',
      values: [version, stamp, model?.number ?? null, classifier ?? null],
    });
    return { identity, version, stamp, ...published! };
  });
}

/** What keeps others from publishing until the transaction ends. */
const LOCK = 'SELECT FROM skill_discovery.catalogue FOR UPDATE';

/** @param texts for each image the digests of its texts */
function insertOf(version: number, images: readonly SkillImage[], texts: readonly (readonly Buffer[])[]) {
  const digestsOf = (image: SkillImage, i: number): string =>
    [...texts[i]!, ...keptIn(image)].map((digest) => digest.toString('hex')).join(' ');
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
  const digests = images.map(({ files }) =>
    files.map(({ text }) => {
      const digest = createHash('sha256').update(text).digest();
      texts.set(digest.toString('hex'), text);
      return digest;
    }),
  );
  for (const part of inParts(await missingBlobs(run, distinct(digests.flat())), HELD)) {
    const names = part.map((digest) => digest.toString('hex'));
    await storeBlobs(run, await Promise.all(names.map((sha256) => packBlob(sha256, Buffer.from(texts.get(sha256)!)))));
  }
  const kept = images.flatMap(keptIn);
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
export function keptIn({ columns }: Pick<SkillImage, 'columns'>): Buffer[] {
  return blobsIn(columns.contents).map(({ sha256 }) => Buffer.from(sha256, 'hex'));
}

/** Hours between two removals of what is old. */
const CLEANING_HOURS = 24;

/**
 * What removes it. Changes are known for 30 days: a replica of an earlier version is made again. Vectors and blobs that
 * no skill has are kept for 7 days, because a load that was stopped is soon started again; what is beyond a limit is
 * left for the next day. A replica that reads has its snapshot of the database, and still sees them all. Each statement
 * has one join: a catalogue may have millions of rows, and nested loops take minutes.
 */
const CLEANING: readonly string[] = [
  'SET LOCAL enable_nestloop = off',
  `UPDATE skill_discovery.catalogue SET oldest = greatest(oldest,
    (SELECT max(version) FROM skill_discovery.revision WHERE published_at < now() - interval '30 days'))`,
  'DELETE FROM skill_discovery.skill WHERE image IS NULL AND version <= (SELECT oldest FROM skill_discovery.catalogue)',
  'DELETE FROM skill_discovery.revision WHERE version < (SELECT oldest FROM skill_discovery.catalogue)',
  `DELETE FROM skill_discovery.vector WHERE (model, text_hash) IN (
    SELECT model, text_hash FROM skill_discovery.vector WHERE made_at < now() - interval '7 days' AND NOT EXISTS (
      SELECT FROM skill_discovery.skill CROSS JOIN skill_discovery.catalogue
      WHERE skill.text_hash = vector.text_hash AND catalogue.model = vector.model) LIMIT 100000)`,
  `WITH used AS MATERIALIZED (
      SELECT DISTINCT decode(unnest(string_to_array(digests, ' ')), 'hex') AS sha256 FROM skill_discovery.skill)
    DELETE FROM skill_discovery.blob WHERE sha256 IN (
      SELECT sha256 FROM skill_discovery.blob WHERE made_at < now() - interval '7 days'
        AND NOT EXISTS (SELECT FROM used WHERE used.sha256 = blob.sha256) LIMIT 100000)`,
];

/** Removes what is old, at most once a day. */
export async function cleanUp(pool: PostgresPool, signal: AbortSignal | undefined): Promise<void> {
  const { statementTime } = SHARED_CATALOGUE_LIMITS;
  const due = await runAlone(
    pool,
    signal,
  )({
    text: `UPDATE skill_discovery.catalogue SET cleaned_at = now()
      WHERE cleaned_at < now() - make_interval(hours => $1) RETURNING 1`,
    values: [CLEANING_HOURS],
  });
  if (due.length === 0) return;
  await pool.session({ statementTime, pauseTime: statementTime, signal }, async ({ run }) => {
    // What others send for a skill that they publish is not deleted before they have published it.
    for (const text of [LOCK, ...CLEANING]) await run({ text });
  });
}
