import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildCatalogue } from '../../../src/index.js';
import { CHUNK_BYTES, chunkPath, manifestText } from '../../../src/share/snapshot/manifest.js';
import { type Row, row } from '../../rows.js';
import { scratchFile } from '../../scratch-folder.js';

let built: Promise<ReadonlyMap<string, Buffer>> | undefined;

/** A catalogue of 400 skills without vectors, of which each file has several chunks. It is built once. */
export async function largeCatalogue(): Promise<string> {
  built ??= build();
  const database = scratchFile('skills.db');
  for (const [name, bytes] of await built) writeFileSync(join(dirname(database), name), bytes);
  return database;
}

async function build(): Promise<ReadonlyMap<string, Buffer>> {
  const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-'));
  try {
    const sources = [{ name: 'rows', rows: manyRows() }];
    await buildCatalogue({ database: join(folder, 'skills.db'), semantic: false, sources });
    return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Texts that do not get much smaller when they are packed, of words that many of them have. */
function* manyRows(): Generator<Row> {
  let state = 1;
  for (let i = 0; i < 400; i++) {
    let text = '';
    for (let word = 0; word < 2500; word++) {
      state = (state * 48_271) % 2_147_483_647;
      text += `${((state % 7919) * 46_656).toString(36)} `;
    }
    yield { ...row(`skill-${i}`), files: [{ filename: 'SKILL.md', text }] };
  }
}

/** Writes a snapshot of a file that is no catalogue, as no `writeSnapshot` does. */
export function publishLie(folder: string, file: string): void {
  const bytes = readFileSync(file);
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const chunk = bytes.subarray(at, at + CHUNK_BYTES);
    const digest = createHash('sha256').update(chunk).digest('hex');
    const path = join(folder, chunkPath(digest));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, chunk);
    chunks.push(digest);
  }
  const files = [{ name: 'skills.db', bytes: bytes.length, chunks }];
  const written = new Date().toISOString();
  const text = manifestText({ stamp: `lie-${chunks[0]!.slice(0, 8)}`, written, chunkBytes: CHUNK_BYTES, files });
  writeFileSync(join(folder, 'manifest.json'), text);
}
