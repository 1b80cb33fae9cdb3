import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomNumbers } from '../../src/evaluation/compare.js';
import { type EvaluationMode, type RankedDocument, rankQuestions, readRun } from '../../src/evaluation/index.js';
import { openSkillSearch, type SkillFile, type SkillSearch } from '../../src/index.js';
import { type Agreement, agreementOf } from './agreement.js';
import { addBlockGrades, type BlockGrades, type BlockKey, blockText } from './blocks.js';
import { type Grades, readGrades, writtenGrades } from './grades.js';
import { type PooledRequest, poolOf, type Shown, shuffled } from './pool.js';
import { type Request, readJsonLines, readRequests } from './requests.js';

const KEYS = 'keys.jsonl';
const ANSWERS = /\.grades\.jsonl$/;
const MODES: readonly EvaluationMode[] = ['hybrid', 'vector', 'bm25'];

/** Options of {@link pool}. */
export interface PoolFlags extends BlockFlags {
  readonly graded: readonly string[];
  readonly run: readonly string[];
  readonly own: boolean;
  readonly depth: number;
  readonly seed: number;
}

/** Options of all that writes blocks. */
interface BlockFlags {
  readonly database: string;
  readonly out: string;
  readonly blocks: number;
}

/** Options of {@link again}. */
export interface AgainFlags extends BlockFlags {
  readonly graded: readonly string[];
  readonly share: number;
  readonly seed: number;
}

/** Writes blocks of skills that have no grade yet. Returns what to say of them. */
export async function pool(paths: readonly string[], flags: PoolFlags): Promise<string> {
  refuseBlocks(flags.out);
  const requests = readRequests(paths);
  const graded = gradesOf(flags.graded);
  await using search = await openSkillSearch({ database: flags.database });
  const rankings: Shown[] = [];
  if (flags.own) {
    for (const mode of MODES) rankings.push(await shownBy(search, mode, requests, flags.depth));
    const translated = requests.flatMap(({ english, ...of }) =>
      english === undefined ? [] : [{ ...of, text: english }],
    );
    for (const mode of ['hybrid', 'vector'] as const) {
      rankings.push(await shownBy(search, mode, translated, flags.depth));
    }
  }
  for (const path of flags.run) {
    const run = await readRun(path);
    rankings.push(new Map(Array.from(run, ([request, documents]) => [request, idsOf(documents)])));
  }
  const ids = requests.map(({ _id }) => _id);
  return writeBlocks(search, requests, poolOf(ids, rankings, { depth: flags.depth, graded, seed: flags.seed }), flags);
}

/** Writes the pairs of some requests once more. Returns what to say of them. */
export async function again(paths: readonly string[], flags: AgainFlags): Promise<string> {
  refuseBlocks(flags.out);
  const requests = readRequests(paths);
  const graded = gradesOf(flags.graded);
  const random = randomNumbers(flags.seed);
  const chosen = shuffled(requests, random).slice(0, Math.ceil(requests.length / flags.share));
  await using search = await openSkillSearch({ database: flags.database });
  const pooled = chosen.flatMap(({ _id }) => {
    const skills = [...(graded.get(_id)?.keys() ?? [])];
    return skills.length === 0 ? [] : [{ request: _id, skills: shuffled(skills, random) }];
  });
  return writeBlocks(search, requests, pooled, flags);
}

/** Options of {@link take}. */
export interface TakeFlags {
  readonly into: string;
  readonly ids?: string;
}

/**
 * Takes the grades of a folder of blocks into a `qrels.tsv`. Of two answers to a block the last one counts, files in
 * the order of their names.
 *
 * @returns what to say of them, and of each block that could not be taken what is wrong with it
 */
