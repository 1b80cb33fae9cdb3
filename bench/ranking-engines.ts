// `npm run bench:ranking`: how well skills are found, beside other search engines. See docs/evaluation.md.
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Command } from 'commander';
import type { Run } from '../src/evaluation/index.js';
import { openSkillSearch } from '../src/index.js';
import { askEngine, askOurs, fuseWanted, indexedOf, type Runs } from './engines/ask-engines.js';
import { type AskedSet, givenSet, gradedSets, questionsOfFile } from './engines/asked-set.js';
import { measureSet } from './engines/measure-set.js';
import { ENGINES, type EngineName, enginesNamed, NEEDS_MODEL } from './engines/names.js';
import { aheadTable, givenTable, gradedTable, type MeasuredSet } from './engines/report.js';
import type { IndexedEngine } from './engines/run-engine.js';
import { openSetCatalogues } from './engines/set-catalogues.js';
import { storedRuns, storeRuns } from './engines/stored-runs.js';
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
  readonly runs?: string;
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
  .option('--runs <folder>', 'runs of other engines that were stored so: what is there is not asked again')
  .option('--out <file>', 'write the tables to this file')
  .action(main)
  .parseAsync();

async function main(folders: readonly string[], flags: Flags): Promise<void> {
  const { questions, sets, root, database, out } = flags;
  const engines = enginesOf(flags);
  const graded: AskedSet[] = [];
  for (const folder of folders) graded.push(...(await gradedSets(folder, database)));
  const given = new Map<string, AskedSet[]>();
  for (const file of sets) {
    const listed: AskedSet[] = [];
    for (const set of await readSets(file, { database, root })) {
      // Graded requests are folders of their own, and measured otherwise.
      if (!set.own) listed.push(await givenSet(set));
    }
    given.set(basename(file, '.json'), listed);
  }
  const asked = [...graded, ...[...given.values()].flat()];
  for (const file of questions) asked.push(...(await questionsOfFile(file, database)));
  if (asked.length === 0) throw new Error('name folders with graded requests, --sets or --questions');

  const measured = new Map<AskedSet, MeasuredSet[]>();
  for (const group of byDocuments(asked)) {
    for (const [set, figures] of await measureGroup(group, engines, flags)) measured.set(set, figures);
  }
  const figuresOf = (of: readonly AskedSet[]): MeasuredSet[] => of.flatMap((set) => measured.get(set) ?? []);
  const tables = [
    ...figuresOf(graded).map(gradedTable),
    ...Array.from(given, ([name, of]) => [`### ${name}`, givenTable(figuresOf(of)), aheadTable(figuresOf(of))]).flat(),
  ];
  if (tables.length === 0) return;
  const text = `${[`${new Date().toISOString().slice(0, 10)}, ${machineName()}`, ...tables].join('\n\n')}\n`;
  process.stdout.write(text);
  if (out !== undefined) writeFileSync(out, text);
}

/** Asks and measures sets that are all asked of the same documents. */
async function measureGroup(
  sets: readonly AskedSet[],
  engines: readonly EngineName[],
  { ours, published, publishedDatabase, keep, runs: stored, saveRuns }: Flags,
): Promise<Map<AskedSet, MeasuredSet[]>> {
  const say = (what: string): void => {
    process.stderr.write(`${sets.map(({ name }) => name).join(', ')}: ${what}\n`);
  };
  const found = sets.map((): Runs => new Map());
  const note = (engine: EngineName, of: readonly Run[]): void => {
    for (const [i, run] of of.entries()) found[i]?.set(engine, run);
  };
  const toAsk: IndexedEngine[] = [];
  for (const engine of indexedOf(engines)) {
    const runs = await storedRuns(sets, engine, stored);
    if (runs === undefined) toAsk.push(engine);
    else note(engine, runs);
  }
  say('loading');
  await using catalogue = await openSetCatalogues(sets[0]?.of ?? {}, {
    model: toAsk.includes('minilm') ? published : undefined,
    modelDatabase: publishedDatabase,
    keep,
  });
  for (const engine of toAsk) {
    say(engine);
    note(engine, askEngine(engine, sets, catalogue));
    if (saveRuns !== undefined) for (const [i, set] of sets.entries()) storeRuns(set, found[i] ?? new Map(), saveRuns);
  }
  const measured = new Map<AskedSet, MeasuredSet[]>();
  await using search = await openSkillSearch({ database: catalogue.database, warmUp: ours });
  for (const [i, set] of sets.entries()) {
    if (ours) say(`ours, ${set.name}`);
    const runs: Runs = new Map([...(found[i] ?? []), ...(ours ? await askOurs(search, set) : [])]);
    fuseWanted(runs, engines);
    if (saveRuns !== undefined) storeRuns(set, runs, saveRuns);
    const figures: MeasuredSet[] = [];
    for (const { title, benchmark } of set.parts) {
      const rows = await measureSet(search, benchmark, runs);
      figures.push({ title, questions: benchmark.questions.length, rows });
    }
    measured.set(set, figures);
  }
  return measured;
}

/** All that can be asked, unless they are named. */
function enginesOf({ engines, published, runs }: Flags): EngineName[] {
  if (engines !== undefined) return enginesNamed(engines);
  return ENGINES.filter((engine) => published !== undefined || runs !== undefined || !NEEDS_MODEL.has(engine));
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
