import { SHARED_CATALOGUE_LIMITS, SkillSearchError } from '../../core/index.js';
import type { PackedBlob } from '../blob-packing.js';
import { beyondRepair } from '../damaged.js';
import { guarded, openForReading, storeError } from '../database.js';
import { checkNotes, readFacts } from '../facts.js';
import { readMeta } from '../meta.js';
import type { Connection } from '../sqlite/connection.js';
import { bytesOfImage } from './bytes-of-image.js';
import type { CatalogueChanges, CatalogueHead, StoredVector } from './catalogue-changes.js';
import { headOf } from './catalogue-head.js';
import { type ChangedIds, changedIds } from './changed-ids.js';
import { ImageReader } from './image-reader.js';
import type { SkillImage } from './skill-image.js';

/**
 * Skills of a batch at most, and the characters of texts that end one: some milliseconds to read, some megabytes. Files
 * that are kept as blobs are not read yet, and may be larger.
 */
const BATCH = 250;
const BATCH_CHARACTERS = 2 ** 20;
const { bytesTogether: BATCH_BYTES } = SHARED_CATALOGUE_LIMITS;

/** Changes that are read from a catalogue as long as it is open. */
export interface OpenDifference extends CatalogueChanges {
  /** Closes the catalogue. May be called more than once. */
  close(): void;
}

/**
 * What leads from one finished catalogue to another. A vector whose text no skill of the later one has is no
 * difference.
 *
 * @param base path of the former catalogue; undefined: all of the later one is new. It is read before this returns
 * @param next path of the later catalogue, which must stay as it is until {@link OpenDifference.close}
 * @throws {SkillSearchError} `DATABASE_DAMAGED`, also when what was asked for is read: then it names the skill;
 *   `LOAD_IN_PROGRESS` if the later catalogue is changed meanwhile; and those of opening a catalogue
 */
export function differenceOf(base: string | undefined, next: string): OpenDifference {
  // Refuses what is no catalogue, and plays back the journal of a killed change, which an attached one would not.
  if (base !== undefined) openChecked(base).close();
  const connection = openChecked(next);
  try {
    connection.pragma('temp_store = MEMORY');
    if (base !== undefined) connection.prepare('ATTACH ? AS base').run(base);
    const read = connection.transaction(() => {
      const head = headOf(connection);
      return { head, ids: base === undefined ? allIds(connection) : changedIds(connection, head.model) };
    });
    const { head, ids } = read();
    if (base !== undefined) connection.exec('DETACH base');
    return new Difference(connection, next, head, ids);
  } catch (error) {
    connection.close();
    throw storeError(error, next, 'read');
  }
}

class Difference implements OpenDifference {
  readonly stamp: string;
  readonly model: CatalogueHead['model'];
  readonly classifier: string | undefined;
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly #connection: Connection;
  readonly #path: string;
  readonly #reader: ImageReader;

  constructor(connection: Connection, path: string, { stamp, model, classifier }: CatalogueHead, ids: ChangedIds) {
    this.stamp = stamp;
    this.model = model;
    this.classifier = classifier;
    this.removed = ids.removed;
    this.changed = ids.changed;
    this.#connection = connection;
    this.#path = path;
    this.#reader = new ImageReader(connection, path, model);
  }

  async *images(): AsyncGenerator<readonly SkillImage[]> {
    for (let done = 0; done < this.changed.length; ) {
      const batch = this.#read((reader) => imagesFrom(reader, this.changed, done));
      done += batch.length;
      yield batch;
      await new Promise(setImmediate);
    }
  }

  async blobs(digests: readonly Buffer[]): Promise<readonly PackedBlob[]> {
    return this.#read((reader) => reader.blobs(digests));
  }

  async vectors(textHashes: readonly Buffer[]): Promise<readonly StoredVector[]> {
    return this.#read((reader) => reader.vectors(textHashes));
  }

  close(): void {
    this.#connection.close();
  }

  #read<T>(work: (reader: ImageReader) => T): T {
    const read = this.#connection.transaction(() => {
      if (readMeta(this.#connection, 'stamp') !== this.stamp) throw changedMeanwhile(this.#path);
      return work(this.#reader);
    });
    return guarded(this.#path, 'read', read);
  }
}

function imagesFrom(reader: ImageReader, ids: readonly string[], first: number): SkillImage[] {
  const images: SkillImage[] = [];
  let characters = 0;
  let bytes = 0;
  for (let i = first; i < ids.length && images.length < BATCH && characters < BATCH_CHARACTERS; i++) {
    const image = reader.image(ids[i]!);
    bytes += bytesOfImage(image);
    // It is the first one of the next batch.
    if (images.length > 0 && bytes > BATCH_BYTES) break;
    for (const { text } of image.files) characters += text.length;
    images.push(image);
  }
  return images;
}

/** Opens a finished catalogue whose notes about itself are right. */
function openChecked(path: string): Connection {
  const connection = openForReading(path);
  try {
    checkNotes(connection, path);
    const skills = connection.prepare<[], number>('SELECT count(*) FROM skill').pluck().get()!;
    const noted = readFacts(connection)?.skills;
    if (noted !== undefined && noted !== skills) throw beyondRepair(path, `it has ${skills} skills, not ${noted}`);
    return connection;
  } catch (error) {
    connection.close();
    throw storeError(error, path, 'read');
  }
}

function allIds(connection: Connection): ChangedIds {
  return { removed: [], changed: connection.prepare<[], string>('SELECT id FROM skill ORDER BY id').pluck().all() };
}

function changedMeanwhile(path: string): SkillSearchError {
  return new SkillSearchError('LOAD_IN_PROGRESS', `${path} was changed while it was compared: compare it again`, {
    path,
  });
}
