import { createHash } from 'node:crypto';
import { type PackedBlob, unpackBlob } from '../../store/index.js';
import type { PostgresSession, RunStatement } from '../postgres/postgres-session.js';
import { bytesArray, inParts, joinBytes, missingHashes, sharedDamage } from './helpers.js';

/** Blobs that one statement asks for or stores, and bytes of them together. */
const TOGETHER = 1000;
const BYTES_TOGETHER = 4 * 1024 * 1024;

/** Those of these digests that no blob has. */
export function missingBlobs(run: RunStatement, digests: readonly Buffer[]): Promise<Buffer[]> {
  const isThere = 'EXISTS (SELECT FROM skill_discovery.blob WHERE blob.sha256 = wanted.hash)';
  return missingHashes(run, digests, TOGETHER, isThere);
}

/**
 * Stores blobs. Each statement is a transaction of its own, and goes through them in the order of their digests:
 * two that store the same would wait for each other otherwise.
 */
export async function storeBlobs(run: RunStatement, blobs: readonly PackedBlob[]): Promise<void> {
  const sorted = blobs.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  for (const part of inParts(sorted, TOGETHER, BYTES_TOGETHER, ({ bytes }) => bytes.length)) {
    // One value with the bytes of all: the client writes those of a list as hex digits, which takes four times as long.
    await run({
      text: `INSERT INTO skill_discovery.blob (sha256, size, packing, bytes)
        SELECT sha256, size, packing, substring($6::bytea FROM start FOR length)
        FROM unnest($1::bytea[], $2::float8[], $3::text[], $4::int[], $5::int[])
          AS given (sha256, size, packing, start, length)
        ON CONFLICT (sha256) DO NOTHING`,
      values: [
        part.map(({ sha256 }) => Buffer.from(sha256, 'hex')),
        part.map(({ size }) => size),
        part.map(({ packing }) => packing),
        ...joinBytes(part.map(({ bytes }) => bytes)),
      ],
    });
  }
}

/**
 * Reads blobs. Those that are not there are left out.
 *
 * @throws {SkillSearchError} `DATABASE_DAMAGED` if one is not what its digest says
 */
export async function readBlobs(
  session: Pick<PostgresSession, 'copy'>,
  shown: string,
  digests: readonly Buffer[],
): Promise<PackedBlob[]> {
  return readChecked(session, shown, digests, (blob) => blob);
}

/** Like {@link readBlobs}, as texts by their digests. */
export async function readTexts(
  session: Pick<PostgresSession, 'copy'>,
  shown: string,
  digests: readonly Buffer[],
): Promise<ReadonlyMap<string, string>> {
  return new Map(
    await readChecked(session, shown, digests, ({ sha256 }, unpacked) => [sha256, unpacked.toString()] as const),
  );
}

/** @param take is given each blob, and its bytes before they were packed, which are not held longer */
async function readChecked<T>(
  { copy }: Pick<PostgresSession, 'copy'>,
  shown: string,
  digests: readonly Buffer[],
  take: (blob: PackedBlob, unpacked: Buffer) => T,
): Promise<T[]> {
  const taken: T[] = [];
  for (const part of inParts(digests, TOGETHER)) {
    const rows = await copy(
      `SELECT sha256, size, packing, bytes FROM skill_discovery.blob WHERE sha256 = ANY (${bytesArray(part)})`,
    );
    for (const row of rows) {
      const [digest, size, packing, bytes] = row as Buffer[];
      const blob = { sha256: digest!.toString('hex'), size: size!.readDoubleBE(), bytes: bytes! };
      const [kind, unpacked] = checked(shown, blob, packing!.toString());
      taken.push(take({ ...blob, packing: kind }, unpacked));
    }
  }
  return taken;
}

function checked(
  shown: string,
  { sha256, size, bytes }: Omit<PackedBlob, 'packing'>,
  packing: string,
): [PackedBlob['packing'], Buffer] {
  if (packing === 'deflate' || packing === 'raw') {
    const unpacked = unpackedOrNone(bytes, packing, size);
    if (unpacked?.length === size && createHash('sha256').update(unpacked).digest('hex') === sha256) {
      return [packing, unpacked];
    }
  }
  throw sharedDamage(shown, `the blob ${sha256} is not what its digest says`);
}

function unpackedOrNone(bytes: Buffer, packing: string, size: number): Buffer | undefined {
  try {
    return unpackBlob(bytes, packing, size);
  } catch {
    return undefined;
  }
}
