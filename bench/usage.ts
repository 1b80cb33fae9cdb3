// `npm run bench:usage`: what is learnt from use, and what a log does that somebody filled. See docs/usage.md.
import { linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { packVector, type UsageEntry, usageFile } from '../src/core/index.js';
import { LEAST_USEFUL } from '../src/evaluation/benchmark.js';
import { makeCorpusFile } from '../src/evaluation/corpus.js';
import { type Benchmark, measureRanking, type Question, readBenchmark } from '../src/evaluation/index.js';
import { openSkillSearch } from '../src/index.js';
import { type CatalogueSearch, catalogueSearchOf } from '../src/search/index.js';
import type { SemanticAnswer } from '../src/search/skill-search.js';
import { derivedFiles } from '../src/store/index.js';
import { markdownTable } from './markdown-table.js';
import { evenly } from './ranking/judged-questions.js';

interface Flags {
  readonly database?: string;
  readonly keep?: string;
  readonly most: string;
}

/** Uses that a log is poisoned with. */
const POISON = 1000;

await new Command('bench:usage')
  .description('learn from one half of the questions of each set, and ask the other; then poison the log')
  .argument('<folders...>', 'sets with documents of their own, or graded requests, which ask --database')
  .option('--database <file>', 'a loaded catalogue; nothing is written beside it')
  .option('--keep <folder>', 'keep loaded documents here')
  .option('--most <n>', 'questions of a set, spread over it', '4000')
  .action(main)
  .parseAsync();

async function main(folders: readonly string[], flags: Flags): Promise<void> {
  const rows: string[][] = [];
  for (const folder of folders) rows.push(await measure(await readBenchmark(folder), flags));
  const head = ['set', 'asked', 'learnt from', 'nDCG@10', 'learnt', 'Hit@1', 'learnt', 'changed', 'worst', 'poisoned'];
  console.log(markdownTable(head, rows));
}

/** A question with what it finds without a log. */
interface Asked extends Question {
  readonly answer: SemanticAnswer;
}

async function measure(benchmark: Benchmark, { database, keep, most }: Flags): Promise<string[]> {
  const { corpus: documents } = benchmark;
  const made = await makeCorpusFile(documents === undefined ? { database } : { documents, keep });
  const folder = mkdtempSync(join(dirname(made.path), 'usage-'));
  try {
    // The log is written beside a catalogue of the same content.
    const beside = join(folder, 'skills.db');
    for (const [i, file] of derivedFiles(beside).entries()) linkIfThere(derivedFiles(made.path)[i]!, file);
    linkIfThere(made.path, beside);
    await using search = catalogueSearchOf(await openSkillSearch({ database: beside, warmUp: true }));
    const asked: Asked[] = [];
    for (const question of evenly(benchmark.questions, Number(most)))
      asked.push({ ...question, answer: await ask(search, question, benchmark, false) });
    const [learnt, others] = [0, 1].map((half) => asked.filter((_, i) => i % 2 === half)) as [Asked[], Asked[]];
    const uses = learnt.flatMap((question) => useOf(question, search, benchmark));
    writeLog(beside, uses);
    const after = await measureAll(search, others, benchmark);
    writeLog(beside, poisonFor(asked, search, benchmark));
    const poisoned = await measureAll(search, asked, benchmark);
    const worst = Math.max(0, ...poisoned.moved.map(Math.abs));
    return [
      ...[benchmark.name, String(others.length), String(uses.length)],
      ...[after.before, after.after, after.hitBefore, after.hitAfter].map((figure) => figure.toFixed(4)),
      ...[`${after.moved.length}`, Math.min(0, ...after.moved).toFixed(3), worst.toFixed(4)],
    ];
  } finally {
    rmSync(folder, { recursive: true });
    await made.clear();
  }
}

function linkIfThere(file: string, link: string): void {
  try {
    linkSync(file, link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function ask(
  search: CatalogueSearch,
  { text }: Question,
  { grades }: Benchmark,
  usage: boolean,
): Promise<SemanticAnswer> {
  const copies = grades === undefined ? 'keep' : 'collapse';
  return search.semanticWithVector({ q: text, limit: 20, copies }, { usage });
}

/** Gains of what was found; of a skill that stands for copies the greatest. */
function gainsOf(
  { result }: SemanticAnswer,
  { id }: Question,
  search: CatalogueSearch,
  benchmark: Benchmark,
): number[] {
  const gains = benchmark.gains.get(id);
  const known = benchmark.grades === undefined ? (one: string) => [one] : (one: string) => search.copiesOf(one);
  return result.hits.map(({ skill }) => Math.max(0, ...known(skill.id).map((copy) => gains?.get(copy) ?? 0)));
}

/** What somebody would load: the first useful of the ten that are shown, or else what is known to be right. */
function useOf(question: Asked, search: CatalogueSearch, benchmark: Benchmark): UsageEntry[] {
  const least = benchmark.grades === undefined ? 1 : LEAST_USEFUL;
  const found = gainsOf(question.answer, question, search, benchmark).findIndex((gain) => gain >= least);
  const [right] = benchmark.gains.get(question.id)?.keys() ?? [];
  const skill = found >= 0 ? question.answer.result.hits[found]!.skill.id : right;
  return benchmark.grades !== undefined && found < 0 ? [] : [entryOf(question.answer, skill!, question.id)];
}

/** The skill that is found most often without being of any use, used for all that is asked. */
function poisonFor(asked: readonly Asked[], search: CatalogueSearch, benchmark: Benchmark): UsageEntry[] {
  const counts = new Map<string, number>();
  for (const question of asked) {
    const gains = gainsOf(question.answer, question, search, benchmark);
    for (const [i, { skill }] of question.answer.result.hits.entries())
      if (gains[i] === 0) counts.set(skill.id, (counts.get(skill.id) ?? 0) + 1);
  }
  const [worst] = [...counts].sort((a, b) => b[1] - a[1])[0]!;
  return Array.from({ length: POISON }, (_, i) => entryOf(asked[i % asked.length]!.answer, worst, `${i}`));
}

function entryOf({ vector, result }: SemanticAnswer, skill: string, session: string): UsageEntry {
  const time = Math.floor(Date.now() / 1000);
  const question = { vector: packVector(vector!), model: result.model! };
  return { time, host: 'library', session, kind: 'used', skills: [skill], ...question };
}

function writeLog(database: string, entries: readonly UsageEntry[]): void {
  rmSync(usageFile(database), { force: true });
  writeFileSync(usageFile(database), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
}

interface Change {
  readonly before: number;
  readonly after: number;
  readonly hitBefore: number;
  readonly hitAfter: number;
  /** By how much each question moved that did. */
  readonly moved: readonly number[];
}

async function measureAll(search: CatalogueSearch, asked: readonly Asked[], benchmark: Benchmark): Promise<Change> {
  const gain = benchmark.grades === undefined ? 'linear' : 'exponential';
  const figuresOf = (question: Question, answer: SemanticAnswer): [ndcg: number, hit: number] => {
    // Ids are places: what counts is what each place is worth.
    const worth = gainsOf(answer, question, search, benchmark);
    const ideal = [...(benchmark.gains.get(question.id)?.values() ?? [])];
    const gains = new Map([...worth.map((one, i) => [`${i}`, one] as const), ...missing(ideal, worth)]);
    const figures = measureRanking(
      worth.map((_, i) => ({ id: `${i}`, score: -i })),
      gains,
      { at: [10], gain },
    );
    return [figures['ndcg@10']!, (worth[0] ?? 0) > 0 ? 1 : 0];
  };
  const sums = [0, 0, 0, 0];
  const moved: number[] = [];
  for (const question of asked) {
    const [before, hitBefore] = figuresOf(question, question.answer);
    const [after, hitAfter] = figuresOf(question, await ask(search, question, benchmark, true));
    for (const [i, figure] of [before, after, hitBefore, hitAfter].entries()) sums[i]! += figure / asked.length;
    if (after !== before) moved.push(after - before);
  }
  const [before = 0, after = 0, hitBefore = 0, hitAfter = 0] = sums;
  return { before, after, hitBefore, hitAfter, moved };
}

/** The gains that a ranking has not found. */
function missing(ideal: readonly number[], worth: readonly number[]): [string, number][] {
  const left = [...worth];
  return ideal.flatMap((gain, i) => {
    const at = left.indexOf(gain);
    if (at < 0) return [[`missing ${i}`, gain] as [string, number]];
    left.splice(at, 1);
    return [];
  });
}
