import { isDeepStrictEqual } from 'node:util';
import { isDamage, orUndefined } from '../../core/index.js';
import { hasUnitLength, openForReading, storeError } from '../../store/index.js';
import { blobsIn, checkImage, headOf, ImageReader, type SkillImage } from '../../store/writing.js';
import { keptIn } from './publish-changes.js';
import type { ReadSkill, SharedChanges } from './shared-images.js';
import { distinct } from './stored-bytes.js';

/** Something that is wrong with a skill of a shared catalogue or of its replica. */
export interface SharedFault {
  readonly skill: string;
  /**
   * `database`: what the database has of it is not as it was written. `copy`: the replica has something else, and both
   * are whole. `vector`: both have a vector, of unit length, and not the same.
   */
  readonly kind: 'database' | 'copy' | 'vector';
  /** In a sentence without a full stop. */
  readonly problem: string;
}

/**
 * Reads all that a shared catalogue has of its skills, with the bytes and vectors that they use, and compares it with
 * its digests and, where there is one, with a replica. What is damaged in the replica is left out: a check of the
 * replica tells.
 *
 * @param shared all of the catalogue
 * @param path of a replica of the same revision; undefined if there is none
 * @throws {SkillSearchError} those of the store, and of opening the replica
 * @throws the signal's reason when aborted
 */
export async function findSharedFaults(
  shared: SharedChanges,
  path: string | undefined,
  signal: AbortSignal | undefined,
): Promise<SharedFault[]> {
  const connection = path === undefined ? undefined : openForReading(path);
  try {
    const replica = connection === undefined ? undefined : new ImageReader(connection, path!, headOf(connection).model);
    const faults: SharedFault[] = [];
    for await (const skills of shared.skills()) {
      signal?.throwIfAborted();
      faults.push(...(await faultsIn(skills, shared, replica)));
    }
    const known = new Set(shared.changed);
    for (const id of connection?.prepare<[], string>('SELECT id FROM skill ORDER BY id').pluck().all() ?? []) {
      if (!known.has(id)) faults.push({ skill: id, kind: 'copy', problem: 'the database does not have it' });
    }
    return faults;
  } catch (error) {
    throw path === undefined ? error : storeError(error, path, 'read');
  } finally {
    connection?.close();
  }
}

async function faultsIn(
  skills: readonly ReadSkill[],
  { model, blobs, vectors }: SharedChanges,
  replica: ImageReader | undefined,
): Promise<SharedFault[]> {
  const images = skills.map(({ image }) => image).filter((image) => image !== undefined);
  const found = await blobs(distinct(images.flatMap(keptIn)));
  const sizes = new Map(found.map(({ sha256, size }) => [sha256, size]));
  const hashes = distinct(images.filter(({ hasVector }) => hasVector).map(({ columns }) => columns.textHash));
  const embeddings = new Map(
    (hashes.length === 0 ? [] : await vectors(hashes))
      .filter(({ embedding }) => hasUnitLength(embedding, model?.dimensions ?? 0))
      .map(({ textHash, embedding }) => [textHash.toString('hex'), embedding]),
  );
  const faultOf = ({ id, image }: ReadSkill): Omit<SharedFault, 'skill'> | undefined => {
    const ofDatabase = (problem: string): Omit<SharedFault, 'skill'> => ({ kind: 'database', problem });
    if (image === undefined) {
      return ofDatabase('its row is missing, or a text of it is missing or not what its digest says');
    }
    if (!isWhole(id, image)) return ofDatabase('it does not fit its hash');
    const files = blobsIn(image.columns.contents);
    const embedding = embeddings.get(image.columns.textHash.toString('hex'));
    const hasBytes = files.every(({ sha256, size }) => sizes.get(sha256) === size);
    if (!hasBytes || (image.hasVector && embedding === undefined)) {
      return ofDatabase('the bytes of a file, or its vector, are missing or not as they were written');
    }
    return replica && differenceFrom(replica, image, embedding);
  };
  return skills.flatMap((skill) => {
    const fault = faultOf(skill);
    return fault === undefined ? [] : [{ skill: skill.id, ...fault }];
  });
}

function isWhole(id: string, image: SkillImage): boolean {
  // What is no image at all fails in other ways than damage.
  const checked = orUndefined(
    () => checkImage(image),
    (error) => isDamage(error) || error instanceof TypeError,
  );
  return checked?.image.columns.id === id;
}

function differenceFrom(
  replica: ImageReader,
  image: SkillImage,
  embedding: Buffer | undefined,
): Omit<SharedFault, 'skill'> | undefined {
  const { id, textHash } = image.columns;
  // A check of the replica names what is damaged there.
  return orUndefined(() => {
    if (!isDeepStrictEqual(comparable(replica.image(id)), comparable(image))) {
      return { kind: 'copy', problem: 'it is not what the database has' };
    }
    if (!image.hasVector || replica.vectors([textHash])[0]?.embedding.equals(embedding!) === true) return undefined;
    return { kind: 'vector', problem: 'its vector is another one in the database' };
  }, isDamage);
}

/** What is absent and what is undefined are one. */
function comparable(image: SkillImage): object {
  return JSON.parse(JSON.stringify(image)) as object;
}
