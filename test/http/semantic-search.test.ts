import { describe, expect, test } from 'vitest';
import { buildCatalogue } from '../../src/index.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { idsOf, keyword, opened, quotaOf, type Reply, SEMANTIC, semantic, serve } from './ask.js';
import { faultsOf, SEMANTIC_ANSWER } from './shapes.js';

const SKILLS: readonly Row[] = [
  {
    id: 'knots',
    name: 'knot-guide',
    author: 'wren',
    description: 'Ties a rope to a mast.',
    codehostUrl: 'https://code.example/wren/knots',
    skillUrl: 'https://market.example/knots',
    stars: 8,
    updatedAt: 1_750_000_000,
    categories: ['sailing'],
    files: [
      { filename: 'SKILL.md', text: 'An overview of ropes.' },
      { filename: 'references/bowline.md', text: 'The bowline is a loop that holds.' },
      { filename: 'references/hitch.md', text: 'The clove hitch slips.' },
    ],
  },
  row('tides', { name: 'tide-tables', description: 'Reads tables of tides.' }),
  row('birds', { name: 'bird-names', description: 'Tells birds by their song.' }),
];

interface Item {
  readonly file_id: string;
  readonly filename: string;
  readonly score: number;
  readonly skill: Readonly<Record<string, unknown>>;
}

