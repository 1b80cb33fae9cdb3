import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import type { Revision } from '../../../src/share/shared-catalogue/catalogue-tables.js';
import { SharedStore, type SharedStoreOptions } from '../../../src/share/shared-catalogue/shared-store.js';
import { packBlob, unpackBlob } from '../../../src/store/packing.js';
import { blobsIn } from '../../../src/store/stored-skill.js';
import type { CatalogueChanges, SkillImage, StoredVector } from '../../../src/store/transfer/skill-image.js';
import { closing } from '../../scratch-folder.js';

const MODEL = { id: 'model@1', dimensions: 4 };

/** An image of a skill, with its own text and claim. */
export function makeImage(
  id: string,
  text = `The text of ${id}`,
  { contents = null, ...parts }: Partial<SkillImage & Pick<SkillImage['columns'], 'contents'>> = {},
): SkillImage {
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
      contents,
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
  const digests = images.flatMap(({ columns }) => blobsIn(columns.contents));
  const blobs = await changes.blobs(digests.map((file) => Buffer.from(file.sha256, 'hex')));
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

/** A shared catalogue at an address, closed when the test ends. */
export async function openStore(address: string, options: SharedStoreOptions = {}): Promise<SharedStore> {
  return closing(await SharedStore.open(readPostgresAddress('database', address), options));
}

/** The revision that something was published as. */
export function publishedAs(revision: Revision | undefined): Revision {
  if (revision === undefined) throw new Error('not published: there is a later revision');
  return revision;
}

/** Stands before a server of PostgreSQL, and can cut all connections at one message of a client. */
export interface CuttingProxy {
  /** The address that leads through it. */
  readonly address: string;
  /** Cuts all connections, for good, in place of the message after so many more. */
  cutAfter(messages: number): void;
  readonly isCut: boolean;
}

export async function cuttingProxy(address: string): Promise<CuttingProxy> {
  const port = Number(/:(\d+)\/[^/]*$/.exec(address)![1]);
  const sockets = new Set<Socket>();
  let left = Number.POSITIVE_INFINITY;
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    if (isCut) client.destroy();
    client.on('data', (bytes) => {
      if (left-- > 0) upstream.write(bytes);
      else {
        isCut = true;
        for (const socket of sockets) socket.destroy();
      }
    });
    upstream.on('data', (bytes) => void client.write(bytes));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  const own = (server.address() as { readonly port: number }).port;
  return {
    address: address.replace(`:${port}/`, `:${own}/`),
    cutAfter: (messages) => {
      left = messages;
    },
    get isCut() {
      return isCut;
    },
  };
}
