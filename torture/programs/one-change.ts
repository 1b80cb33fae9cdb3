/**
 * Changes a few skills of a catalogue in place, and then removes some: for trials that kill it.
 *
 *     one-change.ts DATABASE CHANGE
 *
 * The file CHANGE has the rows and the ids, as JSON.
 */
import { readFileSync } from 'node:fs';
import { removeSkills, updateSkills } from '../../src/index.js';
import { StandInEmbedder } from '../../test/semantic/stand-in-embedder.js';
import { untilTold } from '../disk/strace.js';

const [database = '', path = ''] = process.argv.slice(2);
const { rows, ids } = JSON.parse(readFileSync(path, 'utf8')) as { rows: unknown[]; ids: string[] };
await untilTold();
await updateSkills({ database, rows, source: 'rows', embedder: new StandInEmbedder() });
await removeSkills({ database, ids });
