import { describe, expect, test } from 'vitest';
import { SkillSearchError } from '../../../src/index.js';
import { row } from '../../rows.js';
import { catalogueOf, failingSearch, ORIGIN, opened, type Reply, replacing, searchOver, serve } from '../ask.js';
import { expectHarmless, HOSTILE, KITE, linksOf, plainLinksOf, textOf } from './page-text.js';

const PAGE_SIZE = 20;
const SKILLS = [
  KITE,
  row('reel', {
    name: 'kite-reel',
    description: 'Winds the line of a kite.',
    author: 'finch',
    stars: 7,
    categories: ['crafts', 'testing'],
  }),
  row('copy', { name: 'kite-reel', description: 'Winds the line of a kite.', author: 'crow', stars: 3 }),
  row('bread', { name: 'sourdough', description: 'Bakes bread.', license: 'MIT', updatedAt: 1_600_000_000 }),
];

/** The bread, as it lies in the folders of two agents, and only users may call it. */
const INSTALLED = [
  ...SKILLS.slice(0, -1),
  {
    ...SKILLS.at(-1)!,
    installations: [
      { agent: 'codex', scope: 'user' },
      { agent: 'cursor', scope: 'project' },
    ],
    frontMatter: { 'disable-model-invocation': 'true' },
  },
];

/** The names of the skills of a page, in its order. */
function namesOf({ text }: Reply): string[] {
  return [...text.matchAll(/<h3[^>]*><a href="[^"]*">(.*?)<\/a>/g)].map(([, name]) =>
    (name as string).replace(/<\/?mark>/g, ''),
  );
}

/** The ids of the skills of a page, in its order. */
function idsOf({ text }: Reply): string[] {
  return [...text.matchAll(/<h3[^>]*><a href="\/skills\/([^"?]*)[^"]*"/g)].map(([, id]) => id as string);
}

/** The text of a page in one line. */
function shownText(reply: Reply): string {
  return textOf(reply).replace(/\s+/g, ' ');
}

test('the search page reads the last word as unfinished, and says how it read misspelt ones', async () => {
  const { ask } = await serve(SKILLS, { pages: true });
  for (const mode of ['', '&mode=words']) {
    expect(namesOf(await ask(`/?q=sourd${mode}`))[0]).toBe('sourdough');
    const reply = await ask(`/?q=bread+sourdougx${mode}`);
    expect(shownText(reply)).toContain('Showing results for bread sourdough . Search for bread sourdougx instead.');
    const asIs = linksOf(reply).find((link) => link.includes('corrections'))!;
    expect(asIs).toBe(`/?q=bread%20sourdougx${mode}&corrections=false`);
    expect(shownText(await ask(asIs))).not.toContain('Showing results');
  }
});

test('the search page before a question welcomes with a form, categories and the newest skills', async () => {
  const { ask } = await serve(SKILLS, { pages: true });
  const reply = await ask('/');
  expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(shownText(reply)).toContain('4 skills, the newest of 14 Nov 2023');
  expect(linksOf(reply)).toContain('/?category=crafts');
  expect(namesOf(reply)).toEqual(expect.arrayContaining(['kite-builder', 'sourdough']));
  expect(reply.text).toContain('<form id="search" class="search" role="search" action="/" method="get"');
  expectHarmless(reply);
});

test('categories are written as people write them, by size, and those of fewer than five skills folded up', async () => {
  const slugs = ['erp-apis', 'ai-ml', 'ci-cd-pipelines', 'cicd', 'ios-kites', 'kite-making', 'web-3d', 'html-css'];
  const skills = slugs.flatMap((slug, i) =>
    Array.from({ length: 8 - i }, (_, n) => row(`${i}-${n}`, { description: `kite ${slug} ${n}`, categories: [slug] })),
  );
  const { ask } = await serve(skills, { pages: true });
  const large = 'ERP APIs 8 AI/ML 7 CI/CD pipelines 6 CI/CD 5';
  const small = 'iOS kites 4 Kite making 3 Web 3D 2 HTML CSS 1';
  expect(shownText(await ask('/'))).toContain(`Categories ${large} 4 more categories ${small}`);
  expect(shownText(await ask('/?q=kite&mode=words'))).toContain(`Categories ${large} More ${small}`);
  expect(shownText(await ask('/?category=html-css'))).toContain('Categories HTML CSS (chosen; take away) 1 ERP APIs 8');
});