export function take(folder: string, { into, ids }: TakeFlags): { readonly said: string; readonly faults: string[] } {
  const only = ids === undefined ? undefined : new Set(readRequests([ids]).map(({ _id }) => _id));
  const answers = new Map<string, string>();
  for (const name of readdirSync(folder)
    .filter((one) => ANSWERS.test(one))
    .sort()) {
    for (const { block, grades } of readJsonLines<BlockGrades>(join(folder, name))) answers.set(block, grades);
  }
  const keys = readJsonLines<BlockKey>(join(folder, KEYS));
  const grades: Grades = existsSync(into) ? readGrades(into) : new Map();
  const unknown = [...answers.keys()].filter((block) => !keys.some((key) => key.block === block));
  if (unknown.length > 0) throw new Error(`${folder} has grades, but no blocks ${unknown.join(', ')}`);
  const faults: string[] = [];
  let taken = 0;
  for (const key of keys) {
    if (only?.has(key.request) === false) continue;
    const answer = answers.get(key.block);
    try {
      if (answer === undefined) throw new Error(`block ${key.block} has no grades`);
      addBlockGrades(grades, key, answer);
      taken += 1;
    } catch (error) {
      faults.push((error as Error).message);
    }
  }
  writeFileSync(into, writtenGrades(grades));
  const amount = [...grades.values()].reduce((sum, of) => sum + of.size, 0);
  return { said: `${taken} blocks taken; ${amount} grades in ${into}`, faults };
}

/** How far the readers of the last file agree with those of the others. */
export function agreement(paths: readonly string[]): Agreement {
  if (paths.length < 2) throw new Error('name a qrels.tsv of the first readers, and one of the second');
  const found = agreementOf(gradesOf(paths.slice(0, -1)), readGrades(paths.at(-1)!));
  if (found === undefined) throw new Error('there is no pair that both readers have graded');
  return found;
}

/** What people see: copies are shown as one. */
async function shownBy(
  search: SkillSearch,
  mode: EvaluationMode,
  requests: readonly Request[],
  depth: number,
): Promise<Shown> {
  const shown = new Map<string, readonly string[]>();
  const questions = requests.map(({ _id, text }) => ({ id: _id, text }));
  for await (const [{ id }, found] of rankQuestions(search, questions, { mode, depth, copies: 'collapse' })) {
    shown.set(id, idsOf(found));
  }
  return shown;
}

function idsOf(documents: readonly RankedDocument[]): string[] {
  return documents.map(({ id }) => id);
}

function writeBlocks(
  search: SkillSearch,
  requests: readonly Request[],
  pooled: readonly PooledRequest[],
  { out, blocks }: BlockFlags,
): string {
  mkdirSync(out, { recursive: true });
  const byId = new Map(requests.map((request) => [request._id, request]));
  const blocksOf = pooled
    .map(({ request, skills }) => ({ request, known: skills.flatMap((id) => search.get(id) ?? []) }))
    .filter(({ known }) => known.length > 0);
  for (const [i, { request, known }] of blocksOf.entries()) {
    const shown = known.map((skill) => ({ skill, text: textOf(search.files(skill.id) ?? []) }));
    const key: BlockKey = { block: String(i + 1).padStart(4, '0'), request, skills: known.map(({ id }) => id) };
    appendFileSync(join(out, KEYS), `${JSON.stringify(key)}\n`);
    const part = String(Math.floor(i / blocks) + 1).padStart(3, '0');
    appendFileSync(join(out, `part-${part}.txt`), `${blockText(key.block, byId.get(request)!, shown)}\n\n`);
  }
  const pairs = blocksOf.reduce((sum, { known }) => sum + known.length, 0);
  return `${blocksOf.length} blocks with ${pairs} skills to grade are in ${out}`;
}

/** Before the work of an hour, not after it. */
function refuseBlocks(out: string): void {
  if (existsSync(join(out, KEYS))) throw new Error(`${out} has blocks already: name another folder`);
}

function textOf(files: readonly SkillFile[]): string {
  return (files.find(({ filename }) => filename.endsWith('SKILL.md')) ?? files[0])?.text ?? '';
}

function gradesOf(paths: readonly string[]): Grades {
  const grades: Grades = new Map();
  for (const path of paths) readGrades(path, grades);
  return grades;
}
