import { describe, expect, test } from 'vitest';
import { type Row, row } from '../rows.js';
import { type Ask, idsOf, KEYWORD, keyword, ORIGIN, paginationOf, quotaOf, serve } from './ask.js';
import { faultsOf, KEYWORD_ANSWER } from './shapes.js';

const KITE: Row = {
  id: 'kite',
  name: 'kite-builder',
  author: 'wren',
  description: 'Builds kites of paper.',
  codehostUrl: 'https://code.example/wren/kites',
  skillUrl: 'https://market.example/kite',
  stars: 12,
  updatedAt: 1_750_000_000,
  categories: ['crafts'],
  occupations: ['toy-makers-519199'],
  files: [
    { filename: 'SKILL.md', text: 'Fold the spar first.' },
    { filename: 'references/knots.md', text: 'The bowline holds the tether.' },
  ],
};

const LABELLED: readonly Row[] = [
  row('loom', { categories: ['crafts', 'textiles'], occupations: ['weavers-516063'] }),
  row('glue', { categories: ['crafts'], occupations: ['toy-makers-519199', 'software-developers-151252'] }),
  row('bytes', { categories: ['code'], occupations: ['web-developers-151254'] }),
  row('plain'),
];

describe('a skill in the answer', () => {
  test('has the eight fields of the specification as the catalogue has them, and nothing of its labels and files', async () => {
    const { ask } = await serve([{ ...KITE, license: 'MIT', metadata: { secret: 'x' } }]);
    const reply = await ask(keyword({ q: 'kite' }));
    const { categories, occupations, files, ...eight } = KITE;
    expect((reply.body as { data: { skills: unknown[] } }).data.skills).toEqual([eight]);
    expect(faultsOf(KEYWORD_ANSWER, reply.body)).toEqual([]);
  });

  test('has all eight fields where the row had only name and description', async () => {
    const { ask } = await serve([{ name: 'Bare Kite', description: 'Only that.' }], {
      publicUrl: 'https://skills.example',
    });
    const reply = await ask(keyword({ q: 'kite' }));
    expect(faultsOf(KEYWORD_ANSWER, reply.body)).toEqual([]);
    const [id] = idsOf(reply);
    expect(id).toMatch(/^[a-z0-9_.-]{1,250}$/);
    expect(skillsOf(reply)).toEqual([
      {
        id,
        name: 'Bare Kite',
        author: 'unknown',
        description: 'Only that.',
        codehostUrl: `https://skills.example/skills/${id}`,
        skillUrl: `https://skills.example/skills/${id}`,
        stars: 0,
        updatedAt: 0,
      },
    ]);
  });

  test('has a derived id made of owner, repository and path, the same after the next load', async () => {
    const rows = [
      { name: 'A', description: 'kite', codehostUrl: 'https://github.com/Wren/Toys/tree/main/Big%20Kite' },
      { name: 'B', description: 'kite', codehostUrl: 'https://github.com/Wren/Toys/tree/main/风筝' },
    ];
    const first = idsOf(await (await serve(rows)).ask(keyword({ q: 'kite' })));
    const changed = rows.map((one) => ({ ...one, description: `${one.description} of silk` })).toReversed();
    const second = idsOf(await (await serve(changed)).ask(keyword({ q: 'kite' })));
    expect(first.toSorted()).toEqual(second.toSorted());
    expect(first).toContain('wren-toys-big-kite');
    expect(first.find((id) => id !== 'wren-toys-big-kite')).toMatch(/^wren-toys-[0-9a-f]{8}$/);
  });

  test('is the later row of two with the same id', async () => {
    const { ask } = await serve([row('twice', { name: 'kite one' }), row('twice', { name: 'kite two' })]);
    const reply = await ask(keyword({ q: 'kite' }));
    expect(skillsOf(reply)).toMatchObject([{ id: 'twice', name: 'kite two' }]);
    expect(paginationOf(reply)).toMatchObject({ total: 1 });
  });

  test('never comes of a row without name or description', async () => {
    const { ask } = await serve([{ name: 'kite' }, { description: 'kite' }, { name: ' ', description: 'kite' }, KITE]);
    expect(idsOf(await ask(keyword({ q: 'kite' })))).toEqual(['kite']);
  });

  test('has its text as it was given, except for NUL, lone surrogates and what is too long', async () => {
    const odd = 'kite "quoted" \\ <b>&amp; \t\u2028 风筝 🪁';
    const { ask } = await serve([
      row('odd', { name: 'odd', description: odd }),
      row('broken', { name: 'ki\0te\ud83e', description: `kite \ude81${'🪁'.repeat(5000)}` }),
      row('long', { name: 'kite '.repeat(100), description: 'kite' }),
    ]);
    const skills = skillsOf(await ask(keyword({ q: 'kite' })));
    const texts = (id: string) => skills.find((skill) => skill['id'] === id) as { name: string; description: string };
    expect(texts('odd').description).toBe(odd);
    expect(texts('broken').name).toBe('kite');
    expect(texts('broken').description).toBe(`kite ${'🪁'.repeat(3995)}`);
    expect(texts('long').name).toBe('kite '.repeat(40));
  });

  test.each<[string, number | string, number]>([
    ['seconds', 1_700_000_000, 1_700_000_000],
    ['milliseconds', 1_700_000_000_000, 1_700_000_000],
    ['seconds in a text', '1700000000', 1_700_000_000],
    ['ISO 8601', '2023-11-14T22:13:20Z', 1_700_000_000],
  ])('has its last update as an integer of Unix seconds, given as %s', async (_, updatedAt, expected) => {
    const { ask } = await serve([row('kite', { updatedAt })]);
    expect(skillsOf(await ask(keyword({ q: 'kite' })))).toMatchObject([{ updatedAt: expected }]);
  });

  test('has no stars where the row had fewer than none', async () => {
    const { ask } = await serve([row('kite', { stars: -4 })]);
    expect(skillsOf(await ask(keyword({ q: 'kite' })))).toMatchObject([{ stars: 0 }]);
  });

  test('has the address of its page here where only one of its addresses is known', async () => {
    const { ask } = await serve([row('a/b c', { codehostUrl: 'https://code.example/x' })]);
    expect(skillsOf(await ask(keyword({ q: 'name' })))).toMatchObject([
      { codehostUrl: 'https://code.example/x', skillUrl: `${ORIGIN}/skills/a%2Fb%20c` },
    ]);
  });
});

