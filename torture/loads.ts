import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { randomNumbers } from '../src/evaluation/compare.js';
import { buildCatalogue, openSkillSearch, SkillSearchError } from '../src/index.js';
import { isCurrentKeywordFile } from '../src/indexing/keyword-file.js';
import { vectorFilesAreCurrent } from '../src/semantic/index.js';
import { derivedFiles, filesBeside } from '../src/store/files.js';
import { Database } from '../src/store/sqlite.js';
import { contentOf, stampOf } from '../test/catalogue-file.js';
import { StandInEmbedder } from '../test/semantic/stand-in-embedder.js';
import type { ProgramCall } from './disk/strace.js';
import { oneOf, randomInteger } from './trial.js';

/** A load that trials disturb: what is in the catalogue before, what the source has, and how it ends undisturbed. */
export interface DisturbedLoad {
  readonly name: string;
  /** Folder with the catalogue before the load, and the source; nothing else. */
  readonly before: string;
  readonly embeds: boolean;
  readonly oldContent: string | undefined;
  readonly newContent: string;
  readonly counts: Counts;
}

interface Counts {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
}

const DATABASE = 'skills.db';
const SOURCE = 'source.jsonl';

/** Paths inside a folder that {@link takeCopy} filled. */
export function pathsIn(folder: string): { readonly database: string; readonly source: string } {
  return { database: join(folder, DATABASE), source: join(folder, SOURCE) };
}

/** The load as a call, over a copy of its folder. */
export function callOf({ embeds }: DisturbedLoad, folder: string): ProgramCall {
  const { database, source } = pathsIn(folder);
  return { args: ['load', database, source, ...(embeds ? ['embed'] : [])] };
}

/** The loads that trials disturb. Each is prepared when it is first drawn. */
export class DisturbedLoads {
  readonly #folder: string;
  readonly #plans: readonly Plan[];
  readonly #prepared = new Map<Plan, Promise<DisturbedLoad>>();

  /** @param skills number of skills of a catalogue */
  constructor(folder: string, skills: number) {
    const random = randomNumbers(7);
    const rows = Array.from({ length: skills }, (_, i) => trialRow(random, i));
    const changed = rows.map((row, i) => (i % 3 === 0 ? trialRow(random, i) : row)).slice(skills / 10);
    const added = Array.from({ length: skills / 5 }, (_, i) => trialRow(random, skills + i));
    this.#folder = folder;
    this.#plans = [
      { name: 'change', old: rows, rows: [...changed, ...added], embeds: false },
      // So much is removed that the file is packed.
      { name: 'packing', old: rows, rows: rows.slice(skills * 0.8), embeds: false },
      { name: 'first', old: undefined, rows, embeds: false },
      { name: 'vectors', old: rows, rows: [...changed, ...added], embeds: true },
    ];
  }

  /** One of the loads. Seldom the one that embeds: starting its threads takes as long as ten of the others. */
  one(random: () => number): Promise<DisturbedLoad> {
    const plan = oneOf(random, randomInteger(random, 8) === 0 ? this.#plans : this.#plans.slice(0, -1));
    const prepared = this.#prepared.get(plan) ?? prepare(this.#folder, plan);
    this.#prepared.set(plan, prepared);
    return prepared;
  }
}

interface Plan {
  readonly name: string;
  readonly old: readonly TrialRow[] | undefined;
  readonly rows: readonly TrialRow[];
  readonly embeds: boolean;
}

async function prepare(folder: string, { name, old, rows, embeds }: Plan): Promise<DisturbedLoad> {
  const before = join(folder, `${name}-before`);
  const reference = join(folder, `${name}-reference`);
  mkdirSync(before, { recursive: true });
  const { database, source } = pathsIn(before);
  if (old !== undefined) {
    writeRows(source, old);
    await load(before, embeds);
  }
  writeRows(source, rows);
  takeCopy(before, reference);
  const counts = await load(reference, embeds);
  const oldContent = old === undefined ? undefined : textOf(database);
  const newContent = textOf(pathsIn(reference).database);
  rmSync(reference, { recursive: true });
  return { name, before, embeds, oldContent, newContent, counts };
}

function writeRows(path: string, rows: readonly TrialRow[]): void {
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** Makes a folder a copy of another one. */
export function takeCopy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(to, name));
}

async function load(folder: string, embeds: boolean): Promise<Counts> {
  const { database, source } = pathsIn(folder);
  const embedder = new StandInEmbedder();
  const model = embeds ? { embedder } : { semantic: false };
  const report = await buildCatalogue({ database, sources: [source], prune: true, ...model });
  if (report.warnings.length > 0) throw new Error(`a load warns: ${JSON.stringify(report.warnings)}`);
  const { added, updated, unchanged, removed } = report;
  return { added, updated, unchanged, removed };
}

/** The content of a catalogue without the names of its sources, which tell the folder. */
export function textOf(database: string): string {
  const content = [...contentOf(database)].map(([id, { sources, ...skill }]) => [id, sources.length, skill]);
  return JSON.stringify(content);
}

/** What a disturbed load left. */
export type LeftBehind = 'old' | 'new';

/**
 * Checks what a disturbed load left in a folder: the catalogue is the old or the new one, whole, and answers; the next
 * load ends as if nothing had happened, and leaves nothing beside its files.
 *
 * @throws Error that says what is broken
 */
