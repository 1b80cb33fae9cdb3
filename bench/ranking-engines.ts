// `npm run bench:ranking`: how well skills are found, beside other search engines. See docs/evaluation.md.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import { writeRun } from '../src/evaluation/index.js';
import { openSkillSearch } from '../src/index.js';
import { askEngines, askOurs, type Runs } from './engines/ask-engines.js';
import { type AskedSet, givenSet, partsOfGraded, questionsOfFile } from './engines/asked-set.js';
import { measureSet } from './engines/measure-set.js';
import { ENGINES, type EngineName, enginesNamed, NEEDS_MODEL } from './engines/names.js';
import { aheadTable, givenTable, gradedTable, type MeasuredSet } from './engines/report.js';
import { openSetCatalogues } from './engines/set-catalogues.js';
import { machineName } from './machine.js';
import { readSets } from './ranking/judged-sets.js';

interface Flags {
  readonly questions: readonly string[];
  readonly sets: readonly string[];
  readonly root?: string;
  readonly database: string;
  readonly published?: string;
  readonly publishedDatabase?: string;
  readonly engines?: string;
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
  .option('--engines <names>', `which take part, with commas between them: ${ENGINES.join(', ')} (default: all)`)
  .option('--no-ours', 'do without our own search')
  .option('--published <folder>', 'the published model all-MiniLM-L6-v2, which minilm and rrf need')
  .option('--published-database <file>', 'the catalogue of --database, loaded with that model')
  .option('--keep <folder>', 'keep loaded documents here')
  .option('--save-runs <folder>', 'write a TREC run for each set and engine')
  .option('--out <file>', 'write the tables to this file')
  .action(main)
  .parseAsync();

async function main(folders: readonly string[], flags: Flags): Promise<void> {
  const { questions, sets, root, database, published, publishedDatabase, keep, saveRuns } = flags;
  const engines = enginesOf(flags);
  const graded: AskedSet[] = [];
  for (const folder of folders) graded.push(...(await partsOfGraded(folder, database)));
  const given = new Map<string, AskedSet[]>();
  for (const file of sets) {
    const listed: AskedSet[] = [];
    for (const set of await readSets(file, { database, root })) listed.push(await givenSet(set));
    given.set(basename(file, '.json'), listed);
  }
  const asked = [...graded, ...[...given.values()].flat()];
  for (const file of questions) asked.push(...(await questionsOfFile(file, database)));
  if (asked.length === 0) throw new Error('name folders with graded requests, --sets or --questions');

  const model = engines.some((engine) => NEEDS_MODEL.has(engine)) ? published : undefined;
  const measured = new Map<AskedSet, MeasuredSet>();
  for (const group of byDocuments(asked)) {
    const say = (what: string): void => {
      process.stderr.write(`${group.map(({ name }) => name).join(', ')}: ${what}\n`);
    };
    say('loading');
    await using catalogue = await openSetCatalogues(group[0]?.of ?? {}, {
      model,
      modelDatabase: publishedDatabase,
      keep,
    });
    const found = askEngines(group, engines, catalogue, say);
    await using search = await openSkillSearch({ database: catalogue.database, warmUp: flags.ours });
    for (const [i, set] of group.entries()) {
      if (flags.ours) say(`ours, ${set.name}`);
      const copies = isGiven(set) ? 'keep' : 'collapse';
      const runs: Runs = new Map([...(found[i] ?? []), ...(flags.ours ? await askOurs(search, set, copies) : [])]);
      if (saveRuns !== undefined) save(set, runs, saveRuns);
      if (set.benchmark === undefined) continue;
      const rows = await measureSet(search, set.benchmark, runs);
      measured.set(set, { title: set.title, questions: set.questions.length, rows });
    }
  }
  write(graded, given, measured, flags.out);
}

/** All that can be asked; named ones must be. */
function enginesOf({ engines, published }: Flags): EngineName[] {
  if (engines === undefined) return ENGINES.filter((engine) => published !== undefined || !NEEDS_MODEL.has(engine));
  const named = enginesNamed(engines);
  if (published === undefined && named.some((engine) => NEEDS_MODEL.has(engine))) {
    throw new Error('minilm and rrf need the folder of the published model (--published)');
  }
  return named;
}

function isGiven({ benchmark }: AskedSet): boolean {
  return benchmark !== undefined && benchmark.grades === undefined;
}

function write(
  graded: readonly AskedSet[],
  given: ReadonlyMap<string, readonly AskedSet[]>,
  measured: ReadonlyMap<AskedSet, MeasuredSet>,
  out: string | undefined,
): void {
  const figuresOf = (sets: readonly AskedSet[]): MeasuredSet[] => sets.flatMap((set) => measured.get(set) ?? []);
  const parts = [
    ...figuresOf(graded).map(gradedTable),
    ...Array.from(given, ([name, sets]) => [
      `### ${name}`,
      givenTable(figuresOf(sets)),
      aheadTable(figuresOf(sets)),
    ]).flat(),
  ];
  if (parts.length === 0) return;
  const date = new Date().toISOString().slice(0, 10);
  const text = `${[`${date}, ${machineName()}`, ...parts].join('\n\n')}\n`;
  process.stdout.write(text);
  if (out !== undefined) writeFileSync(out, text);
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
