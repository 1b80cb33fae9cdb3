import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  buildCatalogue,
  openSkillSearch,
  type SemanticResult,
  type Skill,
  type SkillSearch,
  SkillSearchError,
} from '../../src/index.js';
import { catalogueSearchOf } from '../../src/search/index.js';
import { buildVectorFiles } from '../../src/semantic/index.js';
import { PAGE_BYTES } from '../../src/store/database.js';
import { filesBeside } from '../../src/store/files.js';
import { openStoredVectors } from '../../src/store/read/stored-vectors.js';
import { storedRecords } from '../../test/catalogue-file.js';
import { StandInEmbedder } from '../../test/semantic/stand-in-embedder.js';
import { wholeFile } from '../loads.js';
import type { Trial, TrialContext } from '../trial.js';

const SKILLS = 160;
const PAGE = PAGE_BYTES;
const LIMIT = 20;

const TOPICS = ['kite', 'baking', 'git history', 'spreadsheet', 'release notes', 'Gemüse', '漢字 reading', 'c++ build'];
const VERBS = ['write', 'check', 'plan', 'translate', 'repair'];
const QUESTIONS = ['kite', 'write release notes', 'reading 漢字', '"git history"', 'gemuse', 'chapter'];

const embedder = new StandInEmbedder('stand-in', 16);

/** The same skills each time. */
function rows(): object[] {
  return Array.from({ length: SKILLS }, (_, i) => {
    const [topic, verb] = [TOPICS[i % TOPICS.length]!, VERBS[i % VERBS.length]!];
    const text = `Chapter ${i}: how to ${verb} with ${topic}. ${`Step ${i % 7} of the ${topic}. `.repeat(1 + (i % 40))}`;
    return {
      id: `skill-${String(i).padStart(3, '0')}`,
      name: `${verb} ${topic} ${i}`,
      description: `${verb} everything about ${topic}, number ${i}.`,
      author: `author-${i % 9}`,
      stars: (i * 37) % 100,
      updatedAt: 1_700_000_000 + ((i * 7919) % 1000),
      categories: [`category-${i % 5}`],
      occupations: i % 3 === 0 ? ['cooks-352014'] : [],
      tags: [`tag ${i % 4}`],
      files: [
        i % 5 === 0 ? wholeFile('SKILL.md', Buffer.from(text)) : { filename: 'SKILL.md', text },
        ...(i % 10 === 0 ? [wholeFile('logo.png', Buffer.alloc(2000, i))] : []),
        ...(i % 4 === 0 ? [{ filename: 'references/more.md', text: `More of ${topic}, part ${i}.` }] : []),
      ],
    };
  });
}

type Ask = (search: SkillSearch) => unknown;

/** Everything that is asked of a catalogue, by name. */
function questions(): ReadonlyMap<string, Ask> {
  const asks = new Map<string, Ask>();
  for (const q of QUESTIONS) {
    for (const sortBy of ['relevance', 'recent', 'stars'] as const) {
      asks.set(`records ${q} ${sortBy}`, (search) => storedRecords(search, { q, sortBy, limit: LIMIT }));
    }
    asks.set(`keyword ${q}`, (search) => shown(search.keyword({ q })));
    asks.set(`semantic ${q}`, async (search) => shown(await search.semantic({ q })));
    asks.set(`vector ${q}`, async (search) => withoutSnippets(await search.semantic({ q, ranking: 'vector' })));
  }
  asks.set('filtered', (search) => shown(search.keyword({ q: 'plan', category: 'category-2', occupation: '35-0000' })));
  for (const i of [0, 1, 4, 77, 100, 159, 500]) {
    const id = `skill-${String(i).padStart(3, '0')}`;
    asks.set(`get ${id}`, (search) => search.get(id));
    asks.set(`files ${id}`, (search) => search.files(id));
    asks.set(`filenames ${id}`, (search) => search.filenames(id));
    asks.set(`file ${id}`, (search) => search.file(id, 'references/more.md'));
    asks.set(`contents ${id}`, (search) => search.contents(id));
    for (const path of ['SKILL.md', 'logo.png']) asks.set(`read ${id} ${path}`, (search) => search.read(id, path));
    asks.set(`copies ${id}`, (search) => search.copiesOf(id));
  }
  asks.set('complete ids', (search) => catalogueSearchOf(search).completeIds({ limit: 30 }));
  asks.set('ids', (search) => search.ids());
  // A copy that is damaged is written at another time.
  asks.set('stats', (search) => ({ ...search.stats(), writtenAt: 0 }));
  asks.set('categories', (search) => search.categories());
  asks.set('occupations', (search) => search.occupations());
  asks.set('check', (search) => search.check());
  return asks;
}

function withoutSnippets({ hits, ...result }: SemanticResult): object {
  return { ...result, hits: hits.map(({ skill, score, fileId }) => ({ skill, score, fileId })) };
}

/** An answer with what its hits work out when it is read. */
function shown<Result extends { readonly hits: readonly object[] }>(result: Result): object {
  return { ...result, hits: result.hits.map((hit) => ({ ...hit })) };
}

interface Damage {
  readonly file: string;
  readonly what: string;
}