describe('a semantic search', () => {
  test('answers with files, scores and skills of eight fields, under data.data and without pagination', async () => {
    const { ask, key } = await serve(SKILLS);
    const reply = await ask(semantic('how to tie a rope'), { key });
    expect([reply.status, faultsOf(SEMANTIC_ANSWER, reply.body)]).toEqual([200, []]);
    expect(reply.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    const [first] = itemsOf(reply);
    const { categories, files, ...eight } = SKILLS[0] as Row;
    expect(first).toMatchObject({ file_id: 'knots/SKILL.md', filename: 'SKILL.md', skill: eight });
  });

  test('is refused without a key, also where the question is faulty', async () => {
    const { ask } = await serve(SKILLS);
    for (const path of [semantic('rope'), SEMANTIC, `${SEMANTIC}?q=`]) {
      const { status, code, headers } = await ask(path);
      expect([status, code, headers.get('WWW-Authenticate')]).toEqual([401, 'MISSING_API_KEY', 'Bearer']);
    }
  });

  test('has the two quota headers', async () => {
    const { ask, key } = await serve(SKILLS, { quotas: { key: { daily: 4 } } });
    expect(quotaOf(await ask(semantic('rope'), { key }))).toEqual(['4', '3']);
  });

  test('shows at most 10 skills, each once, the best first', async () => {
    const files = ['SKILL.md', 'a.md', 'b.md'].map((filename) => ({ filename, text: 'sails and sails' }));
    const { ask, key } = await serve(Array.from({ length: 40 }, (_, i) => row(`s${i}`, { files })));
    const reply = await ask(semantic('sails'), { key });
    expect(idsOf(reply)).toHaveLength(10);
    expect(new Set(idsOf(reply)).size).toBe(10);
    const scores = itemsOf(reply).map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test('names the file whose own text has the words of the question best, else SKILL.md', async () => {
    const { ask, key } = await serve(SKILLS);
    const fileOf = async (q: string) =>
      itemsOf(await ask(semantic(q), { key })).find(({ skill }) => skill['id'] === 'knots');
    expect(await fileOf('bowline loop')).toMatchObject({
      file_id: 'knots/references/bowline.md',
      filename: 'references/bowline.md',
    });
    expect(await fileOf('clove hitch')).toMatchObject({ filename: 'references/hitch.md' });
    expect(await fileOf('mast')).toMatchObject({ file_id: 'knots/SKILL.md', filename: 'SKILL.md' });
  });

  test('names SKILL.md of a skill whose row had no files', async () => {
    const { ask, key } = await serve(SKILLS);
    const tides = itemsOf(await ask(semantic('tables of tides'), { key }))[0];
    expect(tides).toMatchObject({ file_id: 'tides/SKILL.md', filename: 'SKILL.md', skill: { id: 'tides' } });
  });

  test('gives every file an id of its own, the same in each answer', async () => {
    const { ask, key } = await serve(SKILLS);
    const ids = async () => itemsOf(await ask(semantic('rope and birds'), { key })).map(({ file_id }) => file_id);
    const first = await ids();
    expect(new Set(first).size).toBe(SKILLS.length);
    expect(await ids()).toEqual(first);
  });

  test('ranks by meaning and words: finds by words what has no vector, and by meaning what has no word', async () => {
    const database = scratchFile('skills.db');
    const embedder = new StandInEmbedder();
    await buildCatalogue({ database, sources: [SKILLS], embedder });
    const late = row('late', { name: 'changelog', description: 'Announces a version.' });
    await buildCatalogue({ database, sources: [[late]], semantic: false });
    const { ask, key } = await serve(await opened({ database, embedder }));
    const ids = idsOf(await ask(semantic('announces'), { key }));
    expect(ids[0]).toBe('late');
    expect(ids).toContain('birds');
  });

  test('scores on one scale for all questions: what fits badly scores low, though it is the best there is', async () => {
    const { ask, key } = await serve(SKILLS);
    const best = async (q: string) => itemsOf(await ask(semantic(q), { key }))[0] as Item;
    const [good, bad] = [await best('ties a rope to a mast'), await best('zymurgy')];
    expect(good.skill).toMatchObject({ id: 'knots' });
    expect(bad.score).toBeLessThan(good.score / 2);
    for (const { score } of [good, bad]) expect(score >= 0 && score <= 1).toBe(true);
  });

  test('shows one of a group of copies, the one with the most stars', async () => {
    const twin = { name: 'twin', description: 'Counts birds.' };
    const { ask, key } = await serve([...SKILLS, row('t1', twin), row('t2', { ...twin, stars: 7 }), row('t3', twin)]);
    const ids = idsOf(await ask(semantic('counts birds'), { key }));
    expect(ids[0]).toBe('t2');
    expect(ids).toHaveLength(SKILLS.length + 1);
  });

  test('takes no other parameter than q: those of the keyword search are ignored, whatever they are', async () => {
    const { ask, key } = await serve(SKILLS);
    const plain = await ask(semantic('rope'), { key });
    for (const more of [
      'limit=1',
      'limit=0',
      'page=2',
      'sortBy=x',
      'category=sailing',
      'occupation=',
      'page=1&page=1',
    ]) {
      const reply = await ask(`${semantic('rope')}&${more}`, { key });
      expect([reply.status, idsOf(reply)], more).toEqual([200, idsOf(plain)]);
    }
  });

  test('works over an empty catalogue', async () => {
    const { ask, key } = await serve([]);
    const reply = await ask(semantic('rope'), { key });
    expect([reply.status, faultsOf(SEMANTIC_ANSWER, reply.body), itemsOf(reply)]).toEqual([200, [], []]);
  });

  test('has the address of the page here where a skill has none', async () => {
    const { ask, key } = await serve([row('r o/pe')], { publicUrl: 'https://skills.example/base/' });
    const page = 'https://skills.example/base/skills/r%20o%2Fpe';
    expect(itemsOf(await ask(semantic('rope'), { key }))[0]?.skill).toMatchObject({
      codehostUrl: page,
      skillUrl: page,
    });
  });
});

describe('q of a semantic search', () => {
  test('may have 2,000 characters, the last of which still count by words', async () => {
    const { ask, key } = await serve(SKILLS);
    const scoreWith = async (end: string): Promise<number> => {
      const reply = await ask(semantic(`  ${'and '.repeat(500).slice(0, 2000 - end.length)}${end}\n`), { key });
      expect(reply.status).toBe(200);
      return itemsOf(reply).find(({ skill }) => skill['id'] === 'birds')?.score ?? 0;
    };
    expect(await scoreWith('names of birds')).toBeGreaterThan(2 * (await scoreWith('zymurgy xylems')));
    expect((await ask(semantic('𠀀'.repeat(2000)), { key })).status).toBe(200);
  });

  test.each<[string, string, string]>([
    ['absent', '', 'MISSING_QUERY'],
    ['empty', '?q=', 'MISSING_QUERY'],
    ['white space', '?q=%20%E3%80%80%0A+', 'MISSING_QUERY'],
    ['longer than 2,000 characters', `?q=${'a'.repeat(2001)}`, 'INVALID_QUERY'],
    ['longer than 2,000 characters outside ASCII', `?q=${'%F0%A0%80%80'.repeat(2001)}`, 'INVALID_QUERY'],
    ['without letter or digit', '?q=%F0%9F%AA%81!', 'INVALID_QUERY'],
    ['not UTF-8', '?q=%ED%A0%80', 'INVALID_QUERY'],
    ['malformed percent-encoding', '?q=a%zz', 'INVALID_QUERY'],
    ['holding NUL', '?q=a%00b', 'INVALID_QUERY'],
    ['given twice', '?q=rope&q=rope', 'INVALID_PARAMETER'],
  ])('is refused where it is %s', async (_, query, expected) => {
    const { ask, key } = await serve(SKILLS);
    const { status, code } = await ask(SEMANTIC + query, { key });
    expect([status, code]).toEqual([400, expected]);
  });
});

describe('what a semantic search lacks is 503, while keyword search goes on', () => {
  test('a catalogue without vectors', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [SKILLS], semantic: false });
    const service = await serve(await opened({ database, embedder: new StandInEmbedder() }), {
      quotas: { key: { daily: 3 } },
    });
    await expectUnavailable(service);
    expect((service.events as { error?: { code: string } }[]).map(({ error }) => error?.code)).toContain('NO_VECTORS');
  });

  test('a model that fails', async () => {
    const embedder = { model: 'broken', embed: () => Promise.reject(new Error('secret: disk 7 is full')) };
    const service = await serve(await opened({ skills: SKILLS, embedder }), { quotas: { key: { daily: 3 } } });
    await expectUnavailable(service);
    expect(String(service.events.map((event) => ('error' in event ? event.error : '')))).toContain('disk 7');
  });

  test('a model that is not there', async () => {
    const model = scratchFile('no-model');
    await expectUnavailable(await serve(await opened({ skills: SKILLS, model }), { quotas: { key: { daily: 3 } } }));
  });

  test('a model that is another than that of the catalogue', async () => {
    const database = scratchFile('skills.db');
    await buildCatalogue({ database, sources: [SKILLS], embedder: new StandInEmbedder('one') });
    const search = await opened({ database, embedder: new StandInEmbedder('two') });
    await expectUnavailable(await serve(search, { quotas: { key: { daily: 3 } } }));
  });
});

async function expectUnavailable({ ask, key, events }: Awaited<ReturnType<typeof serve>>): Promise<void> {
  const reply = await ask(semantic('rope'), { key });
  expect([reply.status, reply.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(reply.text).not.toMatch(/skills\.db|no-model|secret|disk|stand-in|model \w+,|one|two/);
  expect(events.map(({ kind }) => kind)).toEqual(['failure', 'request']);
  // Nothing of the day was used.
  const words = await ask(keyword({ q: 'rope' }), { key });
  expect([words.status, idsOf(words), quotaOf(words)]).toEqual([200, ['knots'], ['3', '2']]);
}

function itemsOf({ body }: Reply): Item[] {
  return (body as { data: { data: Item[] } }).data.data;
}