describe('the answer to a question', () => {
  test('shows skills with author, stars, date, marked words, copies folded, and a link to each', async () => {
    const { ask } = await serve(SKILLS, { pages: true });
    const reply = await ask('/?q=kite&mode=words');
    expect(namesOf(reply)).toEqual(['kite-builder', 'kite-reel']);
    expect(reply.text).toContain('<mark>kite</mark>');
    expect(plainLinksOf(reply)).toEqual(expect.arrayContaining(['/skills/kite', '/skills/reel', '/?author=wren']));
    const text = shownText(reply);
    expect(text).toContain('2 skills');
    expect(text).toContain('1 more copy');
    expect(text).toMatch(/★ 12,345 stars 14 Nov 2023/);
    expect(text).toMatch(/Why this score \d+ %/);
    expectHarmless(reply);
  });

  test('says for which English words of a question in another language was searched, too', async () => {
    const { ask } = await serve([...SKILLS, row('t', { description: 'Translates.' })], { pages: true });
    for (const mode of ['words', 'both']) {
      const reply = await ask(`/?q=${encodeURIComponent('翻译')}&mode=${mode}`);
      expect(shownText(reply)).toMatch(/Also searched for translat\w+ \( ?翻译 ?\)/);
      expectHarmless(reply);
    }
    expect(shownText(await ask('/?q=translates&mode=words'))).not.toContain('Also searched');
  });

  test.each(['both', 'meaning'])('by %s says how well a skill fits, why, and where confidence ends', async (mode) => {
    const search = await searchOver(Array.from({ length: 30 }, (_, i) => row(`k${i}`, { name: `kite-${i}` })));
    const semantic: typeof search.semantic = async (...asked) => {
      const { hits, ...rest } = await search.semantic(...asked);
      for (const [i, { explain }] of hits.entries())
        Object.assign(explain!, { probability: [0.4, 0.3, 0.6][i] ?? 0.2, name: i === 3 ? 'exact' : 'other' });
      return { ...rest, hits, worth: 1 };
    };
    const { ask } = await serve(replacing(search, { semantic }), { pages: true });
    const strengths = ({ text }: Reply) => text.match(/Less likely|(?<=<summary>)(?:Exact|Good|Weak)/g)?.slice(0, 6);
    const first = await ask(`/?q=kite&mode=${mode}&sortBy=relevance`);
    expect(strengths(first)).toEqual(['Good', 'Good', 'Good', 'Exact', 'Less likely', 'Weak']);
    expect(first.text).toContain('<ol class="hits" start="5">');
    const why = mode === 'both' ? 'and words, .* Why this score' : 'less likely .* Why this likelihood 40 % meaning';
    expect(shownText(first)).toMatch(new RegExp(`4 good hits by meaning,? .*${why}`));
    expect(first.text).toMatch(/<svg><path d="M0 3h\d+"/);
    expectHarmless(first);
    expect(strengths(await ask(`/?q=kite&mode=${mode}&page=2`))?.slice(0, 2)).toEqual(['Less likely', 'Weak']);
    expect((await ask(`/?q=kite&mode=${mode}&sortBy=stars`)).text).not.toContain('Less likely');
  });

  test('tells skills of one name apart: by place, language, and an owner with a name of the question', async () => {
    const twin = (author: string, codehostUrl: string, description: string) =>
      row(author, { name: 'docker-patterns', author, codehostUrl, description, updatedAt: 0 });
    const skills = [
      twin('docker', 'https://github.com/docker/skills/tree/HEAD/patterns', 'Patterns for files of compose.'),
      twin(
        'wren',
        'https://github.com/Wren/agents/blob/main/docs/zh/SKILL.md',
        '创建和管理多容器应用的配置，包含网络配置。',
      ),
      twin('heron', 'https://code.example/docker/agents.git', 'Files that compose reads, one by one.'),
    ];
    const { ask } = await serve(skills, { pages: true });
    const text = shownText(await ask('/?q=docker-patterns'));
    expect(text).toContain('docker /skills · patterns owner named docker , as in the question');
    expect(text).toContain('wren /agents · docs/zh Chinese');
    expect(text).toContain('heron code.example/docker/agents');
    expect(text.match(/owner named/g)).toHaveLength(1);
    expect(shownText(await ask(`/?q=${encodeURIComponent('容器配置 patterns')}`))).not.toContain('Chinese');
  });

  test.each(['words', 'both', 'meaning'])('by %s offers times and stars as filters, with counts', async (mode) => {
    const kites = [9, 10, 100, 2000].map((stars, i) => {
      const updatedAt = Math.floor(Date.now() / 1000) - [10, 200, 400, 10][i]! * 86_400;
      return row(`k${i}`, { name: `kite ${i}`, description: `Number ${i}.`, stars, updatedAt, license: 'MIT' });
    });
    const { ask } = await serve(kites, { pages: true });
    const reply = await ask(`/?q=kite&mode=${mode}`);
    const says = mode === 'words' ? 'what a click finds' : 'how many of the best 4 have it';
    const stars = '10 or more 3 100 or more 2 1,000 or more 1 Licenses MIT 4';
    expect(shownText(reply)).toContain(`Numbers: ${says} Updated Past month 2 Past year 3 Stars ${stars}`);
    const narrowed = await ask(linksOf(reply).find((link) => link.endsWith('minStars=100'))!);
    expect(idsOf(narrowed).sort()).toEqual(['k2', 'k3']);
    expect(shownText(narrowed)).toContain('month 1 Past year 1 Stars 10 or more 3 100 or more (chosen; take away) 2');
    const recent = await ask(linksOf(reply).find((link) => link.includes('updatedAfter'))!);
    expect([idsOf(recent).sort(), shownText(recent)]).toEqual([
      ['k0', 'k3'],
      expect.stringContaining('Updated: Past month'),
    ]);
  });

  test('is narrowed by each filter, and says so with a link that takes it away', async () => {
    const { ask } = await serve(SKILLS, { pages: true });
    for (const [filter, names] of [
      ['category=testing', ['kite-reel']],
      ['author=wren', ['kite-builder']],
      ['minStars=100', ['kite-builder']],
      ['occupation=toy-makers', ['kite-builder']],
    ] as const) {
      const reply = await ask(`/?q=kite&mode=words&${filter}`);
      expect(namesOf(reply), filter).toEqual(names);
      expect(linksOf(reply), filter).toContain('/?q=kite&mode=words');
    }
    expect(namesOf(await ask('/?license=mit'))).toEqual(['sourdough']);
    expect(namesOf(await ask('/?updatedBefore=2021-01-01'))).toEqual(['sourdough']);
  });

  test('is narrowed by agent, scope and caller, with counts where skills are installed', async () => {
    const { ask } = await serve(INSTALLED, { pages: true });
    expect(namesOf(await ask('/?agent=codex&scope=user'))).toEqual(['sourdough']);
    expect(namesOf(await ask('/?agent=cursor&scope=user'))).toEqual([]);
    expect(namesOf(await ask('/?invocable=false'))).toEqual(['sourdough']);
    expect(namesOf(await ask('/?invocable=true&category=crafts'))).toHaveLength(2);
    const reply = await ask('/?q=bread&mode=words&invocable=false');
    expect(shownText(reply)).toMatch(/Agents codex 1 cursor 1 Installed for A project 1 A user 1/);
    expect(shownText(reply)).toContain('Called by: users only');
    expect(linksOf(reply)).toEqual(
      expect.arrayContaining([
        '/?q=bread&mode=words&agent=codex&invocable=false',
        '/?q=bread&mode=words&scope=user&invocable=false',
        '/?q=bread&mode=words',
      ]),
    );
  });

  test('has the three orders', async () => {
    const skills = [
      row('a', { name: 'kite', description: 'Flies high.', stars: 1, updatedAt: 3 }),
      row('b', { name: 'kite', description: 'Flies low.', stars: 9, updatedAt: 2 }),
      row('c', { name: 'kite', description: 'Flies far.', stars: 5, updatedAt: 9 }),
    ];
    const { ask } = await serve(skills, { pages: true });
    for (const mode of ['words', 'both', 'meaning']) {
      expect(idsOf(await ask(`/?q=kite&sortBy=stars&mode=${mode}`)), mode).toEqual(['b', 'c', 'a']);
      expect(idsOf(await ask(`/?q=kite&sortBy=recent&mode=${mode}`)), mode).toEqual(['c', 'a', 'b']);
      expect(idsOf(await ask(`/?q=kite+low&mode=${mode}`))[0], mode).toBe('b');
    }
  });

  test('lists one skill of each repository by its stars, and all where a filter is set', async () => {
    const of = (id: string, stars: number, repository: string) =>
      row(id, { stars, categories: ['x'], codehostUrl: `https://github.com/${repository}/tree/HEAD/${id}` });
    const skills = [
      of('a', 9, 'wren/kites'),
      of('b', 9, 'Wren/Kites'),
      of('c', 8, 'wren/reels'),
      row('d', { stars: 7 }),
    ];
    const { ask } = await serve(skills, { pages: true });
    const reply = await ask('/?sortBy=stars');
    expect(idsOf(reply)).toEqual(['a', 'c', 'd']);
    expect(textOf(reply)).toContain('One skill each of the 3 repositories with the most stars');
    expect(idsOf(await ask('/?sortBy=stars&category=x'))).toEqual(['a', 'b', 'c']);
  });

  test('has pages with links to all of them, and says that a page behind the last is empty', async () => {
    const skills = Array.from({ length: PAGE_SIZE * 2 + 1 }, (_, i) =>
      row(`k${i}`, { name: `kite ${i}`, description: `Number ${i}.` }),
    );
    const { ask } = await serve(skills, { pages: true });
    const names: string[] = [];
    for (let page = 1; page <= 3; page++) {
      const reply = await ask(`/?q=kite&mode=words&page=${page}`);
      names.push(...namesOf(reply));
      expect(textOf(reply)).toContain(`Page ${page} of 3`);
      if (page < 3) expect(linksOf(reply)).toContain(`/?q=kite&mode=words&page=${page + 1}`);
    }
    expect(new Set(names).size).toBe(skills.length);
    const beyond = await ask('/?q=kite&mode=words&page=4');
    expect([beyond.status, namesOf(beyond)]).toEqual([200, []]);
    expect(textOf(beyond)).toMatch(/This page is empty(?!.*Page 4)/s);
  });

  test('counts what was found by category, occupation, author and license, with a link for each', async () => {
    const { ask } = await serve(SKILLS, { pages: true });
    const reply = await ask('/?q=kite&mode=words');
    expect(linksOf(reply)).toEqual(
      expect.arrayContaining([
        '/?q=kite&mode=words&category=crafts',
        '/?q=kite&mode=words&occupation=toy-makers-519199',
      ]),
    );
    expect(shownText(reply)).toMatch(/Categories Crafts 2 Testing 1/);
    // With a filter the others of its kind stay, so that people can switch.
    const narrowed = await ask('/?q=kite&mode=words&category=testing');
    expect(linksOf(narrowed)).toContain('/?q=kite&mode=words&category=crafts');
    expect(shownText(narrowed)).toMatch(/Categories Testing \(chosen; take away\) 1 Crafts 2/);
  });

  test('that fits nothing says so, and what else to try', async () => {
    const { ask } = await serve(SKILLS, { pages: true });
    const reply = await ask('/?q=zeppelin&mode=words&category=crafts');
    expect([reply.status, namesOf(reply)]).toEqual([200, []]);
    expect(textOf(reply)).toContain('No results for “⁨zeppelin⁩”');
    expect(shownText(await ask('/?author=nobody'))).toContain('No results');
    expect(linksOf(reply)).toEqual(expect.arrayContaining(['/?q=zeppelin&mode=words', '/?q=zeppelin&category=crafts']));
  });

  test.each([
    ['q=!!!', 'Invalid search q must contain a letter or a digit'],
    ['minStars=many', 'Invalid filter minStars must be an integer of at least 0, got "many"'],
    ['q=kite&mode=thought', 'mode must be one of both, words, meaning, got "thought"'],
    ['q=kite&page=0', 'page must be an integer of at least 1, got "0"'],
    ['q=kite&q=line', 'q must be given once'],
  ])('?%s is 400 with the form and what was wrong', async (query, message) => {
    const { ask } = await serve(SKILLS, { pages: true });
    const reply = await ask(`/?${query}`);
    expect(reply.status).toBe(400);
    expect(shownText(reply)).toContain(message);
    expect(reply.text).toContain('<form id="search"');
    expectHarmless(reply);
  });

  test('is by words where the catalogue cannot be searched by meaning, and says so', async () => {
    const { ask } = await serve(await opened({ database: await catalogueOf(SKILLS) }), { pages: true });
    for (const mode of ['both', 'meaning']) {
      const reply = await ask(`/?q=kite&mode=${mode}`);
      expect([reply.status, namesOf(reply).length], mode).toEqual([200, 2]);
      expect(textOf(reply)).toContain('cannot be searched by meaning');
    }
    expect(textOf(await ask('/?q=kite&mode=words'))).not.toContain('cannot be searched by meaning');
  });

  test('is by words where too many ask by meaning, and says so', async () => {
    const busy = new SkillSearchError('BUSY', 'busy', { retryAfter: 1 });
    const search = replacing(await searchOver(SKILLS), { semantic: async () => Promise.reject(busy) });
    const { ask } = await serve(search, { pages: true });
    const reply = await ask('/?q=kite');
    expect([reply.status, namesOf(reply).length]).toEqual([200, 2]);
    expect(textOf(reply)).toContain('Too many people ask by meaning just now');
  });

  test('fails as the search fails, and is never taken for an empty one', async () => {
    for (const [error, status] of [
      [new SkillSearchError('DATABASE_DAMAGED', 'x'), 503],
      [new Error('unforeseen'), 500],
    ] as const) {
      const { ask } = await serve(failingSearch(error), { pages: true });
      for (const path of ['/?q=kite', '/?q=kite&mode=words', '/page/search?q=kite', '/?sortBy=recent']) {
        expect((await ask(path)).status, path).toBe(status);
      }
    }
  });
});

