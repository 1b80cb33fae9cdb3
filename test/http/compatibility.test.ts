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
const MANY = Array.from({ length: 120 }, (_, i) => row(`k${i}`, { codehostUrl: `https://github.com/wren/k${i}` }));

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
    [1, 100, true, false],
    [2, 100, false, true],
    [3, 100, false, true],
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

  test.each([
    ['51', 51],
    ['100', 100],
    ['101', 100],
    ['9'.repeat(30), 100],
  ])('a limit of %s is taken as %i', async (limit, taken) => {
    const { ask } = await serve(MANY, { compatibility });
    const reply = await ask(keyword({ q: 'name', limit }));
    expect([reply.status, idsOf(reply).length]).toEqual([200, taken]);
    expect(paginationOf(reply)).toMatchObject({ limit: taken, total: 120 });
  });

  test.each(['0', '-1', '1e2', '100.0', '', 'all'])('a limit of %j is refused all the same', async (limit) => {
    const { ask } = await serve(MANY, { compatibility });
    const { code, message } = await ask(keyword({ q: 'name', limit }));
    expect([code, message?.split(' ')[0]]).toEqual(['INVALID_PARAMETER', 'limit']);
  });

  test('a search by meaning goes on with each page, to the hundredth skill, and is then empty', async () => {
    const { ask, key } = await serve(MANY, { compatibility });
    const pages = Array.from({ length: 11 }, (_, i) => ask(`${semantic('name of a k')}&page=${i + 1}`, { key }));
    const [first, ...others] = await Promise.all(pages);
    expect(idsOf(first!)).toEqual(idsOf(await ask(semantic('name of a k'), { key })));
    const ids = [first!, ...others].map(idsOf);
    expect([ids.map(({ length }) => length), new Set(ids.flat()).size]).toEqual([[...Array(10).fill(10), 0], 100]);
    for (const { headers } of others) expect(headers.get('X-Result-Worth')).toBe('0');
    for (const page of ['0', '51', 'two']) {
      expect((await ask(`${semantic('name')}&page=${page}&scope=all`, { key })).message).toMatch(/^page must be/);
    }
  });
});

