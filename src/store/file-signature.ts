import { stat } from 'node:fs/promises';
import { resolveDatabase } from '../core/index.js';
import { derivedFiles } from './file-names.js';

/**
 * A text that changes whenever a catalogue's file or one of its derived files is replaced or written to.
 *
 * @returns an empty text if there is no catalogue
 */
export async function signatureOf(path: string): Promise<string> {
  const database = resolveDatabase(path);
  const files = [database, ...derivedFiles(database)];
  const [catalogue, ...derived] = await Promise.all(files.map(signatureOfFile));
  return catalogue === '' ? '' : [catalogue, ...derived].join(' ');
}

/** Which file a signature is of, whatever was written to it since. */
export function inodeIn(signature: string): string {
  return signature.split(':', 1)[0]!;
}

async function signatureOfFile(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return [ino, size, mtimeMs].join(':');
  } catch {
    return '';
  }
}
