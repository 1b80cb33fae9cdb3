import { createReadStream, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { buildCatalogue, type Source } from '../../src/index.js';
import { idsOf, PUBLISHED, SAMPLE } from './questions.js';

const SAMPLE_FILES = ['skills.jsonl', 'languages.jsonl', 'folders'];

/** Loads the homes, each a catalogue of some published skills, and the sample. */
export async function makeHomes(
  catalogue: string,
  folder: string,
  { published = false }: { readonly published?: boolean },
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const make = async (home: string, sources: Source[]): Promise<void> => {
    const options = { git: false, author: 'sample', codehostBase: 'https://code.example/sample' };
    await buildCatalogue({ database: join(folder, `${home}.db`), sources, ...options });
    console.log(home);
  };
  const sample = new URL('../../data/sample/', import.meta.url);
  await make(
    SAMPLE,
    SAMPLE_FILES.map((name) => fileURLToPath(new URL(name, sample))),
  );
  const rows = await readRows(catalogue);
  for (const file of readdirSync(new URL('homes/', import.meta.url)).sort()) {
    const home = file.replace(/\.txt$/, '');
    await make(home, [idsOf(home).flatMap((id) => rows.get(id) ?? [])]);
  }
  if (published) await make(PUBLISHED, [catalogue]);
}

async function readRows(catalogue: string): Promise<Map<string, unknown>> {
  const bytes = createReadStream(catalogue);
  const input = catalogue.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  const rows = new Map<string, unknown>();
  for await (const line of createInterface({ input })) {
    const row = JSON.parse(line) as { readonly id: string };
    rows.set(row.id, row);
  }
  return rows;
}