describe('GET /api/search', () => {
  test('answers with each skill that can be added, and how', async () => {
    const { ask } = await serve([...SKILLS, row('kite-2', { ...SKILLS[0], id: 'kite-2', stars: 1 })], {
      compatibility,
    });
    const reply = await ask(`${FIND}?q=%20name+`);
    expect([reply.status, faultsOf(FIND_ANSWER, reply.body)]).toEqual([200, []]);
    const kite = { id: 'Wren/toys/name-of-kite', skillId: 'name-of-kite', name: 'name of kite', source: 'Wren/toys' };
    const source = 'https://git.example/otter/boats.git#main';
    const boat = { id: 'skills/boat', skillId: 'name-of-boat', name: 'name of boat', source };
    const skills = [kite, boat].map((one) => ({ ...one, installs: 0 }));
    expect(reply.body).toEqual({ query: 'name', searchType: 'fuzzy', skills, count: 2 });
  });

  test('takes the last word as unfinished, for it is asked at each key', async () => {
    const codehostUrl = 'https://github.com/Wren/toys';
    const rows = ['dock-plan', 'docker', 'docker-compose', 'harbour'].map((name) => {
      return row(name, { name, codehostUrl, description: name === 'harbour' ? 'Every dock of docker' : name });
    });
    const { ask } = await serve(rows, { compatibility });
    const found = async (q: string): Promise<string[]> => {
      const { skills } = (await ask(`${FIND}?q=${q}`)).body as { skills: { name: string }[] };
      return skills.map(({ name }) => name);
    };
    expect(await found('docke')).toEqual(['docker', 'docker-compose', 'harbour']);
    expect((await found('dock')).slice(0, 1)).toEqual(['dock-plan']);
    expect(await found('dock+')).toEqual(['dock-plan', 'harbour']);
  });

  test('has ids that lead to the pages of the skills', async () => {
    const { ask } = await serve(SKILLS, { compatibility, pages: true });
    for (const id of foundIds(await ask(`${FIND}?q=name`))) {
      const reply = await ask(`/${id}`);
      const { status, text } = reply.status === 302 ? await ask(reply.headers.get('Location')!) : reply;
      expect([id, status, text.includes('name of')]).toEqual([id, 200, true]);
    }
    expect((await ask('/Wren/toys/name-of-boat')).code).toBe('ENDPOINT_NOT_FOUND');
    expect((await (await serve(SKILLS, { pages: true })).ask('/Wren/toys/name-of-kite')).status).toBe(404);
  });

  test.each([
    ['https://github.com/Wren/toys', 'Wren/toys'],
    ['https://www.github.com/Wren/toys.git', 'Wren/toys'],
    ['https://github.com/Wren/toys/releases', 'Wren/toys'],
    ['https://git.example/group/sub/toys/-/tree/main/kite', 'https://git.example/group/sub/toys.git#main'],
    ['https://git.example/Wren/toys/src/branch/a%2Fb/kite', 'https://git.example/Wren/toys.git#a%2Fb'],
    ['https://git.example/src/toys', 'https://git.example/src/toys.git#@a%20kite'],
    ['https://gitlab.com/Wren/toys/-/tree/HEAD/kite', 'https://gitlab.com/Wren/toys.git#@a%20kite'],
    ['http://localhost:8443/Wren/toys.git', 'http://localhost:8443/Wren/toys.git#@a%20kite'],
  ])('tells the repository of %s as %s', async (codehostUrl, source) => {
    const { ask } = await serve([row('kite', { name: 'a kite', codehostUrl })], { compatibility });
    expect((await ask(`${FIND}?q=kite`)).body).toMatchObject({ skills: [{ source }] });
  });

  test.each([
    'https://git.example/',
    'ftp://git.example/Wren/toys',
    'https://github.com/Wren',
    // The installer would take these for repositories of GitHub and GitLab.
    'https://notgithub.com/Wren/toys',
    'https://gist.github.com/Wren/toys',
    'https://git.example/gitlab.com/Wren/toys',
    "https://git.example/Wren/toys'$(id)",
  ])('leaves out what cannot be added from %s', async (codehostUrl) => {
    const { ask } = await serve([row('kite', { codehostUrl })], { compatibility });
    expect((await ask(`${FIND}?q=name`)).body).toMatchObject({ skills: [], count: 0 });
  });

  test('takes a limit, 20 where it is left out, above 100 as 100, of what can be added', async () => {
    const elsewhere = Array.from({ length: 60 }, (_, i) => row(`e${i}`, { stars: 9 }));
    const { ask } = await serve([...elsewhere, ...MANY], { compatibility });
    const lengthOf = async (more: string) => foundIds(await ask(`${FIND}?q=name${more}`)).length;
    expect(await lengthOf('')).toBe(20);
    expect(await lengthOf('&limit=7')).toBe(7);
    expect(await lengthOf('&limit=100')).toBe(100);
    expect(await lengthOf('&limit=1000')).toBe(100);
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
        loom('authored', { author: 'WREN', codehostUrl: 'https://git.example/otter/loom' }),
        loom('namesake', { codehostUrl: 'https://github.com/wrens/loom', stars: 9 }),
      ],
      { compatibility },
    );
    const first = foundIds(await ask(`${FIND}?q=loom&limit=50`));
    const mine = ['Wren/toys/loom-mine', 'skills/authored'];
    expect([first.length, first.filter((id) => mine.includes(id))]).toEqual([50, []]);
    for (const owner of ['wren', 'Wren', '%20wren%20']) {
      expect(foundIds(await ask(`${FIND}?q=loom&owner=${owner}`)).toSorted(), owner).toEqual(mine);
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
    ['?q=%ED%A0%80', 'INVALID_QUERY'],
    ['?q=a&limit=0', 'INVALID_PARAMETER'],
    ['?q=a&owner=x&owner=y', 'INVALID_PARAMETER'],
  ])('refuses %j', async (query, expected) => {
    const { ask } = await serve(SKILLS, { compatibility });
    const reply = await ask(FIND + query);
    expect([reply.status, reply.code, faultsOf(ERROR, reply.body)]).toEqual([400, expected, []]);
  });
});

function foundIds({ body }: Reply): string[] {
  return (body as { skills: { id: string }[] }).skills.map(({ id }) => id);
}
