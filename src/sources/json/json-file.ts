import { open } from 'node:fs/promises';
import type { SourceKind } from '../rows/source-kind.js';
import { readJsonRows } from './json-rows.js';

const CHUNK_BYTES = 256 * 1024;

/** A file with one JSON array, or one JSON object a line. */
export const JSON_FILE: SourceKind = {
  name: 'file',
  description: '.jsonl, .ndjson or .json (each also with .gz)',
  isPath: (path, found) => found.isFile() && /\.(?:jsonl|ndjson|json)(?:\.gz)?$/i.test(path),
  read: (source, options) => readJsonRows(source.name, readFile(source.path), options),
};

// Reads with a handle because a stream that fails drops what it had read ahead.
async function* readFile(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
