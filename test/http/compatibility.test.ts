import { describe, expect, test } from 'vitest';
import type { SkillSearch } from '../../src/index.js';
import type { ResolvedKeywordQuery } from '../../src/query.js';
import { catalogueSearchOf } from '../../src/search/index.js';
import { type Row, row } from '../rows.js';
import {
  FIND,
  idsOf,
  keyword,
  ORIGIN,
  paginationOf,
  quotaOf,
  type Reply,
  searchOver,
  semantic,
  serve,
  skillsOf,
} from './ask.js';
import {
  COMPATIBLE_KEYWORD_ANSWER,
  COMPATIBLE_SEMANTIC_ANSWER,
  ERROR,
  FIND_ANSWER,
  faultsOf,
  KEYWORD_ANSWER,
  SEMANTIC_ANSWER,
} from './shapes.js';

const compatibility = 'skillsmp';
const SKILLS: readonly Row[] = [
  row('kite', { codehostUrl: 'https://github.com/Wren/toys/tree/main/kite', author: 'wren', stars: 3 }),
  row('boat', { codehostUrl: 'https://git.example/otter/boats/-/tree/main/boat', author: 'otter' }),
  row('drum'),
];
const MANY = Array.from({ length: 120 }, (_, i) => row(`k${i}`));

describe('without the switch', () => {
  test('answers keep to the letter of the specification', async () => {
    const { ask, key } = await serve(SKILLS);
    expect(faultsOf(KEYWORD_ANSWER, (await ask(keyword({ q: 'name' }))).body)).toEqual([]);
    expect(faultsOf(SEMANTIC_ANSWER, (await ask(semantic('name'), { key })).body)).toEqual([]);
  });

  test('a limit above 50 is refused, and nothing is served at /api/search', async () => {
    const { ask } = await serve(SKILLS);
    expect((await ask(keyword({ q: 'name', limit: 51 }))).code).toBe('INVALID_PARAMETER');
    expect((await ask(`${FIND}?q=name`)).code).toBe('ENDPOINT_NOT_FOUND');
  });
});

describe('with the switch', () => {
  test('skills have githubUrl beside codehostUrl, the same, in both searches', async () => {
    const { ask, key } = await serve(SKILLS, { compatibility });
    const words = await ask(keyword({ q: 'name' }));
    expect(faultsOf(COMPATIBLE_KEYWORD_ANSWER, words.body)).toEqual([]);
    const meaning = await ask(semantic('name'), { key });
    expect(faultsOf(COMPATIBLE_SEMANTIC_ANSWER, meaning.body)).toEqual([]);
    for (const skills of [skillsOf(words), skillsOf(meaning)]) {
      expect(Object.fromEntries(skills.map(({ id, githubUrl }) => [id, githubUrl]))).toEqual({
        kite: 'https://github.com/Wren/toys/tree/main/kite',
        boat: 'https://git.example/otter/boats/-/tree/main/boat',
        drum: `${ORIGIN}/skills/drum`,
      });
      for (const { githubUrl, codehostUrl } of skills) expect(githubUrl).toBe(codehostUrl);
    }
  });

  test.each([
    [1, 50, true, false],
    [2, 50, true, true],
    [3, 50, false, true],
    [4, 50, false, true],
    [50, 2, false, true],
    // The last page that can be asked for, though there are 120.
    [50, 1, false, true],
    [49, 1, true, true],
  ])('page %i of %i skills has hasNext %j and hasPrev %j', async (page, limit, hasNext, hasPrev) => {
    const { ask } = await serve(MANY, { compatibility });
    const reply = await ask(keyword({ q: 'name', page, limit }));
    expect(paginationOf(reply)).toEqual({
      page,
      limit,
      total: 120,
      totalPages: Math.ceil(120 / limit),
      hasNext,
      hasPrev,
    });
  });

  test.each(['51', '100', '1000', '9'.repeat(30)])('a limit of %s is taken as 50', async (limit) => {
    const { ask } = await serve(MANY, { compatibility });
    const reply = await ask(keyword({ q: 'name', limit }));
    expect([reply.status, idsOf(reply).length]).toEqual([200, 50]);
    expect(paginationOf(reply)).toMatchObject({ limit: 50, total: 120, totalPages: 3 });
  });

  test.each(['0', '-1', '1e2', '100.0', '', 'all'])('a limit of %j is refused all the same', async (limit) => {
    const { ask } = await serve(MANY, { compatibility });
    const { code, message } = await ask(keyword({ q: 'name', limit }));
    expect([code, message?.split(' ')[0]]).toEqual(['INVALID_PARAMETER', 'limit']);
  });
});

