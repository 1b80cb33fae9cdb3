/**
 * Does one thing, as soon as it is told, for trials that kill it, fill the disk, or watch what it asks of the system.
 *
 *     one.ts load DATABASE SOURCE [embed]   a load that prunes; prints its counts and warnings, or the code of its failure.
 *                                           With `embed` it makes vectors, by a stand-in for a model, and a graph of them
 *     one.ts change DATABASE CHANGE         updates rows and removes ids, which the file CHANGE has as JSON
 *     one.ts copy FROM TO                   copies a catalogue over another one
 *     one.ts key STATE                      makes a key and revokes the first one while a server has the state file
 *                                           open, and dies without closing it
 */
import { readFileSync } from 'node:fs';
import { openAccess } from '../../src/access/index.js';
import { buildCatalogue, copyCatalogue, removeSkills, SkillSearchError, updateSkills } from '../../src/index.js';
import { buildVectorFiles } from '../../src/semantic/index.js';
import { filesBeside } from '../../src/store/files.js';
import { openStoredVectors } from '../../src/store/read/stored-vectors.js';
import { StandInEmbedder } from '../../test/semantic/stand-in-embedder.js';
import { untilTold } from '../disk/strace.js';

const [what = '', first = '', second = '', third] = process.argv.slice(2);
const embedder = new StandInEmbedder();
const THINGS: Readonly<Record<string, () => Promise<unknown>>> = { load, change, copy, key };
await THINGS[what]!();

async function load(): Promise<void> {
  await untilTold();
  const embeds = third === 'embed';
  try {
    const { added, updated, unchanged, removed, warnings } = await buildCatalogue({
      ...{ database: first, sources: [second], prune: true },
      ...(embeds ? { embedder } : { semantic: false }),
    });
    if (embeds && warnings.length === 0) await buildGraph();
    process.stdout.write(JSON.stringify({ added, updated, unchanged, removed, warnings }));
  } catch (error) {
    if (!(error instanceof SkillSearchError)) throw error;
    process.stdout.write(JSON.stringify({ code: error.code }));
  }
}

/** A catalogue so small gets none by itself. */
async function buildGraph(): Promise<void> {
  const { stamp, vectors, close } = openStoredVectors(first);
  try {
    const files = filesBeside(first);
    await buildVectorFiles({ files, stamp, model: vectors.model!, vectors: await vectors.all(), graphFrom: 10 });
  } catch (error) {
    // Only `buildCatalogue` turns this into a warning.
    process.stderr.write(String(error));
  } finally {
    close();
  }
}

async function change(): Promise<void> {
  const { rows, ids } = JSON.parse(readFileSync(second, 'utf8')) as { rows: unknown[]; ids: string[] };
  await untilTold();
  await updateSkills({ database: first, rows, source: 'rows', embedder });
  await removeSkills({ database: first, ids });
}

async function copy(): Promise<void> {
  await untilTold();
  await copyCatalogue({ from: first, to: second, overwrite: true });
}

async function key(): Promise<void> {
  // The disk is watched from here on: it must see that the file of SQLite's log is made.
  await untilTold();
  const server = openAccess({ state: first });
  const access = openAccess({ state: first });
  access.revokeKey(1);
  const { id } = access.createKey();
  server.check();
  process.stdout.write(`${id}`, () => process.kill(process.pid, 'SIGKILL'));
}
