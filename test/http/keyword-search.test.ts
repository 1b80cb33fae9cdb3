import { describe, expect, test } from 'vitest';
import { createHandler } from '../../src/http/index.js';
import { codeOf } from '../error-code.js';
import { type Row, row } from '../rows.js';
import {
  type Ask,
  idsOf,
  KEYWORD,
  keyword,
  ORIGIN,
  paginationOf,
  SEMANTIC,
  searchOver,
  semantic,
  serve,
  skillsOf,
} from './ask.js';
import { KITE } from './pages/page-text.js';
import { faultsOf, KEYWORD_ANSWER } from './shapes.js';

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
});

test('a keyword search ignores parameters that it does not know, be they malformed or repeated', async () => {
  const { ask } = await serve([KITE]);
  const plain = await ask(keyword({ q: 'kite' }));
  for (const more of ['x=1', 'x=1&x=2', 'x=%', '%=1', '%ED%A0%80=1', 'Q=2', 'Page=0', 'q[]=1', '&&', '=', 'copies=x']) {
    const reply = await ask(`${keyword({ q: 'kite' })}&${more}`);
    expect([reply.status, idsOf(reply), paginationOf(reply)], more).toEqual([200, idsOf(plain), paginationOf(plain)]);
  }
});

test('q is decoded, with + for a blank', async () => {
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

test('sortBy is recent where it is left out: the last update first, then by id in code points', async () => {
  const { ask } = await serve([
    row('b', { stars: 9, updatedAt: 100 }),
    row('a', { updatedAt: 100 }),
    row('Z', { updatedAt: 100 }),
    row('new', { updatedAt: 300 }),
  ]);
  for (const sortBy of [{}, { sortBy: 'recent' }]) {
    expect(idsOf(await ask(keyword({ q: 'name', ...sortBy })))).toEqual(['new', 'Z', 'a', 'b']);
  }
});

test.each([
  ['category', 'crafts', ['glue', 'loom']],
  ['category', 'textiles', ['loom']],
  ['occupation', 'software-developers-151252', ['glue']],
  ['occupation', 'software-developers', ['glue']],
  ['occupation', 'toy-makers', ['glue']],
  ['occupation', 'software', []],
])('%s %s matches any that a skill has, an occupation with and without its code', async (name, value, expected) => {
  const { ask } = await serve(LABELLED);
  expect(idsOf(await ask(keyword({ q: 'name', [name]: value }))).toSorted()).toEqual(expected);
});

const NOON = 1_769_860_800; // 2026-01-31T12:00:00Z
const SKILLS = [
  {
    ...row('kite-new', { author: 'Ada', stars: 7, updatedAt: NOON }),
    license: 'MIT',
    installations: [
      { agent: 'codex', scope: 'user' },
      { agent: 'cursor', scope: 'project' },
    ],
  },
  { ...row('kite-old', { author: 'ada', stars: 3, updatedAt: NOON - 1 }), license: 'Apache-2.0' },
  {
    ...row('kite-timeless', { author: 'Grace', stars: 9 }),
    license: 'mit',
    installations: [{ agent: 'codex', scope: 'project' }],
    frontMatter: { 'disable-model-invocation': 'true' },
  },
];

const ALL = ['kite-new', 'kite-old', 'kite-timeless'];

describe('a parameter of our own', () => {
  test.each([
    [{ author: 'ADA' }, ['kite-new', 'kite-old']],
    [{ license: 'mit' }, ['kite-new', 'kite-timeless']],
    [{ license: 'MIT', author: 'ada' }, ['kite-new']],
    [{ minStars: 7 }, ['kite-new', 'kite-timeless']],
    [{ minStars: '007' }, ['kite-new', 'kite-timeless']],
    [{ minStars: 0 }, ALL],
    [{ minStars: '999999999999999' }, []],
    [{ updatedAfter: NOON }, ['kite-new']],
    [{ updatedAfter: '2026-01-31T12:00:00Z' }, ['kite-new']],
    [{ updatedAfter: '2026-01-31T13:00:00+01:00' }, ['kite-new']],
    [{ updatedAfter: '2026-01-31' }, ['kite-new', 'kite-old']],
    [{ updatedBefore: NOON }, ['kite-old']],
    [{ updatedBefore: '2026-02-01', updatedAfter: 0 }, ['kite-new', 'kite-old']],
    [{ updatedAfter: '2026-02-01', updatedBefore: '2026-01-01' }, []],
    [{ agent: 'codex' }, ['kite-new', 'kite-timeless']],
    [{ scope: 'project' }, ['kite-new', 'kite-timeless']],
    [{ agent: 'codex', scope: 'project' }, ['kite-timeless']],
    [{ agent: 'nobody' }, []],
    [{ invocable: 'true' }, ['kite-new', 'kite-old']],
    [{ invocable: 'false' }, ['kite-timeless']],
    [{ invocable: 'false', scope: 'user' }, []],
  ])('filters both searches: %j', async (filters, expected) => {
    const { ask, key } = await serve(SKILLS);
    const found = await ask(keyword({ q: 'kite', ...filters }));
    expect([found.status, idsOf(found).sort()]).toEqual([200, expected]);
    expect(paginationOf(found)).toMatchObject({ total: expected.length });
    const query = new URLSearchParams({ q: 'kite', ...mapped(filters) });
    const meant = await ask(`${SEMANTIC}?${query}`, { key });
    expect([meant.status, idsOf(meant).sort()]).toEqual([200, expected]);
  });

  test.each([
    ['agent', 'Codex', 'agent must be a slug of the characters a-z, 0-9 and -, got "Codex"'],
    ['scope', 'global', 'scope must be one of project, user, plugin, system, got "global"'],
    ['scope', '', 'scope must be one of project, user, plugin, system, got ""'],
    ['invocable', '1', 'invocable must be one of true, false, got "1"'],
    ['invocable', '', 'invocable must be one of true, false, got ""'],
    ['invocable', 'true&invocable=true', 'invocable must be given once'],
    ['scope', 'x&updatedBefore=never', expect.stringContaining('updatedBefore must be') as string],
    ['invocable', 'x&scope=y&agent=Z', expect.stringContaining('agent must be') as string],
    ['invocable', 'x&scope=y', expect.stringContaining('scope must be') as string],
  ])('is refused where it is wrong, the first fault first: %s=%s', async (name, value, message) => {
    const { ask, key } = await serve(SKILLS);
    for (const path of [KEYWORD, SEMANTIC]) {
      const { status, body } = await ask(`${path}?q=kite&${name}=${value}`, { key });
      expect([status, body]).toMatchObject([400, { error: { code: 'INVALID_PARAMETER', message } }]);
    }
  });

  test('is found however its name is written in the address', async () => {
    const { ask } = await serve(SKILLS);
    const encoded = [...'updatedBefore'].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('');
    expect(idsOf(await ask(`${keyword({ q: 'kite' })}&${encoded}=${NOON}`))).toEqual(['kite-old']);
  });
});

function mapped(filters: object): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]));
}