describe('GET /api/search', () => {
  test('answers with id, name, installs and source of each skill', async () => {
    const { ask } = await serve(SKILLS, { compatibility });
    const reply = await ask(`${FIND}?q=name`);
    expect([reply.status, faultsOf(FIND_ANSWER, reply.body)]).toEqual([200, []]);
    const found = (reply.body as { skills: { id: string }[] }).skills.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(found).toEqual([
      { id: 'boat', name: 'name of boat', installs: 0, source: 'https://git.example/otter/boats.git' },
      { id: 'drum', name: 'name of drum', installs: 0, source: '' },
      { id: 'kite', name: 'name of kite', installs: 0, source: 'Wren/toys' },
    ]);
  });

  test.each([
    ['https://github.com/Wren/toys', 'Wren/toys'],
    ['https://www.github.com/Wren/toys.git', 'Wren/toys'],
    ['https://github.com/Wren/toys/releases', 'Wren/toys'],
    ['https://git.example/group/sub/toys/-/tree/main/kite', 'https://git.example/group/sub/toys.git'],
    ['https://git.example/Wren/toys/src/branch/main/kite', 'https://git.example/Wren/toys.git'],
    ['https://git.example/src/toys', 'https://git.example/src/toys.git'],
    ['https://git.example:8443/Wren/toys.git', 'https://git.example:8443/Wren/toys.git'],
    ['https://notgithub.com/Wren/toys', 'https://notgithub.com/Wren/toys.git'],
    ['https://git.example/', ''],
    ['ftp://git.example/Wren/toys', ''],
  ])('tells the repository of %s as %s', async (codehostUrl, source) => {
    const { ask } = await serve([row('kite', { codehostUrl })], { compatibility });
    expect((await ask(`${FIND}?q=name`)).body).toMatchObject({ skills: [{ source }] });
  });

  test('takes a limit, 20 where it is left out, above 50 as 50', async () => {
    const { ask } = await serve(MANY, { compatibility });
    const lengthOf = async (more: string) => foundIds(await ask(`${FIND}?q=name${more}`)).length;
    expect(await lengthOf('')).toBe(20);
    expect(await lengthOf('&limit=7')).toBe(7);
    expect(await lengthOf('&limit=50')).toBe(50);
    expect(await lengthOf('&limit=100')).toBe(50);
  });

  test('takes an owner, whose skills it finds however far down they are', async () => {
    const loom = (id: string, more: Row): Row => row(id, { name: `loom ${id}`, description: 'Weaves.', ...more });
    const others = Array.from({ length: 300 }, (_, i) =>
      loom(`o${i}`, { codehostUrl: `https://github.com/otter/r${i}`, stars: 9 }),
    );
    const { ask } = await serve(
      [
        ...others,
        loom('mine', { codehostUrl: 'https://github.com/Wren/toys' }),
        loom('authored', { author: 'WREN' }),
        loom('namesake', { codehostUrl: 'https://github.com/wrens/loom', stars: 9 }),
      ],
      { compatibility },
    );
    const first = foundIds(await ask(`${FIND}?q=loom&limit=50`));
    expect([first.length, first.includes('mine'), first.includes('authored')]).toEqual([50, false, false]);
    for (const owner of ['wren', 'Wren', '%20wren%20']) {
      expect(foundIds(await ask(`${FIND}?q=loom&owner=${owner}`)).toSorted(), owner).toEqual(['authored', 'mine']);
    }
    expect(foundIds(await ask(`${FIND}?q=loom&owner=wren&limit=1`))).toHaveLength(1);
    expect(foundIds(await ask(`${FIND}?q=loom&owner=nobody`))).toEqual([]);
    expect(foundIds(await ask(`${FIND}?q=loom&owner=`))).toHaveLength(20);
  });

  test('searches one later page of an owner in a turn of the event loop, whoever asks', async () => {
    const search = await searchOver(MANY);
    let [calls, ended] = [0, false];
    const counted: SkillSearch = Object.create(search, {
      keywordRecords: {
        value: (query: ResolvedKeywordQuery) => {
          calls += 1;
          return catalogueSearchOf(search).keywordRecords(query);
        },
      },
    });
    const { ask } = await serve(counted, { compatibility });
    const answers = Promise.all([1, 2, 3].map(() => ask(`${FIND}?q=name&owner=nobody`))).finally(() => {
      ended = true;
    });
    const inTurns: number[] = [];
    for (; !ended; calls = 0) {
      await new Promise(setImmediate);
      if (calls > 0) inTurns.push(calls);
    }
    expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200]);
    // 120 skills are three pages, of which the first is searched at once.
    expect(inTurns.reduce((sum, one) => sum + one)).toBe(9);
    expect(inTurns.filter((one) => one === 1).length).toBeGreaterThanOrEqual(6);
  });

  test('needs no key and looks at none, and each address has 60 requests a minute, which use no quota', async () => {
    const { ask, key } = await serve(SKILLS, { compatibility, quotas: { anonymous: { daily: 2, perMinute: 2 } } });
    const path = `${FIND}?q=name`;
    for (let i = 0; i < 57; i++) expect((await ask(path)).status).toBe(200);
    expect((await ask(path, { key })).status).toBe(200);
    expect((await ask(path, { key: 'wrong' })).status).toBe(200);
    // A faulty one counts, too.
    expect((await ask(FIND)).code).toBe('MISSING_QUERY');
    const beyond = await ask(path);
    expect([beyond.status, beyond.code, beyond.message]).toEqual([
      429,
      'RATE_LIMIT_EXCEEDED',
      expect.stringContaining('60 searches'),
    ]);
    expect(beyond.headers.get('Retry-After')).toMatch(/^(60|[1-5]\d)$/);
    expect((await ask(FIND)).code).toBe('RATE_LIMIT_EXCEEDED');
    expect((await ask(path, { address: '192.0.2.1' })).status).toBe(200);
    expect(quotaOf(await ask(keyword({ q: 'name' })))).toEqual(['2', '1']);
  });

  test.each([
    ['', 'MISSING_QUERY'],
    ['?q=+', 'MISSING_QUERY'],
    ['?q=%ED%A0%80', 'INVALID_QUERY'],
    ['?q=a&q=a', 'INVALID_PARAMETER'],
    ['?q=a&limit=0', 'INVALID_PARAMETER'],
    ['?q=a&owner=x&owner=y', 'INVALID_PARAMETER'],
    ['?q=a&owner=%', 'INVALID_PARAMETER'],
  ])('refuses %j', async (query, expected) => {
    const { ask } = await serve(SKILLS, { compatibility });
    const reply = await ask(FIND + query);
    expect([reply.status, reply.code, faultsOf(ERROR, reply.body)]).toEqual([400, expected, []]);
  });
});

function foundIds({ body }: Reply): string[] {
  return (body as { skills: { id: string }[] }).skills.map(({ id }) => id);
}