/** Damages one of the files of a catalogue. */
function damage(database: string, { random }: TrialContext): Damage {
  const { keyword, vectors, graphs } = filesBeside(database);
  const derived = [keyword, vectors, ...graphs.filter((path) => existsSync(path))];
  const below = (limit: number): number => Math.floor(random() * limit);
  const target = random();
  const file = target < 0.7 ? database : derived[below(derived.length)]!;
  const bytes = readFileSync(file);
  const at = below(bytes.length);
  const pages = Math.ceil(bytes.length / PAGE);
  const [from, to] = [below(pages) * PAGE, below(pages) * PAGE];
  const pageAt = (start: number): Buffer => bytes.subarray(start, start + PAGE);
  let damaged = bytes;
  let what = '';
  const kind = random();
  if (kind < 0.35) {
    const bit = below(8);
    bytes[at]! ^= 1 << bit;
    what = `bit ${bit} of byte ${at} flipped`;
  } else if (kind < 0.65) {
    const letter = 0x61 + below(26);
    // Where text is, so that a letter becomes another.
    let place = at;
    while (place < bytes.length && !(bytes[place]! >= 0x61 && bytes[place]! <= 0x7a)) place += 1;
    if (place < bytes.length) bytes[place] = letter;
    what = `byte ${place} set to ${letter}`;
  } else if (kind < 0.75) {
    const kept = Buffer.from(pageAt(from));
    pageAt(to).copy(bytes, from);
    kept.copy(bytes, to);
    what = `pages at ${from} and ${to} swapped`;
  } else if (kind < 0.83) {
    pageAt(to).copy(bytes, from);
    what = `page at ${to} copied over that at ${from}`;
  } else if (kind < 0.93) {
    pageAt(from).fill(0);
    what = `page at ${from} zeroed`;
  } else {
    damaged = bytes.subarray(0, at);
    what = `cut at ${at}`;
  }
  writeFileSync(file, damaged);
  return { file, what };
}

interface Truth {
  readonly answers: ReadonlyMap<string, unknown>;
  readonly skills: ReadonlyMap<string, Skill>;
}

/** @returns how the answer differs in a way that was promised; throws if it does in any other */
function judge(name: string, answer: unknown, { answers, skills }: Truth): 'same' | 'lacking' {
  const expected = answers.get(name);
  if (isDeepStrictEqual(answer, expected)) return 'same';
  const { damaged, hits, records } = answer as {
    readonly damaged?: unknown;
    readonly hits?: readonly { readonly skill: Skill }[];
    readonly records?: readonly string[];
  };
  const isTold = (Array.isArray(damaged) && damaged.length > 0) || (typeof damaged === 'number' && damaged > 0);
  if (!isTold) {
    throw new Error(`${name} is wrong: ${JSON.stringify(answer)} instead of ${JSON.stringify(expected)}`);
  }
  for (const { skill } of hits ?? []) {
    if (!isDeepStrictEqual(skill, skills.get(skill.id))) throw new Error(`${name} shows ${JSON.stringify(skill)}`);
  }
  for (const record of records ?? []) {
    const { id } = JSON.parse(record) as Skill;
    const { categories: _, occupations: __, tags: ___, ...fields } = skills.get(id) ?? {};
    if (record !== JSON.stringify(fields)) throw new Error(`${name} sends ${record}`);
  }
  return 'lacking';
}

async function open(database: string): Promise<SkillSearch> {
  return openSkillSearch({ database, embedder });
}

/** The same catalogue each time, with a graph, though it is small. */
async function build(database: string): Promise<Truth> {
  await buildCatalogue({ database, sources: [{ name: 'rows', rows: rows() }], embedder });
  const { stamp, vectors, close } = openStoredVectors(database);
  const all = await vectors.all();
  close();
  await buildVectorFiles({ files: filesBeside(database), stamp, model: embedder.model, vectors: all, graphFrom: 1 });
  await using search = await open(database);
  const answers = new Map<string, unknown>();
  for (const [name, ask] of questions()) answers.set(name, await ask(search));
  return { answers, skills: new Map(search.ids().map((id) => [id, withoutProperties(search.get(id)!)])) };
}

function withoutProperties(skill: Skill): Skill {
  const { id, name, author, description, codehostUrl, skillUrl, stars, updatedAt } = skill;
  const { categories, occupations, tags } = skill;
  return { id, name, author, description, codehostUrl, skillUrl, stars, updatedAt, categories, occupations, tags };
}

export const DAMAGE: Trial = {
  name: 'damage',
  promise:
    'A damaged catalogue or derived file gives no wrong answer: the right one, one that says what it lacks, or an error with a code.',
  begin: async (context: TrialContext) => {
    const whole = join(context.folder, 'whole.db');
    const database = join(context.folder, 'skills.db');
    const truth = await build(whole);
    const facts = { answers: 0, lacking: 0, errors: 0, 'not opened': 0, unharmed: 0 };
    const attempt = async (): Promise<undefined> => {
      for (const [from, to] of [whole, ...Object.values(filesBeside(whole)).flat()].map((path) => [
        path,
        path.replace('whole.db', 'skills.db'),
      ]) as [string, string][]) {
        if (existsSync(from)) copyFileSync(from, to);
      }
      const { file, what } = damage(database, context);
      try {
        await tryAll(database, truth, facts);
      } catch (cause) {
        const message = `${file.split('/').at(-1)}, ${what}: ${cause instanceof Error ? cause.stack : cause}`;
        throw new Error(message, { cause });
      }
    };
    return { facts, attempt };
  },
};

async function tryAll(
  database: string,
  truth: Truth,
  facts: Record<'answers' | 'lacking' | 'errors' | 'not opened' | 'unharmed', number>,
): Promise<void> {
  let search: SkillSearch;
  try {
    search = await open(database);
  } catch (error) {
    if (!(error instanceof SkillSearchError)) throw error;
    facts['not opened'] += 1;
    return;
  }
  let harmed = 0;
  try {
    for (const [name, ask] of questions()) {
      facts.answers += 1;
      try {
        if (judge(name, await ask(search), truth) === 'same') continue;
        facts.lacking += 1;
      } catch (error) {
        if (!(error instanceof SkillSearchError)) throw error;
        facts.errors += 1;
      }
      harmed += 1;
    }
  } finally {
    await search.close();
  }
  if (harmed === 0) facts.unharmed += 1;
}
