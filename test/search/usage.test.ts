import { rmSync } from 'node:fs';
import { beforeEach, expect, test, vi } from 'vitest';
import { appendUsage, packVector, readUsage, type UsageEntry, usageFile } from '../../src/core/index.js';
import { evaluate } from '../../src/evaluation/index.js';
import type { SkillSearch } from '../../src/index.js';
import { catalogueSearchOf } from '../../src/search/index.js';
import { catalogueOf, opened } from '../catalogues.js';
import { codeOf } from '../error-code.js';
import { type Row, row } from '../rows.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const ROWS: readonly Row[] = [
  ...['chart', 'graph', 'plot', 'table', 'sheet', 'figure'].map((what, i) =>
    row(what, { name: `${what}-maker`, description: `Makes a ${what} from numbers.`, stars: 60 - i }),
  ),
  row('birds', { name: 'bird-names', description: 'Tells birds by their song.', categories: ['animals'] }),
];
const QUESTION = 'a picture from numbers';
const NEAR = 'please a picture from numbers';
const embedder = new StandInEmbedder();
let database: string;
let search: SkillSearch;

beforeEach(async () => {
  database = await catalogueOf(ROWS, embedder);
  search = await opened({ database, embedder });
});

async function idsFor(q: string, of: SkillSearch = search): Promise<string[]> {
  return (await of.semantic({ q })).hits.map(({ skill }) => skill.id);
}

async function strengthOf(id: string): Promise<number | undefined> {
  const { hits } = await search.semantic({ q: NEAR, explain: true });
  return hits.find(({ skill }) => skill.id === id)!.explain!.usage?.strength;
}

/** Writes a line as another program does. */
async function writeUse(skill: string, q: string, changes: Partial<UsageEntry> = {}): Promise<void> {
  const [vector] = await embedder.embed([q]);
  const time = Math.floor(Date.now() / 1000);
  const entry = { time, host: 'x', session: 's', kind: 'used', skills: [skill], vector: packVector(vector!) } as const;
  appendUsage(database, { ...entry, model: 'stand-in', ...changes });
}

test('a skill that was used rises for near questions, three places at most, and explain says so', async () => {
  const before = await idsFor(NEAR);
  const used = before[4]!;
  await search.used(used, { question: QUESTION });
  expect(await strengthOf(used)).toBeCloseTo(1 / 2);
  for (const session of ['a', 'b', 'c', 'd', 'e']) await search.used(used, { question: QUESTION, session });
  const { hits } = await search.semantic({ q: NEAR, explain: true });
  expect(hits.map(({ skill }) => skill.id)).toEqual([before[0], used, ...before.slice(1).filter((id) => id !== used)]);
  expect(hits[1]!.explain!.usage).toEqual({ strength: expect.closeTo(1 - 2 ** -6), places: 3 });
  expect(hits[0]!.explain).not.toHaveProperty('usage');
  const scores = hits.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  expect((await search.semantic({ q: NEAR, limit: 2 })).hits.map(({ skill }) => skill.id)).toEqual([before[0], used]);
});

test('a use counts for the skill that is shown for the used one, and moves hits alike whatever the limit', async () => {
  const more = 'abcdefghijklmn'.split('').map((id) => row(id, { name: `${id}-thing`, description: `numbers ${id}` }));
  const versions = ['', ' It counts them one by one, too.', ' And later it says what they are.'].map((text, i) =>
    row(`v${i}`, { name: 'adder', author: 'ada', description: `Adds numbers of all kinds for you.${text}` }),
  );
  database = await catalogueOf([...ROWS, ...more, ...versions], embedder);
  search = await opened({ database, embedder });
  const idsOf = async (limit: number): Promise<string[]> =>
    (await search.semantic({ q: NEAR, limit })).hits.map(({ skill }) => skill.id);
  const before = await idsOf(100);
  const shown = before.find((id) => id.startsWith('v'))!;
  for (const session of ['a', 'b', 'c']) await search.used(before[11]!, { question: NEAR, session });
  await search.used(shown === 'v0' ? 'v1' : 'v0', { question: NEAR });
  expect(await strengthOf(shown)).toBeGreaterThan(0);
  const after = await idsOf(100);
  expect(after.indexOf(before[11]!)).toBeLessThan(10);
  for (const limit of [1, 9, 10, 12]) expect(await idsOf(limit)).toEqual(after.slice(0, limit));
});

test('what is not near gets the same answer, bit by bit', async () => {
  const others = ['tells birds by song', 'chart', 'sheet of music'];
  const ask = (): Promise<string[]> =>
    Promise.all(others.map(async (q) => JSON.stringify(await search.semantic({ q, explain: true }))));
  const before = await ask();
  await search.used('figure', { question: QUESTION });
  expect(await ask()).toEqual(before);
});