export async function checkLeftBehind(folder: string, disturbed: DisturbedLoad): Promise<LeftBehind> {
  const { database } = pathsIn(folder);
  const { oldContent, newContent, counts, embeds } = disturbed;
  let left: LeftBehind = 'old';
  if (existsSync(database)) {
    const content = textOf(database);
    if (content !== oldContent && content !== newContent) throw new Error('the catalogue is neither old nor new');
    left = content === newContent ? 'new' : 'old';
    checkIntegrity(database);
    await askQuestions(database, embeds);
  } else if (oldContent !== undefined) throw new Error('the catalogue is gone');

  const ended = await load(folder, embeds);
  if (textOf(database) !== newContent) throw new Error('the next load ends with another catalogue');
  const total = counts.added + counts.updated + counts.unchanged;
  const isWhole = JSON.stringify(ended) === JSON.stringify(counts);
  const isOver = ended.unchanged === total && ended.added + ended.updated + ended.removed === 0;
  if (!isWhole && !(isOver && left === 'new'))
    throw new Error(`the next load counts ${JSON.stringify(ended)}, not ${JSON.stringify(counts)}`);
  checkIntegrity(database);
  await checkDerived(database, embeds);
  await askQuestions(database, embeds);
  checkNothingLeft(database);
  return left;
}

function checkIntegrity(database: string): void {
  const connection = new Database(database, { readonly: true });
  try {
    const result = connection.pragma('integrity_check', { simple: true });
    if (result !== 'ok') throw new Error(`the catalogue is damaged: ${result}`);
  } finally {
    connection.close();
  }
}

/** Answers must be those of the catalogue, whatever the derived files hold. */
export async function askQuestions(database: string, embeds: boolean): Promise<void> {
  const ids = new Set(contentOf(database).keys());
  const embedder = new StandInEmbedder();
  await using search = await openSkillSearch({ database, embedder });
  const skills = search.ids().map((id) => ({ ...search.get(id), files: search.files(id) }));
  await using plain = await openSkillSearch({ skills, embedder });
  for (const q of QUESTIONS) {
    const [found, expected] = [search, plain].map((one) =>
      one.keyword({ q, sortBy: 'recent', copies: 'keep', limit: 50 }),
    );
    const idsOf = ({ hits }: NonNullable<typeof found>): string => hits.map(({ skill }) => skill.id).join();
    if (idsOf(found!) !== idsOf(expected!)) throw new Error(`the index of words finds something else for ${q}`);
  }
  if (!embeds || ids.size === 0) return;
  for (const q of QUESTIONS.slice(0, 2)) {
    try {
      const { hits } = await search.semantic({ q, ranking: 'vector' });
      if (hits.length === 0 || hits.some(({ skill }) => !ids.has(skill.id))) throw new Error(`nothing is near to ${q}`);
    } catch (error) {
      if (!(error instanceof SkillSearchError)) throw error;
    }
  }
}

async function checkDerived(database: string, embeds: boolean): Promise<void> {
  const stamp = stampOf(database);
  if (!(await isCurrentKeywordFile(database, stamp))) throw new Error('the index of words is not current');
  if (!embeds) return;
  const model = new StandInEmbedder().model;
  if (!(await vectorFilesAreCurrent({ files: filesBeside(database), stamp, model }))) {
    throw new Error('the vector files are not current');
  }
}

function checkNothingLeft(database: string): void {
  const expected = new Set([database, ...derivedFiles(database)].map((path) => basename(path)));
  const left = readdirSync(dirname(database)).filter((name) => name !== SOURCE && !expected.has(name));
  if (left.length > 0) throw new Error(`the next load leaves ${left.join(', ')}`);
}

const WORDS =
  'react testing python browser résumé naïve data pipeline release notes invoice kubernetes deploy tests tester tested c++ node.js 中文搜索 東京 วันนี้ calendar archive merge request refactor PascalCaseName snake_case kebab-case'.split(
    ' ',
  );

type TrialFile =
  | { readonly filename: string; readonly text: string }
  | { readonly filename: string; readonly base64: string; readonly complete: true; readonly sha256: string };

/** A file of a row that says that it is complete. */
export function wholeFile(filename: string, bytes: Buffer): TrialFile {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { filename, base64: bytes.toString('base64'), complete: true, sha256 };
}

/** A row of a source, as trials make them. */
export interface TrialRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly author: string;
  readonly stars: number;
  readonly updatedAt: number;
  readonly categories: readonly string[];
  readonly files: readonly TrialFile[];
}

/** A row whose text is made of few words, so that every question finds some. */
export function trialRow(random: () => number, number: number): TrialRow {
  const words = (count: number): string => Array.from({ length: count }, () => oneOf(random, WORDS)).join(' ');
  // Few words more than 255 times: their frequency does not fit into a byte.
  const often = randomInteger(random, 50) === 0 ? ' tests'.repeat(300) : '';
  return {
    id: `skill-${number}`,
    name: words(1 + randomInteger(random, 3)),
    description: words(5 + randomInteger(random, 20)),
    author: oneOf(random, WORDS),
    stars: randomInteger(random, 1000),
    updatedAt: 1_700_000_000 + randomInteger(random, 1_000_000),
    categories: [oneOf(random, ['testing', 'data', 'web'])],
    files: [
      { filename: 'SKILL.md', text: `${words(20 + randomInteger(random, 60))}${often}` },
      // Some bring bytes, few of them different.
      ...(number % 3 === 0 ? [wholeFile('data.bin', Buffer.alloc(2000, number % 7))] : []),
    ],
  };
}

/** Rows `skill-<from>` up to `skill-<to>`, without the last. */
export function trialRows(random: () => number, to: number, from = 0): TrialRow[] {
  return Array.from({ length: to - from }, (_, i) => trialRow(random, from + i));
}

export const QUESTIONS: readonly string[] = [
  'react testing',
  '"data pipeline" release',
  '"release notes invoice"',
  'kubernets deploi',
  'browse',
  'tests',
  'résumé',
  '中文',
  '東',
  'react python browser data pipeline release invoice kubernetes archive',
  'zzzz',
  'node.js c++',
  '"tests tests tests"',
];
