// `npm run bench:ranking`: how well skills are found, beside other search engines. See docs/evaluation.md.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { writeRun } from '../src/evaluation/index.js';
import { askEngines, type Runs } from './engines/ask-engines.js';
import { type AskedSet, givenSet, partsOfGraded, questionsOfFile } from './engines/asked-set.js';
import { ENGINES, enginesNamed } from './engines/names.js';
import { readSets } from './ranking/judged-sets.js';

interface Flags {
  readonly questions: readonly string[];
  readonly sets: readonly string[];
  readonly root?: string;
  readonly database: string;
  readonly published?: string;
  readonly publishedDatabase?: string;
  readonly engines: string;
  readonly ours: boolean;
  readonly keep?: string;
  readonly saveRuns?: string;
  readonly out?: string;
}

const collect = (value: string, previous: readonly string[]): string[] => [...previous, value];

await new Command('bench:ranking')
  .description('measure how well skills are found, beside other search engines as their documentation shows them')
  .argument('[folders...]', 'folders with graded requests, which ask --database')
  .option('--sets <file>', 'JSON list of given sets, as bench/ranking-sets.json; may be repeated', collect, [])
  .option('--root <folder>', 'where the folders of --sets are (default: beside that file)')
  .option(
    '--questions <file>',
    'only ask these, for --save-runs: JSON Lines of _id and text; may be repeated',
    collect,
    [],
  )
  .option('--database <file>', 'loaded catalogue that sets without documents are asked of', 'skills.db')
  .option('--engines <names>', 'which take part, with commas between them', ENGINES.join(','))
  .option('--no-ours', 'do without our own search')
  .option('--published <folder>', 'the published model all-MiniLM-L6-v2')
  .option('--published-database <file>', 'the catalogue of --database, loaded with that model')
  .option('--keep <folder>', 'keep loaded documents here')
  .option('--save-runs <folder>', 'write a TREC run for each set and engine')
  .option('--out <file>', 'write the tables to this file')
  .action(main)
  .parseAsync();

async function main(folders: readonly string[], flags: Flags): Promise<void> {
  const { questions, sets, root, database, published, publishedDatabase, keep, saveRuns } = flags;
  const engines = enginesNamed(flags.engines);
  const asked: AskedSet[] = [];
  for (const folder of folders) asked.push(...(await partsOfGraded(folder, database)));
  for (const file of sets) for (const set of await readSets(file, { database, root })) asked.push(await givenSet(set));
  for (const file of questions) asked.push(...(await questionsOfFile(file, database)));
  if (asked.length === 0) throw new Error('name folders with graded requests, --sets or --questions');

  for (const group of byDocuments(asked)) {
    const runs = await askEngines(group, {
      engines,
      ours: flags.ours,
      published: published === undefined ? undefined : { model: published, database: publishedDatabase },
      keep,
      say: (what) => process.stderr.write(`${group.map(({ name }) => name).join(', ')}: ${what}\n`),
    });
    for (const [i, set] of group.entries()) if (saveRuns !== undefined) save(set, runs[i] as Runs, saveRuns);
  }
}

/** Sets that are asked of the same documents, together. */
function byDocuments(sets: readonly AskedSet[]): AskedSet[][] {
  const groups = new Map<string, AskedSet[]>();
  for (const set of sets) {
    const key = JSON.stringify(set.of);
    groups.set(key, [...(groups.get(key) ?? []), set]);
  }
  return [...groups.values()];
}

function save({ name }: AskedSet, runs: Runs, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [engine, run] of runs) writeFileSync(join(folder, `${name}.${engine}.run`), writeRun(run, engine));
}
