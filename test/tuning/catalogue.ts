import { writeFileSync } from 'node:fs';
import { buildCatalogue } from '../../src/index.js';
import { minePairs, type PairOptions, type PairReport, type TrainingPair } from '../../src/tuning/index.js';
import { type Row, row, toJsonLines } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

/** A catalogue of rows, with vectors of the stand-in embedder. Its path. */
export async function catalogueOf(rows: readonly Row[], semantic = true): Promise<string> {
  const database = scratchFile('skills.db');
  const source = { name: 'rows', rows };
  const vectors = semantic ? { embedder: new StandInEmbedder() } : { semantic: false };
  await buildCatalogue({ database, sources: [source], ...vectors });
  return database;
}

/** A skill about one matter, with a quoted phrase. */
export function skillRow(id: string, phrase: string, more: Row = {}): Row {
  const description = `Keeps a diary of ${id} and plans the work of the whole year. Triggers: "${phrase}".`;
  return row(id, { name: id, description, files: [{ filename: 'SKILL.md', text: '' }], ...more });
}

/** A file with these lines. Its path. */
export function linesFile(lines: readonly unknown[]): string {
  const path = scratchFile('lines.txt');
  writeFileSync(path, lines.every((line) => typeof line === 'string') ? lines.join('\n') : toJsonLines(lines));
  return path;
}

/** All pairs and the report. */
export async function mineAll(options: PairOptions): Promise<{ pairs: TrainingPair[]; report: PairReport }> {
  const pairs: TrainingPair[] = [];
  const mine = minePairs(options);
  for (;;) {
    const { done, value } = await mine.next();
    if (done === true) return { pairs, report: value };
    pairs.push(value);
  }
}
