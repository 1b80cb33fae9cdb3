import { type FileHandle, open } from 'node:fs/promises';
import { digestOf, manifestText, readChunk } from '../snapshot/manifest.js';
import { readWhileUnchanged } from '../snapshot/write-files.js';
import type { SharedState } from './shared-state.js';
import type { SharedStore } from './shared-store.js';

/**
 * Stores the files of a copy as a checkpoint.
 *
 * @param database the copy, whose derived files lie beside it; nobody changes it meanwhile
 * @param state that it is
 * @throws the signal's reason when aborted
 */
export async function storeFiles(
  database: string,
  state: SharedState,
  store: SharedStore,
  signal: AbortSignal | undefined,
): Promise<void> {
  const places = new Map<string, { readonly path: string; readonly offset: number; readonly bytes: number }>();
  const note = async (chunk: Buffer, path: string, offset: number): Promise<string> => {
    const digest = digestOf(chunk);
    places.set(digest, { path, offset, bytes: chunk.length });
    return digest;
  };
  const manifest = await readWhileUnchanged(database, note, signal);
  const files = new Map<string, FileHandle>();
  const read = async (digest: string): Promise<Buffer> => {
    const { path, offset, bytes } = places.get(digest)!;
    const file = files.get(path) ?? (await open(path));
    files.set(path, file);
    const chunk = Buffer.allocUnsafe(bytes);
    await readChunk(file, chunk, offset);
    return chunk;
  };
  try {
    await store.putCheckpoint(state, manifestText(manifest), read, signal);
  } finally {
    await Promise.all([...files.values()].map((file) => file.close()));
  }
}