test('text of a catalogue and of a question is shown as it is, and never runs', async () => {
  for (const hostile of HOSTILE) {
    const skill = {
      ...KITE,
      id: `x${hostile}`,
      name: `kite ${hostile}`,
      author: hostile,
      license: hostile,
      description: `kite ${hostile}`,
      categories: [hostile],
      files: [{ filename: `${hostile.replaceAll('/', '')}.md`, text: `kite ${hostile}` }],
    };
    const { ask } = await serve([skill], { pages: true });
    for (const path of [
      '/',
      `/?q=kite ${encodeURIComponent(hostile)}`,
      '/?q=kite&mode=words',
      '/?sortBy=recent',
      `/?q=kite&author=${encodeURIComponent(hostile)}`,
      `/?minStars=${encodeURIComponent(hostile)}`,
    ]) {
      const reply = await ask(path);
      expectHarmless(reply);
      if (reply.status === 200)
        expect(textOf(reply).replaceAll('\n', '').replaceAll(' ', ''), path).toContain(hostile.replaceAll(' ', ''));
    }
    const { answer, facets } = (await ask('/page/search?q=kite')).body as { answer: string; facets: string };
    expect(answer + facets).not.toContain(hostile);
  }
});

const PATH = '/page/search?q=kite';

interface Body {
  readonly title: string;
  readonly summary: string;
  readonly answer: string;
  readonly facets: string;
  readonly suggestions: readonly string[];
}