describe('a keyword search', () => {
  test('needs no key, and takes one', async () => {
    const { ask, key } = await serve([KITE]);
    for (const how of [{}, { key }]) {
      const reply = await ask(keyword({ q: 'kite' }), how);
      expect(reply.status).toBe(200);
      expect(faultsOf(KEYWORD_ANSWER, reply.body)).toEqual([]);
      expect(reply.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    }
  });

  test('says how many requests the day has and how many are left, as integers', async () => {
    const { ask, key } = await serve([KITE], { quotas: { anonymous: { daily: 7 }, key: { daily: 70 } } });
    expect(quotaOf(await ask(keyword({ q: 'kite' })))).toEqual(['7', '6']);
    expect(quotaOf(await ask(keyword({ q: 'kite' }), { key }))).toEqual(['70', '69']);
  });

  test('says 200 with no skills where nothing matches', async () => {
    const { ask } = await serve([KITE]);
    const reply = await ask(keyword({ q: 'submarine' }));
    expect([reply.status, faultsOf(KEYWORD_ANSWER, reply.body)]).toEqual([200, []]);
    expect([idsOf(reply), paginationOf(reply)]).toEqual([[], { page: 1, limit: 20, total: 0, totalPages: 0 }]);
  });

  test('works over an empty catalogue', async () => {
    const { ask } = await serve([]);
    const reply = await ask(keyword({ q: 'kite' }));
    expect([reply.status, faultsOf(KEYWORD_ANSWER, reply.body), idsOf(reply)]).toEqual([200, [], []]);
  });

  test('ignores parameters that it does not know, be they malformed or repeated', async () => {
    const { ask } = await serve([KITE]);
    const plain = await ask(keyword({ q: 'kite' }));
    for (const more of [
      'x=1',
      'x=1&x=2',
      'x=%',
      '%=1',
      '%ED%A0%80=1',
      'Q=2',
      'Page=0',
      'q[]=1',
      '&&',
      '=',
      'copies=x',
    ]) {
      const reply = await ask(`${keyword({ q: 'kite' })}&${more}`);
      expect([reply.status, idsOf(reply), paginationOf(reply)], more).toEqual([200, idsOf(plain), paginationOf(plain)]);
    }
  });

  test('shows every copy of a skill, also by stars', async () => {
    const twin = { name: 'kite', description: 'The same.' };
    const { ask } = await serve(['a', 'b', 'c'].map((id) => row(id, twin)));
    for (const sortBy of ['recent', 'stars']) {
      const reply = await ask(keyword({ q: 'kite', sortBy }));
      expect([idsOf(reply), paginationOf(reply)['total']]).toEqual([['a', 'b', 'c'], 3]);
    }
  });
});

describe('q', () => {
  test('is decoded, with + for a blank', async () => {
    const { ask } = await serve([
      row('cpp', { name: 'c++ helper' }),
      row('cs', { name: 'c# helper' }),
      row('net', { name: '.net helper' }),
      row('node', { name: 'node.js helper' }),
      row('kite', { name: '风筝 café' }),
    ]);
    const found = async (query: string) => idsOf(await ask(`${KEYWORD}?${query}`));
    expect(await found('q=c%2B%2B')).toEqual(['cpp']);
    expect(await found('q=c%23')).toEqual(['cs']);
    expect(await found('q=.net+helper')).toEqual(['net']);
    expect(await found('q=node.js%20helper')).toEqual(['node']);
    expect(await found('%71=%E9%A3%8E%E7%AD%9D')).toEqual(['kite']);
    expect(await found('q=风筝')).toEqual(['kite']);
    expect(await found('q=CAFE')).toEqual(['kite']);
    expect(await found('q=node.js=helper')).toEqual(['node']);
  });

  test('may have 200 characters, counted in code points after white space around them is dropped', async () => {
    const { ask } = await serve([row('kite', { name: '🪁'.repeat(3) })]);
    const statusOf = async (q: string) => (await ask(keyword({ q }))).status;
    expect(await statusOf(`${'a'.repeat(199)}b`)).toBe(200);
    expect(await statusOf(`\u2003\n ${'𠀀'.repeat(200)} \u00a0\u3000`)).toBe(200);
    expect(await statusOf('a'.repeat(201))).toBe(400);
    expect(await statusOf('𠀀'.repeat(201))).toBe(400);
    // Before any normalising: the ligature is one character, though NFKC makes three of it.
    expect(await statusOf('ﬃ'.repeat(200))).toBe(200);
  });

  test('matches by every word first, in name, author, labels or description', async () => {
    const ask = await asker([
      row('both', { name: 'kite', description: 'of silk' }),
      row('author', { author: 'silk', description: 'kite' }),
      row('label', { categories: ['silk'], description: 'kite' }),
      row('one', { description: 'kite' }),
      row('file', { description: 'kite', files: [{ filename: 'SKILL.md', text: 'silk' }] }),
    ]);
    expect((await ask('kites silk')).toSorted()).toEqual(['author', 'both', 'label']);
  });

  test('matches in the text of files where nothing else has every word', async () => {
    const ask = await asker([KITE, row('other')]);
    expect(await ask('kite bowline')).toEqual(['kite']);
  });

  test('matches the beginning of a word with its last word, from three letters on', async () => {
    const ask = await asker([row('x', { description: 'submarine' }), row('y', { description: 'other' })]);
    expect(await ask('subm')).toEqual(['x']);
    expect(await ask('su')).toEqual([]);
  });

  test('matches with one slip in a word, and two from eight letters on', async () => {
    const ask = await asker([row('x', { description: 'submarine kite' })]);
    expect(await ask('kute')).toEqual(['x']);
    expect(await ask('sabmarime')).toEqual(['x']);
    expect(await ask('kuta')).toEqual([]);
  });

  test('matches some of its words where no skill has all', async () => {
    const ask = await asker([
      row('x', { description: 'submarine', name: 'x' }),
      row('y', { description: 'harbour', name: 'y' }),
    ]);
    expect((await ask('submarine harbour')).toSorted()).toEqual(['x', 'y']);
  });

  test('has words in quotation marks that must stand together', async () => {
    const ask = await asker([
      row('together', { description: 'paper kite' }),
      row('apart', { description: 'paper for a kite' }),
    ]);
    expect((await ask('paper kite')).toSorted()).toEqual(['apart', 'together']);
    expect(await ask('"paper kite"')).toEqual(['together']);
  });

  test('finds compounds by their parts and as a whole, and asks for all parts', async () => {
    const ask = await asker([
      row('dash', { name: 'react-testing' }),
      row('camel', { name: 'reactTesting' }),
      row('snake', { name: 'react_testing' }),
      row('part', { name: 'react' }),
    ]);
    const compounds = ['camel', 'dash', 'snake'];
    expect((await ask('testing')).toSorted()).toEqual(compounds);
    expect((await ask('react')).toSorted()).toEqual([...compounds, 'part'].toSorted());
    for (const q of ['react-testing', 'reactTesting', 'react_testing']) {
      expect((await ask(q)).toSorted(), q).toEqual(compounds);
    }
  });

  test('finds text without blanks by pairs of characters, and a single one by itself', async () => {
    const ask = await asker([
      row('wind', { description: '制作风筝的方法' }),
      row('other', { description: '会议纪要' }),
    ]);
    expect(await ask('风筝')).toEqual(['wind']);
    expect(await ask('筝')).toEqual(['wind']);
    expect(await ask('要')).toEqual(['other']);
  });

  test('counts with its first 64 words only', async () => {
    const words = Array.from({ length: 64 }, (_, i) => String(i + 10)).join(' ');
    const ask = await asker([row('most', { description: words }), row('all', { description: `${words} zz` })]);
    expect((await ask(`${words} zz`)).toSorted()).toEqual(['all', 'most']);
    expect(await ask(`${words.slice(0, -2)} zz`)).toEqual(['all']);
  });
});

describe('page and limit', () => {
  const rows = Array.from({ length: 120 }, (_, i) => row(`k${String(i).padStart(3, '0')}`, { updatedAt: 1000 - i }));
  const ids = rows.map(({ id }) => id);

  test('are 1 and 20 where they are left out', async () => {
    const { ask } = await serve(rows);
    const reply = await ask(keyword({ q: 'name' }));
    expect(paginationOf(reply)).toEqual({ page: 1, limit: 20, total: 120, totalPages: 6 });
    expect(idsOf(reply)).toEqual(ids.slice(0, 20));
  });

  test.each([
    [1, 1, 120],
    [1, 50, 3],
    [3, 50, 3],
    [50, 2, 60],
    [2, 7, 18],
  ])('%i and %i are accepted and show that part of the result', async (page, limit, totalPages) => {
    const { ask } = await serve(rows);
    const reply = await ask(keyword({ q: 'name', page, limit }));
    expect([reply.status, faultsOf(KEYWORD_ANSWER, reply.body)]).toEqual([200, []]);
    expect(paginationOf(reply)).toEqual({ page, limit, total: 120, totalPages });
    expect(idsOf(reply)).toEqual(ids.slice((page - 1) * limit, page * limit));
  });

  test('past the end show no skills and the true totals', async () => {
    const { ask } = await serve(rows);
    const reply = await ask(keyword({ q: 'name', page: 50 }));
    expect([reply.status, idsOf(reply)]).toEqual([200, []]);
    expect(paginationOf(reply)).toEqual({ page: 50, limit: 20, total: 120, totalPages: 6 });
  });

  test('take decimal digits, zeros in front of them too', async () => {
    const { ask } = await serve(rows);
    const reply = await ask(`${keyword({ q: 'name' })}&page=002&limit=%30%35`);
    expect(paginationOf(reply)).toMatchObject({ page: 2, limit: 5 });
  });
});

describe('sortBy', () => {
  const rows = [
    row('b', { stars: 5, updatedAt: 100 }),
    row('a', { stars: 5, updatedAt: 100 }),
    row('Z', { stars: 5, updatedAt: 100 }),
    row('new', { stars: 1, updatedAt: 300 }),
    row('old', { stars: 9, updatedAt: 50 }),
    row('mid', { stars: 5, updatedAt: 200 }),
  ];

  test('is recent where it is left out: the last update first, then by id in code points', async () => {
    const { ask } = await serve(rows);
    const expected = ['new', 'mid', 'Z', 'a', 'b', 'old'];
    expect(idsOf(await ask(keyword({ q: 'name' })))).toEqual(expected);
    expect(idsOf(await ask(keyword({ q: 'name', sortBy: 'recent' })))).toEqual(expected);
  });

  test('stars puts the most stars first, then the last update, then the id', async () => {
    const { ask } = await serve(rows);
    expect(idsOf(await ask(keyword({ q: 'name', sortBy: 'stars' })))).toEqual(['old', 'mid', 'Z', 'a', 'b', 'new']);
  });

  test('orders ids by code points and not by UTF-16 units', async () => {
    const { ask } = await serve([row('\u{1f681}', { name: 'name' }), row('\uff21', { name: 'name' })]);
    expect(idsOf(await ask(keyword({ q: 'name' })))).toEqual(['\uff21', '\u{1f681}']);
  });

  test.each(['relevance', 'Stars', 'newest', '', 'stars,recent'])('refuses %j', async (sortBy) => {
    const { ask } = await serve(rows);
    const { status, code, message } = await ask(keyword({ q: 'name', sortBy }));
    expect([status, code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(message).toContain('sortBy must be one of recent, stars');
    expect(message).toContain(JSON.stringify(sortBy));
  });
});

describe('category and occupation', () => {
  test('category matches any of the categories of a skill', async () => {
    const { ask } = await serve(LABELLED);
    const found = async (category: string) => idsOf(await ask(keyword({ q: 'name', category }))).toSorted();
    expect(await found('crafts')).toEqual(['glue', 'loom']);
    expect(await found('textiles')).toEqual(['loom']);
  });

  test('occupation matches any occupation of a skill, with and without its code', async () => {
    const { ask } = await serve(LABELLED);
    const found = async (occupation: string) => idsOf(await ask(keyword({ q: 'name', occupation }))).toSorted();
    expect(await found('software-developers-151252')).toEqual(['glue']);
    expect(await found('software-developers')).toEqual(['glue']);
    expect(await found('toy-makers')).toEqual(['glue']);
    expect(await found('software')).toEqual([]);
  });

  test('a major group matches every occupation under it', async () => {
    const { ask } = await serve(LABELLED);
    const found = async (occupation: string) => idsOf(await ask(keyword({ q: 'name', occupation }))).toSorted();
    expect(await found('15-0000')).toEqual(['bytes', 'glue']);
    expect(await found('51-0000')).toEqual(['glue', 'loom']);
  });

  test('both together must match, and totals count what they leave', async () => {
    const { ask } = await serve(LABELLED);
    const reply = await ask(keyword({ q: 'name', category: 'crafts', occupation: '15-0000' }));
    expect([idsOf(reply), paginationOf(reply)]).toEqual([['glue'], { page: 1, limit: 20, total: 1, totalPages: 1 }]);
  });

  test.each(['category', 'occupation'])('an unknown slug of %s finds nothing and is no error', async (name) => {
    const { ask } = await serve(LABELLED);
    const reply = await ask(keyword({ q: 'name', [name]: 'nobody-has-this' }));
    expect([reply.status, paginationOf(reply)]).toEqual([200, { page: 1, limit: 20, total: 0, totalPages: 0 }]);
  });

  test.each(
    ['category', 'occupation'].flatMap((name) =>
      ['', 'Crafts', 'a b', 'a_b', 'é', '../x', ' crafts'].map((slug) => [name, slug]),
    ),
  )('%s is refused as %j', async (name, slug) => {
    const { ask } = await serve(LABELLED);
    const { status, code, message } = await ask(keyword({ q: 'name', [name as string]: slug as string }));
    expect([status, code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(message).toMatch(new RegExp(`^${name} must be a slug`));
  });
});

/** Asks for words, by the ids of what is found. */
async function asker(rows: readonly Row[]): Promise<(q: string) => Promise<string[]>> {
  const { ask }: { ask: Ask } = await serve(rows);
  return async (q) => idsOf(await ask(keyword({ q })));
}

function skillsOf({ body }: { body: unknown }): Record<string, unknown>[] {
  return (body as { data: { skills: Record<string, unknown>[] } }).data.skills;
}
