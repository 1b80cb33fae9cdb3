import { createHash, randomBytes } from 'node:crypto';
import { packBlob, unpackBlob } from '../../../src/store/packing.js';
import type { CatalogueChanges, StoredVector } from '../../../src/store/transfer/catalogue-changes.js';
import type { SkillImage } from '../../../src/store/transfer/skill-image.js';

export const MODEL = { id: 'model@1', dimensions: 4 };

/** An image of a skill, with its own text and claim. */
export function makeImage(id: string, text = `The text of ${id}`, parts: Partial<SkillImage> = {}): SkillImage {
  const record = JSON.stringify({ id, name: id, text });
  return {
    columns: {
      id,
      stars: 3,
      updatedAt: 1_700_000_000,
      record,
      categories: '["data"]',
      occupations: '[]',
      tags: '["a","b"]',
      properties: '{}',
      copyKey: '00ff',
      place: `somebody/${id}`,
      textHash: sha256(record).subarray(0, 16),
      hash: sha256(text).subarray(0, 16),
    },
    files: [{ filename: 'SKILL.md', text }],
    hasVector: true,
    claims: [{ source: 'file:a.json', row: { fingerprint: sha256(id), hash: sha256(text).subarray(0, 16) } }],
    ...parts,
  };
}

export function sha256(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The vector of a text with this hash, of {@link MODEL}. */
export function vectorOf(textHash: Buffer): StoredVector {
  return { textHash, embedding: sha256(textHash).subarray(0, 16) };
}

export interface MadeChanges extends CatalogueChanges {
  /** How many were asked for. */
  readonly handedOut: { readonly blobs: number; readonly vectors: number };
  /** Whether images were asked for. */
  isBegun(): boolean;
}

/** Changes as a load would find them. */
export function makeChanges(
  images: readonly SkillImage[],
  {
    removed = [],
    blobs = [],
    together = 3,
    model = MODEL,
    classifier,
    stamp = randomBytes(16).toString('hex'),
    beforeBatch = async () => {},
  }: {
    readonly removed?: readonly string[];
    readonly blobs?: readonly Buffer[];
    readonly together?: number;
    readonly model?: CatalogueChanges['model'];
    readonly classifier?: string;
    readonly stamp?: string;
    readonly beforeBatch?: () => Promise<void>;
  } = {},
): MadeChanges {
  const byDigest = new Map(blobs.map((bytes) => [sha256(bytes).toString('hex'), bytes]));
  const handedOut = { blobs: 0, vectors: 0 };
  let isBegun = false;
  return {
    stamp,
    model,
    classifier,
    removed,
    changed: images.map(({ columns }) => columns.id),
    handedOut,
    isBegun: () => isBegun,
    async *images() {
      isBegun = true;
      for (let i = 0; i < images.length; i += together) {
        await beforeBatch();
        yield images.slice(i, i + together);
      }
    },
    blobs: async (digests) => {
      const found = digests.flatMap((digest) => byDigest.get(digest.toString('hex')) ?? []);
      handedOut.blobs += found.length;
      return Promise.all(found.map((bytes) => packBlob(sha256(bytes).toString('hex'), bytes)));
    },
    vectors: async (textHashes) => {
      handedOut.vectors += textHashes.length;
      return textHashes.map(vectorOf);
    },
  };
}

/** All that changes hand out. */
export interface ReadChanges {
  readonly images: SkillImage[];
  /** In hex, by the hash of the text in hex. */
  readonly vectors: Record<string, string>;
  /** In hex, by digest. */
  readonly blobs: Record<string, string>;
}

export async function readAll(changes: CatalogueChanges): Promise<ReadChanges> {
  const images: SkillImage[] = [];
  for await (const batch of changes.images()) images.push(...batch);
  const vectors = await changes.vectors(images.map(({ columns }) => columns.textHash));
  const digests = images.flatMap(({ contents }) =>
    (contents?.files ?? []).filter(({ kept }) => kept === 'blob').map((file) => file.sha256),
  );
  const blobs = await changes.blobs(digests);
  return {
    images,
    vectors: Object.fromEntries(vectors.map((one) => [one.textHash.toString('hex'), one.embedding.toString('hex')])),
    blobs: Object.fromEntries(
      blobs.map(({ sha256: digest, bytes, packing, size }) => [
        digest,
        unpackBlob(bytes, packing, size).toString('hex'),
      ]),
    ),
  };
}