describe('what the page asks as somebody types', () => {
  test('answers with the very parts of the page that stand there without a script', async () => {
    const { ask } = await serve(SKILLS, { pages: true });
    for (const query of [
      '?q=kite',
      '?q=kite&mode=words',
      '?q=kite&category=crafts&sortBy=stars',
      '?q=zeppelin&mode=words',
      '',
    ]) {
      const [page, part] = [await ask(`/${query}`), (await ask(`/page/search${query}`)).body as Body];
      expect(page.text, query).toContain(part.answer);
      expect(page.text, query).toContain(part.facets);
      expect(page.text).toContain(`<title>${part.title === '' ? '' : `${part.title} · `}Skill Discovery</title>`);
    }
  });

  test('answers without what fails beside it, and the log says what that was', async () => {
    const search = await searchOver(SKILLS);
    const error = new SkillSearchError('MODEL_NOT_READABLE', '/secret/model cannot be read');
    const fail = (): never => {
      throw error;
    };
    const { ask, events } = await serve(replacing(search, { semantic: fail, suggest: fail }), { pages: true });
    const reply = await ask(PATH);
    expect(reply.status).toBe(200);
    expect(reply.text).toContain('/skills/kite');
    expect(reply.text).not.toContain('secret');
    expect((reply.body as Body).suggestions).toEqual([]);
    const failure = { kind: 'failure', requestId: reply.headers.get('X-Request-Id'), error };
    expect(events.filter(({ kind }) => kind === 'failure')).toEqual([failure, failure]);
  });
});

