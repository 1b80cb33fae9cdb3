import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { appendTo, MAX_CHANGED_IN_PLACE, type SkillNumber } from '../../core/index.js';
import { CLASSIFIER_KEY, type NamedState, noteIn, readMeta, writeMeta, writeNote } from '../notes.js';
import type { PackedBlob } from '../packing.js';
import { hasUnitLength } from '../read/stored-vectors.js';
import type { Statement } from '../sqlite.js';
import { blobsIn } from '../stored-skill.js';
import { type EndOfLoad, endLoad, OpenLoad } from '../write/open-load.js';
import type { WriterStatements } from '../write/writer-statements.js';
import {
  type CatalogueChanges,
  type CheckedImage,
  CLAIMS_OF_SKILL,
  type ClaimRow,
  checkImage,
  claimOf,
  damagedImage,
  headOf,
  type ImageClaim,
  type SkillImage,
  type StoredVector,
} from './skill-image.js';

/** Bytes of skills that are held in memory for a change in place: more are written as a whole load, in batches. */
const MOST_BYTES_IN_PLACE: number = 64 * 2 ** 20;

export interface ApplyOptions {
  /** What is noted of the state that this makes; see `readNamedState`. */
  readonly note: string;
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
  const isSmall = changes.removed.length + changes.changed.length <= MAX_CHANGED_IN_PLACE && existsSync(database);
  const change = isSmall ? await OpenLoad.inPlace(database, options.signal) : undefined;
  const outcome =
    (change && (await applyTo(change, changes, options))) ??
    (await applyTo(new OpenLoad(database, existsSync(database)), changes, options));
  if (outcome === 'there, with another note') writeNote(database, options.note);
}

type Outcome = 'applied' | 'there' | 'there, with another note';

/**
 * @param load which is closed
 * @returns undefined if that needs a whole load: nothing is changed then
 */
async function applyTo(
  load: OpenLoad,
  changes: CatalogueChanges,
  { note, signal }: ApplyOptions,
): Promise<Outcome | undefined> {
  try {
    const { stamp, removed, model, classifier } = changes;
    const there = isThere(load, { stamp, note });
    if (there !== undefined) return there;
    const inPlace = load.isInPlace;
    if (inPlace && !hasHeadOf(load, changes)) return undefined;
    const writer = new ImageWriter(load, changes);
    if (!inPlace) load.guard(() => writer.begin(removed));
    // A transaction of a change in place must not wait for what is fetched.
    const held: FetchedImages[] = [];
    let bytes = 0;
    for await (const batch of fetchImages(changes, () => load.statements)) {
      signal?.throwIfAborted();
      if (inPlace) {
        held.push(batch);
        bytes += bytesOf(batch);
        // Readers of former states may look for what a vector belongs to: only a staging file can do without it.
        if (bytes > MOST_BYTES_IN_PLACE || batch.voidVectors.length > 0) return undefined;
      } else load.guard(() => writer.write(batch));
    }
    const end: EndOfLoad = {
      hasWork: () => true,
      state: { stamp, note },
      model: model?.id,
      write: ({ connection }) => {
        if (inPlace) writer.begin(removed);
        for (const batch of held) writer.write(batch);
        if (classifier !== undefined) writeMeta(connection, CLASSIFIER_KEY, classifier);
        else connection.prepare('DELETE FROM main.meta WHERE key = ?').run(CLASSIFIER_KEY);
        return true;
      },
    };
    endLoad(load, end);
    return 'applied';
  } finally {
    load.close();
  }
}

/** Whether a catalogue is in a state already; undefined if it is not. */
function isThere({ base }: OpenLoad, { stamp, note }: NamedState): Outcome | undefined {
  if (base === undefined || readMeta(base.connection, 'stamp') !== stamp) return undefined;
  return noteIn(base.connection) === note ? 'there' : 'there, with another note';
}