describe('paging', () => {
  /** Many of them with the same stars and the same last update, in no order. */
  const SKILLS: readonly Row[] = Array.from({ length: 1000 }, (_, i) =>
    row(`k${(i * 617) % 1000}`, {
      stars: (i * 31) % 7,
      updatedAt: 1_700_000_000 + ((i * 17) % 11),
    }),
  );

  type Sortable = { id: string; stars: number; updatedAt: number };
  const byId = (a: Sortable, b: Sortable): number => (a.id < b.id ? -1 : 1);
  const ORDERS: Record<string, (a: Sortable, b: Sortable) => number> = {
    recent: (a, b) => b.updatedAt - a.updatedAt || byId(a, b),
    stars: (a, b) => b.stars - a.stars || b.updatedAt - a.updatedAt || byId(a, b),
  };

  test.each([
    ['recent', 50],
    ['stars', 37],
  ])(
    'all pages of a result of 1,000 skills together hold every skill once, in the order %s, with %i a page',
    async (sortBy, limit) => {
      const { ask } = await serve(SKILLS);
      const expected = (SKILLS as Sortable[]).toSorted(ORDERS[sortBy]).map(({ id }) => id);
      const ids = await allPages(ask, { sortBy, limit }, 1000);
      expect(new Set(ids).size).toBe(1000);
      expect(ids).toEqual(expected);
    },
  );

  /** Ids of all pages and of an empty one after the last, each of which must say the same totals. */
  async function allPages(ask: Ask, query: Record<string, string | number>, total: number): Promise<string[]> {
    const limit = query['limit'] as number;
    const totalPages = Math.ceil(total / limit);
    const ids: string[] = [];
    for (let page = 1; page <= totalPages + 1; page++) {
      const reply = await ask(keyword({ q: 'name', ...query, page }));
      expect(paginationOf(reply)).toEqual({ page, limit, total, totalPages });
      expect(idsOf(reply)).toHaveLength(Math.max(0, Math.min(limit, total - (page - 1) * limit)));
      ids.push(...idsOf(reply));
    }
    return ids;
  }
});

describe('an address that nobody told', () => {
  test.each<[string | undefined, string]>([
    [undefined, ORIGIN],
    ['https://skills.example', 'https://skills.example'],
    ['https://skills.example/', 'https://skills.example'],
    ['https://skills.example:8443/base//', 'https://skills.example:8443/base'],
    ['http://[2001:db8::1]:8787', 'http://[2001:db8::1]:8787'],
  ])('becomes <public URL>/skills/<id>, with the public URL %s', async (publicUrl, base) => {
    const { ask, key } = await serve([row('kite'), row('known', { skillUrl: 'https://market.example/known' })], {
      publicUrl,
    });
    for (const reply of [await ask(keyword({ q: 'name' })), await ask(semantic('name'), { key })]) {
      const urls = skillsOf(reply).map(({ id, codehostUrl, skillUrl }) => [id, codehostUrl, skillUrl]);
      expect(urls.toSorted()).toEqual([
        ['kite', `${base}/skills/kite`, `${base}/skills/kite`],
        ['known', `${base}/skills/known`, 'https://market.example/known'],
      ]);
    }
  });

  test('is not mistaken for one where only a text of the skill says so', async () => {
    const text = '"codehostUrl":"unknown","skillUrl":"unknown"';
    const { ask } = await serve([{ ...KITE, description: text }]);
    expect(skillsOf(await ask(keyword({ q: 'kite' })))).toMatchObject([
      { description: text, codehostUrl: KITE.codehostUrl, skillUrl: KITE.skillUrl },
    ]);
  });

  test.each([
    'skills.example',
    '/base',
    'ftp://skills.example',
    'https://skills.example/?a',
    'https://skills.example/#a',
    'https://me:pw@skills.example',
    '',
  ])('cannot be under %j: such a public URL is refused', async (publicUrl) => {
    const search = await searchOver([]);
    expect(await codeOf(() => createHandler(search, { publicUrl }))).toBe('INVALID_OPTION');
  });
});