describe('only our own pages', () => {
  const SAME = { 'Sec-Fetch-Site': 'same-origin' };

  test.each([
    [{}, 200],
    [SAME, 200],
    [{ ...SAME, Origin: ORIGIN, Referer: `${ORIGIN}/?q=a` }, 200],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ 'Sec-Fetch-Site': 'same-site' }, 403],
    [{ Origin: 'https://page.example' }, 403],
    [{ Origin: 'null' }, 403],
    [{ Referer: 'https://page.example/' }, 403],
    [{ Origin: `${ORIGIN}.page.example` }, 403],
  ])('%j is answered %i', async (headers: Record<string, string>, status) => {
    const { ask, events } = await serve(SKILLS, { pages: true });
    const reply = await ask(PATH, { headers });
    expect(reply.status).toBe(status);
    if (status === 403) {
      expect(reply.code).toBe('ORIGIN_NOT_ALLOWED');
      expect(events.at(-1)).toMatchObject({ code: 'ORIGIN_NOT_ALLOWED', status: 403 });
    }
  });

  test('no header lets others read an answer, a fault or a preflight', async () => {
    const { ask } = await serve(SKILLS, { pages: true });
    for (const [path, method] of [
      [PATH, 'GET'],
      ['/page/search?q=!', 'GET'],
      [PATH, 'OPTIONS'],
      [PATH, 'POST'],
    ] as const) {
      const reply = await ask(path, { method, headers: { Origin: ORIGIN } });
      expect(reply.headers.has('Access-Control-Allow-Origin'), `${method} ${path}`).toBe(false);
    }
  });
});

