import { orUndefined } from '../../core/index.js';
import { blobsIn, type CatalogueChanges, type SkillImage } from '../../store/writing.js';
import type { PostgresSession } from '../postgres/statements.js';
import { isAhead, isKnown, type Revision, readPresent, sharedDamage } from './catalogue-tables.js';
import { distinct, inParts, readBlobs, readVectors, SHARED_CATALOGUE_LIMITS } from './stored-bytes.js';

/** What leads from a revision of a shared catalogue to its present one. */
export interface SharedChanges extends CatalogueChanges {
  /** The present one. */
  readonly revision: Revision;
  /** Whether this is all that the catalogue has: what a replica has besides is to be removed. `removed` is empty then. */
  readonly isWhole: boolean;
  /** Whether the database is a standby that has not got to that revision yet. No changes are known then. */
  readonly isBehind: boolean;
  /** Like `images`, and says of each damaged skill that it is. */
  skills(): AsyncIterable<readonly ReadSkill[]>;
}

/** A skill as it was read. */
export interface ReadSkill {
  readonly id: string;
  /** Undefined if its row, or a text of it, is missing or damaged. */
  readonly image: SkillImage | undefined;
}

/** Skills that one statement reads. */
const TOGETHER = 1000;

/** Reads what has changed since a revision, in a session that sees one state of the database. */
export async function readChanges(
  session: PostgresSession,
  shown: string,
  since: Revision | undefined,
): Promise<SharedChanges> {
  const present = await readPresent(session.run);
  const isBehind = since !== undefined && isAhead(since, present);
  const isWhole = !isBehind && (!since?.version || !(await isKnown(session.run, present, since)));
  const from = isWhole ? 0 : since!.version;
  const changed = await idsSince(session, from, 'IS NOT NULL');
  const removed = isWhole ? [] : await idsSince(session, from, 'IS NULL');
  const { identity, version, stamp, publishedAt, model, classifier } = present;
  const skills = (): AsyncGenerator<readonly ReadSkill[]> => readSkills(session, changed);
  return {
    revision: { identity, version, stamp, publishedAt },
    isWhole,
    isBehind,
    stamp,
    model: model && { id: model.id, dimensions: model.dimensions },
    classifier,
    removed,
    changed,
    skills,
    images: async function* () {
      for await (const batch of skills()) {
        yield batch.map(({ id: skill, image }) => {
          if (image !== undefined) return image;
          const problem = `the row of the skill ${JSON.stringify(skill)}, or a text of it, is missing or damaged`;
          throw sharedDamage(shown, problem, { skill });
        });
      }
    },
    blobs: (digests) => readBlobs(session, digests),
    vectors: async (textHashes) => (model === undefined ? [] : readVectors(session, model, textHashes)),
  };
}

/** Ids of which a later version is there, in order. */
async function idsSince({ copy }: PostgresSession, version: number, image: string): Promise<string[]> {
  const rows = await copy(
    `SELECT id FROM skill_discovery.skill WHERE version > ${version} AND image ${image} ORDER BY id`,
  );
  return rows.map(([id]) => id!.toString());
}

async function* readSkills(session: PostgresSession, ids: readonly string[]): AsyncGenerator<readonly ReadSkill[]> {
  for (const part of inParts(ids, TOGETHER)) {
    const rows = await session.run<{ id: string; image: string | null }>({
      text: 'SELECT id, image FROM skill_discovery.skill WHERE id = ANY ($1)',
      values: [part],
    });
    const stored = new Map(rows.map(({ id, image }) => [id, decodeImage(image)]));
    // Whoever reads the images asks for the blobs of each batch.
    const bytesOf = (id: string): number => stored.get(id)?.bytes ?? 0;
    for (const some of inParts(part, TOGETHER, SHARED_CATALOGUE_LIMITS.bytesTogether, bytesOf)) {
      const wanted = some.flatMap((id) => stored.get(id)?.image.files ?? []).map(({ sha256 }) => sha256);
      const texts = new Map((await readBlobs(session, distinct(wanted))).map((blob) => [blob.sha256, blob.content]));
      yield some.map((id) => ({ id, image: withTexts(stored.get(id)?.image, texts) }));
    }
  }
}

function withTexts(stored: StoredImage | undefined, texts: ReadonlyMap<string, Buffer>): SkillImage | undefined {
  const files: { filename: string; text: string }[] = [];
  for (const { filename, sha256 } of stored?.files ?? []) {
    const text = texts.get(sha256.toString('hex'));
    if (text === undefined) return undefined;
    files.push({ filename, text: text.toString() });
  }
  return stored && { ...stored, files };
}

/** An image as a row has it: its texts are blobs. */
type StoredImage = Omit<SkillImage, 'files'> & {
  readonly files: readonly { readonly filename: string; readonly sha256: Buffer; readonly size: number }[];
};

/** An image as JSON, in which bytes are `{ "hex": … }`: nothing else of it is an object with this name. */
export function encodeImage(image: StoredImage): string {
  return JSON.stringify(image, function (this: Record<string, unknown>, key: string, value: unknown) {
    const own = this[key];
    return Buffer.isBuffer(own) ? { hex: own.toString('hex') } : value;
  });
}

/** @returns undefined if it is not what {@link encodeImage} makes; the bytes are those of its texts and blobs */
function decodeImage(
  json: string | null | undefined,
): { readonly image: StoredImage; readonly bytes: number } | undefined {
  return orUndefined(() => {
    const image = JSON.parse(json!, (_, value: unknown) => {
      const { hex } = (value ?? {}) as { readonly hex?: unknown };
      return typeof hex === 'string' ? Buffer.from(hex, 'hex') : value;
    }) as StoredImage;
    const bytes = [...image.files, ...blobsIn(image.columns.contents)].reduce((sum, { size }) => sum + size, 0);
    return { image, bytes };
  });
}
