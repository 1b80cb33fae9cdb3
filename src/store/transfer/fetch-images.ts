import { Buffer } from 'node:buffer';
import type { PackedBlob } from '../blob-packing.js';
import { hasUnitLength } from '../vector-bytes.js';
import type { WriterStatements } from '../write/writer-statements.js';
import type { CatalogueChanges, StoredVector } from './catalogue-changes.js';
import { type CheckedImage, checkImage, damagedImage } from './check-image.js';
import type { SkillImage } from './skill-image.js';

/** Some changed skills with all that is to be stored of them and is not there yet. */
export interface FetchedImages {
  readonly images: readonly {
    readonly checked: CheckedImage;
    /** Bytes of its contents. */
    readonly blobs: readonly PackedBlob[];
  }[];
  readonly vectors: readonly StoredVector[];
  /** Hashes of texts whose stored vectors the later state does not have. */
  readonly voidVectors: readonly Buffer[];
}

/**
 * Fetches what changed, batch by batch, and checks it. The images of the next batch are on their way while one is
 * stored; no two calls of `changes` run at the same time.
 *
 * @param stored the catalogue that it goes into, asked for what it has
 * @throws {SkillSearchError} `DATABASE_DAMAGED`, with the id of the skill
 */
export async function* fetchImages(
  changes: CatalogueChanges,
  stored: () => WriterStatements,
): AsyncGenerator<FetchedImages> {
  const batches = changes.images()[Symbol.asyncIterator]();
  let done = 0;
  try {
    for (let coming = batches.next(); ; ) {
      const { value: images, done: isEnd } = await coming;
      if (isEnd === true) break;
      checkOrder(images, changes.changed, done);
      done += images.length;
      const fetched = await fetchFor(images.map(checkImage), changes, stored());
      coming = batches.next();
      // It is awaited above, unless the batch cannot be stored.
      coming.catch(() => {});
      yield fetched;
    }
  } finally {
    await batches.return?.();
  }
  const missing = changes.changed[done];
  if (missing !== undefined) throw damagedImage(missing, 'it is missing');
}

/** How much memory a batch takes, about, in bytes. */
export function bytesOf({ images, vectors }: FetchedImages): number {
  let bytes = 0;
  for (const { checked, blobs } of images) {
    for (const { text } of checked.image.files) bytes += 2 * text.length;
    for (const blob of blobs) bytes += blob.bytes.length;
  }
  for (const { embedding } of vectors) bytes += embedding.length;
  return bytes;
}

function checkOrder(images: readonly SkillImage[], ids: readonly string[], first: number): void {
  for (const [i, { columns }] of images.entries()) {
    const id = ids[first + i];
    if (columns.id !== id) throw damagedImage(id ?? columns.id, 'another skill stands in its place');
  }
}

async function fetchFor(
  images: readonly CheckedImage[],
  changes: CatalogueChanges,
  stored: WriterStatements,
): Promise<FetchedImages> {
  const blobs = await fetchBlobs(images, changes, stored);
  return {
    images: images.map((checked) => ({ checked, blobs: blobs.get(checked.image.columns.id) ?? [] })),
    vectors: await fetchVectors(images, changes, stored),
    voidVectors: images
      .filter(({ image }) => !image.hasVector && stored.vectors.hasAny(image.columns.textHash))
      .map(({ image }) => image.columns.textHash),
  };
}

/** By the id of one of the skills that have them, so that each is written once. */
async function fetchBlobs(
  images: readonly CheckedImage[],
  changes: CatalogueChanges,
  stored: WriterStatements,
): Promise<ReadonlyMap<string, readonly PackedBlob[]>> {
  const lacking = new Map<string, { readonly id: string; readonly path: string; readonly size: number }>();
  for (const { image } of images) {
    const { id, hash } = image.columns;
    if (image.contents === undefined || stored.find.get(id)?.hash.equals(hash) === true) continue;
    for (const { path, size, sha256, kept } of image.contents.files) {
      if (kept === 'blob' && !stored.hasBlob(sha256)) lacking.set(sha256.toString('hex'), { id, path, size });
    }
  }
  const blobsOf = new Map<string, PackedBlob[]>();
  if (lacking.size === 0) return blobsOf;
  const digests = [...lacking.keys()].map((digest) => Buffer.from(digest, 'hex'));
  const found = new Map((await changes.blobs(digests)).map((blob) => [blob.sha256, blob]));
  for (const [digest, { id, path, size }] of lacking) {
    const blob = found.get(digest);
    if (blob?.size !== size) throw damagedImage(id, `the bytes of its file ${path} are missing`);
    const own = blobsOf.get(id);
    if (own === undefined) blobsOf.set(id, [blob]);
    else own.push(blob);
  }
  return blobsOf;
}

async function fetchVectors(
  images: readonly CheckedImage[],
  changes: CatalogueChanges,
  stored: WriterStatements,
): Promise<readonly StoredVector[]> {
  const { model } = changes;
  if (model === undefined) return [];
  const idOf = new Map<string, string>();
  for (const { image } of images) {
    const { id, textHash } = image.columns;
    if (image.hasVector && !stored.vectors.has(model.id, textHash)) idOf.set(textHash.toString('hex'), id);
  }
  if (idOf.size === 0) return [];
  const vectors = await changes.vectors([...idOf.keys()].map((hash) => Buffer.from(hash, 'hex')));
  for (const { textHash, embedding } of vectors) {
    if (hasUnitLength(embedding, model.dimensions)) continue;
    const id = idOf.get(textHash.toString('hex')) ?? '';
    throw damagedImage(id, `the vector of its text has not ${model.dimensions} values, or not the length 1`);
  }
  const found = new Set(vectors.map(({ textHash }) => textHash.toString('hex')));
  for (const [hash, id] of idOf) if (!found.has(hash)) throw damagedImage(id, 'the vector of its text is missing');
  return vectors;
}
