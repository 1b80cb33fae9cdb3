import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import { MAX_CHANGED_IN_PLACE, type SkillNumber } from '../../core/index.js';
import { type NamedState, noteIn, readMeta, writeNote } from '../notes.js';
import type { PackedBlob } from '../packing.js';
import { hasUnitLength } from '../read/stored-vectors.js';
import type { Connection, Statement } from '../sqlite.js';
import { endChange, OpenChange } from '../write/open-change.js';
import { endLoad, OpenLoad } from '../write/open-load.js';
import type { WriterStatements } from '../write/writer-statements.js';
import type { CatalogueChanges, StoredVector } from './catalogue-changes.js';
import { headOf } from './image-reader.js';
import { type CheckedImage, checkImage, damagedImage, type ImageClaim, type SkillImage } from './skill-image.js';

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
  const load = new OpenLoad(database, exists);
  try {
    const there = isThere(load, { stamp, note });
    if (there !== undefined) return there;
    const isFirst = load.base === undefined;
    const writer = new ImageWriter(load, isFirst);
    load.guard(() => {
      forgetOtherVectors(load, changes);
      for (const id of removed) writer.remove(id);
    });
    let done = 0;
    for await (const batch of fetchImages(changes, () => load.statements)) {
      signal?.throwIfAborted();
      load.guard(() => {
        write(load, changes, batch, writer);
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
        if (changes.classifier === undefined) statements.labels.restart(undefined);
        else statements.labels.useRules(changes.classifier);
        statements.labels.deleteVoid();
        statements.forgetUnclaimedRows();
        return true;
      },
    });
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

function write(
  load: OpenLoad | OpenChange,
  { model }: CatalogueChanges,
  { images, vectors, voidVectors }: FetchedImages,
  writer: ImageWriter,
): void {
  for (const textHash of voidVectors) load.write().vectors.forget(textHash);
  for (const { checked, blobs } of images) writer.put(checked, blobs);
  if (model !== undefined) {
    for (const { textHash, embedding } of vectors) load.write().vectors.putEncoded(model, textHash, embedding);
  }
}

/** Deletes vectors of the model that have another length: those of the later state all come. */
function forgetOtherVectors(load: OpenLoad, { model }: CatalogueChanges): void {
  const present = model && load.statements.vectors.dimensions(model.id);
  if (present !== undefined && present !== model?.dimensions) load.write().vectors.keepOnly(undefined, true);
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

/** Writes images of skills into the open files of a load or of a small change. What is as they say stays. */
class ImageWriter {
  readonly #load: OpenLoad | OpenChange;
  /** Whether nothing is stored yet, so that nothing need be looked for. */
  readonly #isFresh: boolean;
  #claims: ClaimStatements | undefined;

  constructor(load: OpenLoad | OpenChange, isFresh: boolean) {
    this.#load = load;
    this.#isFresh = isFresh;
  }

  /**
   * @param blobs bytes of its contents that are not stored yet
   * @returns the number of the skill
   */
  put(checked: CheckedImage, blobs: readonly PackedBlob[]): SkillNumber {
    const { image, contents, compared } = checked;
    const { columns, files } = image;
    const statements = this.#load.write(blobs.reduce((sum, { bytes }) => sum + bytes.length, 0));
    this.#claims ??= new ClaimStatements(statements.connection);
    const stored = this.#isFresh ? undefined : statements.find.get(columns.id);
    if (stored?.hash.equals(columns.hash) === true && !this.#isLabelSeen(stored.number, checked)) {
      this.#putLabels(statements, stored.number, checked);
      this.#claims.replace(stored.number, image.claims);
      return stored.number;
    }
    const skill = statements.save(columns, { files, contents }, stored?.number, blobs);
    this.#load.signatures?.sign(skill, compared);
    this.#putLabels(statements, skill, checked);
    if (stored === undefined) this.#claims.insert(skill, image.claims);
    else this.#claims.replace(skill, image.claims);
    return skill;
  }

  /** Does nothing if there is no such skill. */
  remove(id: string): void {
    const stored = this.#load.statements.find.get(id);
    if (stored === undefined) return;
    const statements = this.#load.write();
    this.#claims ??= new ClaimStatements(statements.connection);
    this.#claims.delete(stored.number);
    statements.erase(stored.number);
  }

  /** Whether readers have seen other derived labels of a skill: in place it needs another number then, too. */
  #isLabelSeen(skill: SkillNumber, { image: { columns, derivedCategories } }: CheckedImage): boolean {
    if (!(this.#load instanceof OpenChange)) return false;
    return this.#load.statements.labels.of(skill, columns.hash) !== derivedCategories;
  }

  #putLabels(statements: WriterStatements, skill: SkillNumber, checked: CheckedImage): void {
    const { image, derivedCategories } = checked;
    const { hash } = image.columns;
    const stored = this.#isFresh ? undefined : statements.labels.of(skill, hash);
    if (stored === image.derivedCategories) return;
    if (derivedCategories === undefined) statements.labels.forget([skill]);
    else statements.labels.put(skill, hash, derivedCategories);
  }
}

/** The SQL of claims of one skill, and of what rows became it. */
class ClaimStatements {
  readonly #of: Statement<[SkillNumber], [source: string, fingerprint: Buffer | null, hash: Buffer | null]>;
  readonly #deletes: readonly Statement<[SkillNumber], unknown>[];
  readonly #insertSource: Statement<[name: string], unknown>;
  readonly #sourceOf: Statement<[name: string], number>;
  readonly #insertClaim: Statement<[source: number, skill: SkillNumber], unknown>;
  readonly #insertRow: Statement<[source: number, skill: SkillNumber, fingerprint: Buffer, hash: Buffer], unknown>;
  readonly #sources = new Map<string, number>();

  constructor(connection: Connection) {
    this.#of = connection
      .prepare<[SkillNumber], [string, Buffer | null, Buffer | null]>(`
        SELECT name, fingerprint, hash FROM main.claim JOIN main.source ON source.number = claim.source
          LEFT JOIN main.known_row ON known_row.source = claim.source AND known_row.skill = claim.skill
        WHERE claim.skill = ? ORDER BY name`)
      .raw();
    this.#deletes = [
      connection.prepare('DELETE FROM main.claim WHERE skill = ?'),
      // No index has the skill first, and sources are few.
      connection.prepare('DELETE FROM main.known_row WHERE source IN (SELECT number FROM main.source) AND skill = ?'),
    ];
    this.#insertSource = connection.prepare('INSERT OR IGNORE INTO main.source (name) VALUES (?)');
    this.#sourceOf = connection.prepare<[string], number>('SELECT number FROM main.source WHERE name = ?').pluck();
    this.#insertClaim = connection.prepare('INSERT INTO main.claim (source, skill) VALUES (?, ?)');
    this.#insertRow = connection.prepare(
      'INSERT INTO main.known_row (source, skill, fingerprint, hash) VALUES (?, ?, ?, ?)',
    );
  }

  delete(skill: SkillNumber): void {
    for (const statement of this.#deletes) statement.run(skill);
  }

  replace(skill: SkillNumber, claims: readonly ImageClaim[]): void {
    const present = this.#of.all(skill);
    const isSame = present.length === claims.length && present.every((row, i) => isClaim(row, claims[i]!));
    if (isSame) return;
    this.delete(skill);
    this.insert(skill, claims);
  }

  /** Writes the claims of a skill that has none. */
  insert(skill: SkillNumber, claims: readonly ImageClaim[]): void {
    for (const { source, row } of claims) {
      const number = this.#numberOf(source);
      this.#insertClaim.run(number, skill);
      if (row !== undefined) this.#insertRow.run(number, skill, row.fingerprint, row.hash);
    }
  }

  #numberOf(source: string): number {
    let number = this.#sources.get(source);
    if (number === undefined) {
      this.#insertSource.run(source);
      number = this.#sourceOf.get(source)!;
      this.#sources.set(source, number);
    }
    return number;
  }
}

function isClaim(
  [name, fingerprint, hash]: readonly [string, Buffer | null, Buffer | null],
  { source, row }: ImageClaim,
): boolean {
  if (name !== source) return false;
  if (row === undefined || fingerprint === null || hash === null) return row === undefined && fingerprint === null;
  return fingerprint.equals(row.fingerprint) && hash.equals(row.hash);
}