test('no use puts a skill above one whose name is the question', async () => {
  const [exact, second] = await idsFor('chart maker');
  await search.used(second!, { question: 'chart maker' });
  expect(exact).toBe('chart');
  expect((await idsFor('chart maker')).slice(0, 2)).toEqual([exact, second]);
});

test('a use of one skill makes no other one likelier, also not one whose name begins with the question', async () => {
  const decided = async () => (await catalogueSearchOf(search).semanticWithVector({ q: 'bird' })).decision;
  const before = await decided();
  await search.used('table', { question: 'bird' });
  expect(await decided()).toEqual(before);
});

test('a skill that was used a thousand times for everything moves nothing', async () => {
  const asked = [NEAR, 'tells birds by song', 'sheet of music', 'a table', 'numbers'];
  const ask = (): Promise<string[]> =>
    Promise.all(asked.map(async (q) => JSON.stringify((await search.semantic({ q })).hits)));
  const before = await ask();
  const everything = [...asked, ...Array.from({ length: 195 }, (_, i) => `q${i} w${i * 7} z${i * 13}`)];
  for (let i = 0; i < 1000; i++) await writeUse('figure', everything[i % 200]!, { session: `${i}` });
  expect(await ask()).toEqual(before);
});

test('a session counts once, old uses count less, and other models not at all', async () => {
  const before = await idsFor(NEAR);
  const used = before[4]!;
  const year = 365 * 24 * 3600;
  const time = Math.floor(Date.now() / 1000);
  for (let i = 0; i < 20; i++) await writeUse(used, NEAR, { time: time - 2 * year });
  await writeUse(used, NEAR, { model: 'another' });
  expect(await idsFor(NEAR)).toEqual(before);
  await writeUse(used, NEAR, { time: time - 90 * 24 * 3600 });
  expect(await strengthOf(used)).toBeCloseTo(1 - 2 ** -0.5);
});

test('what other processes append is seen, what they erase is forgotten, and what is gone is nothing', async () => {
  const before = await idsFor(NEAR);
  await writeUse('gone', NEAR);
  expect(await idsFor(NEAR)).toEqual(before);
  await writeUse(before[3]!, NEAR, { session: 't' });
  await writeUse(before[3]!, NEAR, { session: 'u' });
  expect((await idsFor(NEAR)).indexOf(before[3]!)).toBeLessThan(3);
  rmSync(usageFile(database));
  expect(await idsFor(NEAR)).toEqual(before);
});

test('a used skill passes no filter and no least score, and stays behind what fits where it fits nowhere', async () => {
  const q = 'tells birds by their song';
  for (const session of ['a', 'b', 'c', 'd']) await search.used('figure', { question: q, session });
  expect((await idsFor(q))[0]).toBe('birds');
  const filtered = await search.semantic({ q, category: 'animals' });
  expect(filtered.hits.map(({ skill }) => skill.id)).toEqual(['birds']);
  const { hits } = await search.semantic({ q }, { usage: false });
  const least = hits[0]!.score - 1e-6;
  expect((await search.semantic({ q, minScore: least })).hits).toHaveLength(1);
});

test('nothing is learnt where it is switched off, and evaluate never uses what was', async () => {
  const before = await idsFor(NEAR);
  const off = await opened({ database, embedder, usage: false });
  await off.used(before[4]!, { question: NEAR });
  vi.stubEnv('SKILL_DISCOVERY_NO_USAGE', '1');
  await search.used(before[4]!, { question: NEAR });
  vi.unstubAllEnvs();
  await search.used('unknown', { question: NEAR });
  expect(readUsage(database)).toEqual([]);
  await search.used(before[4]!, { question: NEAR });
  expect(await idsFor(NEAR)).not.toEqual(before);
  expect(await idsFor(NEAR, off)).toEqual(before);
  const benchmark = {
    ...{ name: 'b', questions: [{ id: 'q', text: NEAR }], corpus: undefined, remarks: [] },
    gains: new Map([['q', new Map([[before[4]!, 1]])]]),
  };
  const { modes } = await evaluate({ search, benchmark, modes: ['hybrid'] });
  expect(modes[0]!.figures['mrr@10']).toBeCloseTo(1 / 5);
});

test('what cannot be noted is refused, and skills in memory note nothing', async () => {
  expect(await codeOf(() => search.used(1 as never, { question: NEAR }))).toBe('INVALID_OPTION');
  expect(await codeOf(() => search.used('chart', { question: ' ' }))).toBe('MISSING_QUERY');
  const memory = await opened({ skills: ROWS, embedder });
  await memory.used('chart', { question: NEAR });
});
