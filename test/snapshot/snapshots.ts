import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildCatalogue } from '../../src/index.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';

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
