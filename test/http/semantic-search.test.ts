import { describe, expect, test } from 'vitest';
import { type CatalogueSearch, catalogueSearchOf } from '../../src/search/index.js';
import { type Row, row } from '../rows.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import {
  catalogueOf,
  HEALTH,
  idsOf,
  KEYWORD,
  keyword,
  opened,
  quotaOf,
  type Reply,
  replacing,
  searchOver,
  semantic,
  serve,
  started,
} from './ask.js';
import { faultsOf, SEMANTIC_ANSWER } from './shapes.js';
import { answered, request, Wire, type WireReply } from './wire.js';

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

  test('shows at most 10 skills, each once, the best first', async () => {
    const files = ['SKILL.md', 'a.md', 'b.md'].map((filename) => ({ filename, text: 'sails and sails' }));
    const { ask, key } = await serve(Array.from({ length: 40 }, (_, i) => row(`s${i}`, { files })));
    const reply = await ask(semantic('sails'), { key });
    expect(idsOf(reply)).toHaveLength(10);
    expect(new Set(idsOf(reply)).size).toBe(10);
    const scores = itemsOf(reply).map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test('scores on one scale for all questions: what fits badly scores low, though it is the best there is', async () => {
    const { ask, key } = await serve(SKILLS);
    const best = async (q: string) => itemsOf(await ask(semantic(q), { key }))[0] as Item;
    const [good, bad] = [await best('ties a rope to a mast'), await best('zymurgy')];
    expect(good.skill).toMatchObject({ id: 'knots' });
    expect(bad.score).toBeLessThan(good.score / 2);
    for (const { score } of [good, bad]) expect(score >= 0 && score <= 1).toBe(true);
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
});

test('q of a semantic search may have 2,000 characters, the last of which still count by words', async () => {
  const { ask, key } = await serve(SKILLS);
  const scoreWith = async (end: string): Promise<number> => {
    const reply = await ask(semantic(`  ${'and '.repeat(500).slice(0, 2000 - end.length)}${end}\n`), { key });
    expect(reply.status).toBe(200);
    return itemsOf(reply).find(({ skill }) => skill['id'] === 'birds')?.score ?? 0;
  };
  expect(await scoreWith('names of birds')).toBeGreaterThan(1.5 * (await scoreWith('zymurgy xylems')));
  expect((await ask(semantic('𠀀'.repeat(2000)), { key })).status).toBe(200);
});

describe('what a semantic search lacks is 503, while keyword search goes on', () => {
  test('a catalogue without vectors', async () => {
    const search = await opened({ database: await catalogueOf(SKILLS), embedder: new StandInEmbedder() });
    const service = await serve(search, { quotas: { key: { daily: 3 } } });
    await expectUnavailable(service);
    expect((service.events as { error?: { code: string } }[]).map(({ error }) => error?.code)).toContain('NO_VECTORS');
  });

  test('a model that fails', async () => {
    const embedder = { model: 'broken', embed: () => Promise.reject(new Error('secret: disk 7 is full')) };
    const service = await serve(await opened({ skills: SKILLS, embedder }), { quotas: { key: { daily: 3 } } });
    await expectUnavailable(service);
    expect(String(service.events.map((event) => ('error' in event ? event.error : '')))).toContain('disk 7');
  });

  test('a model that is another than that of the catalogue', async () => {
    const database = await catalogueOf(SKILLS, new StandInEmbedder('one'));
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

const SEARCH = `${KEYWORD}?q=kite`;

test('a semantic search that would wait too long for the model is 503 BUSY with Retry-After, and uses nothing of the day', async () => {
  const waits = [4_000, 5_500, 11_500];
  const embedder = {
    model: 'busy',
    embed: async (texts: readonly string[]) => texts.map(() => Float32Array.of(1, 0)),
    expectedWait: () => waits[0] ?? 0,
  };
  const { ask, key, events } = await serve(await opened({ skills: [row('kite')], embedder }), {
    quotas: { key: { daily: 5 } },
  });
  expect(quotaOf(await ask(semantic('kite'), { key }))).toEqual(['5', '4']);
  for (const seconds of ['1', '7']) {
    waits.shift();
    const reply = await ask(semantic('kite'), { key });
    expect([reply.status, reply.code, reply.headers.get('Retry-After')]).toEqual([503, 'BUSY', seconds]);
    expect(quotaOf(reply)).toEqual([null, null]);
  }
  waits.shift();
  expect(quotaOf(await ask(semantic('kite'), { key }))).toEqual(['5', '3']);
  expect(events.map((event) => event.kind === 'request' && (event.code ?? event.status))).toEqual([
    200,
    'BUSY',
    'BUSY',
    200,
  ]);
});

describe('many searches that take long', () => {
  test('are answered in their order as long as they waited for less than the limit, and refused beyond', async () => {
    const { port, access, key } = await slowly({ longestWait: 0.2 });
    const wires = await Promise.all([1, 2, 3].map(() => Wire.open(port)));
    for (const wire of wires) wire.send(request(SEARCH, 'Host: localhost', `Authorization: Bearer ${key}`).repeat(10));
    const replies: WireReply[] = [];
    for (const wire of wires) for (let i = 0; i < 10; i++) replies.push(answered(await wire.reply()));
    const good = replies.filter(({ status }) => status === 200).length;
    expect(good).toBeGreaterThan(0);
    expect(good).toBeLessThan(30);
    for (const { status, headers, body } of replies) {
      if (status === 200) continue;
      expect([status, JSON.parse(body).error.code, headers.get('retry-after')]).toEqual([503, 'BUSY', '1']);
    }
    // Only those that were answered used the day.
    expect(access.admit(access.identify(`Bearer ${key}`, undefined)).dailyRemaining).toBe(1000 - good - 1);
  });

  test.each([HEALTH, `http://a${HEALTH}?now`])(
    'do not keep health waiting: it is answered while they wait, at %s',
    async (target) => {
      const { port, key } = await slowly({});
      const wires = await Promise.all([1, 2, 3, 4].map(() => Wire.open(port)));
      for (const wire of wires)
        wire.send(request(SEARCH, 'Host: localhost', `Authorization: Bearer ${key}`).repeat(10));
      let done = 0;
      const all = wires.map(async (wire) => {
        for (let i = 0; i < 10; i++) {
          await wire.reply();
          done += 1;
        }
      });
      while (done === 0) await new Promise(setImmediate);
      const health = answered(await (await Wire.open(port)).send(request(target)).reply());
      expect(health.status).toBe(200);
      // It came after all the others, and goes before most of them.
      expect(done).toBeLessThan(20);
      await Promise.all(all);
    },
  );
});

/** A server whose keyword searches take 20 ms each. */
async function slowly(options: { readonly longestWait?: number }) {
  const real = await searchOver([row('kite')]);
  const keywordRecords: CatalogueSearch['keywordRecords'] = (query) => {
    for (const end = performance.now() + 20; performance.now() < end; );
    return catalogueSearchOf(real).keywordRecords(query);
  };
  const search = replacing(real, { keywordRecords });
  const { server, access, key } = await started(options, { key: { daily: 1000, perMinute: 0 } }, search);
  return { port: server.port, access, key };
}
