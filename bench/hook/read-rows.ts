import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/** The rows of a catalogue as they are, by id; JSON Lines, packed with gzip where the name says so. */
export async function readRows(catalogue: string): Promise<Map<string, string>> {
  const bytes = createReadStream(catalogue);
  const input = catalogue.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  const rows = new Map<string, string>();
  for await (const line of createInterface({ input })) rows.set((JSON.parse(line) as { id: string }).id, line);
  return rows;
}