/** Whether vectors and derived labels of the skills that do not change are those of the later state. */
function hasHeadOf({ base }: OpenLoad, { model, classifier }: CatalogueChanges): boolean {
  const head = headOf(base!.connection);
  if (head.classifier !== classifier) return false;
  return model === undefined || (head.model?.id === model.id && head.model.dimensions === model.dimensions);
}

/** Some changed skills with all that is to be stored of them and is not there yet. */
interface FetchedImages {
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
async function* fetchImages(changes: CatalogueChanges, stored: () => WriterStatements): AsyncGenerator<FetchedImages> {
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
function bytesOf({ images, vectors }: FetchedImages): number {
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
    const { id, hash, contents } = image.columns;
    if (contents === null || stored.find.get(id)?.hash.equals(hash) === true) continue;
    for (const { path, size, sha256 } of blobsIn(contents)) {
      if (!stored.hasBlob(sha256)) lacking.set(sha256, { id, path, size });
    }
  }
  const blobsOf = new Map<string, PackedBlob[]>();
  if (lacking.size === 0) return blobsOf;
  const digests = [...lacking.keys()].map((digest) => Buffer.from(digest, 'hex'));
  const found = new Map((await changes.blobs(digests)).map((blob) => [blob.sha256, blob]));
  for (const [digest, { id, path, size }] of lacking) {
    const blob = found.get(digest);
    if (blob?.size !== size) throw damagedImage(id, `the bytes of its file ${path} are missing`);
    appendTo(blobsOf, id, blob);
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

/** Writes images of skills into the open files of a load or of a change in place. What is as they say stays. */
class ImageWriter {
  readonly #load: OpenLoad;
  readonly #model: CatalogueChanges['model'];
  #claims: Statement<[SkillNumber], ClaimRow> | undefined;

  constructor(load: OpenLoad, { model }: CatalogueChanges) {
    this.#load = load;
    this.#model = model;
  }

  /** Removes skills, and vectors of the model that have another length: those of the later state all come. */
  begin(removed: readonly string[]): void {
    const model = this.#model;
    const dimensions = model && this.#load.statements.vectors.dimensions(model.id);
    if (dimensions !== undefined && dimensions !== model?.dimensions) this.#load.write().vectors.keepOnly(undefined);
    for (const id of removed) {
      if (this.#load.statements.find.get(id) !== undefined) this.#load.write().remove(id);
    }
  }

  write({ images, vectors, voidVectors }: FetchedImages): void {
    for (const textHash of voidVectors) this.#load.write().vectors.forget(textHash);
    for (const { checked, blobs } of images) this.#put(checked, blobs);
    for (const { textHash, embedding } of vectors) {
      this.#load.write().vectors.putEncoded(this.#model!, textHash, embedding);
    }
  }

  #put({ image, signature }: CheckedImage, blobs: readonly PackedBlob[]): void {
    const { columns, files, derivedCategories: derived } = image;
    const statements = this.#load.write(blobs.reduce((sum, { bytes }) => sum + bytes.length, 0));
    const stored = statements.find.get(columns.id);
    const isStored = stored?.hash.equals(columns.hash) === true && stored.derived === (derived ?? null);
    const parts = { files, signature, derived, blobs };
    const skill = isStored ? stored.number : statements.save(columns, parts, stored?.number);
    this.#putClaims(statements, skill, image.claims);
  }

  #putClaims(
    { connection, insertSource, claim, deleteClaims }: WriterStatements,
    skill: SkillNumber,
    claims: readonly ImageClaim[],
  ) {
    this.#claims ??= connection.prepare(CLAIMS_OF_SKILL);
    if (isDeepStrictEqual(this.#claims.all(skill).map(claimOf), claims)) return;
    deleteClaims.run(skill);
    for (const { source, row } of claims) {
      insertSource.run(source);
      claim.run(skill, source, row?.fingerprint ?? null, row?.hash ?? null);
    }
  }
}