describe('the limit of the minute', () => {
  test('is 120 for each address, told in headers, then 429 with Retry-After', async () => {
    const { ask } = await serve(SKILLS, { pages: true });
    for (let i = 1; i <= 120; i++) {
      const { status, headers } = await ask('/page/search?q=kite&mode=words');
      const told = ['Limit', 'Remaining'].map((name) => headers.get(`X-RateLimit-Minute-${name}`));
      expect([status, ...told]).toEqual([200, '120', `${120 - i}`]);
    }
    const reply = await ask(PATH);
    expect([reply.status, reply.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(reply.headers.get('Retry-After')).toMatch(/^(60|[1-5]\d)$/);
    expect((await ask(PATH, { address: '192.0.2.1' })).status).toBe(200);
  });

  test('counts questions of the page without its script, too: imitating it gains nothing', async () => {
    const { ask } = await serve(SKILLS, { pages: true, pageSearchesPerMinute: 2 });
    const paths = ['/?q=kite', PATH, '/?q=kite'];
    for (const [i, path] of paths.entries()) expect((await ask(path)).status).toBe(i < 2 ? 200 : 429);
    // Pages without a question have a limit of their own.
    for (const path of ['/', '/?sortBy=recent', '/skills/kite']) expect((await ask(path)).status).toBe(200);
  });
});
