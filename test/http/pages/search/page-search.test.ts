import { describe, expect, test } from 'vitest';
import { createHandler } from '../../../../src/http/index.js';
import { type SkillSearch, SkillSearchError } from '../../../../src/index.js';
import { codeOf } from '../../../error-code.js';
import { row } from '../../../rows.js';
import { keyword, ORIGIN, quotaOf, searchOver, semantic, serve } from '../../ask.js';
import { KITE } from '../kite.js';
import { replacing } from '../replacing.js';

const SKILLS = [KITE, row('reel', { name: 'kite-reel', description: 'Winds the line.' })];
const PATH = '/page/search?q=kite';

interface Body {
  readonly title: string;
  readonly summary: string;
  readonly answer: string;
  readonly facets: string;
  readonly suggestions: readonly string[];
  readonly unfinished: boolean;
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
    const semantic = async () => {
      throw error;
    };
    const suggest = () => {
      throw error;
    };
    const { ask, events } = await serve(replacing(search, { semantic, suggest }), { pages: true });
    const reply = await ask(PATH);
    expect([reply.status, reply.text.includes('/skills/kite'), reply.text.includes('secret')]).toEqual([
      200,
      true,
      false,
    ]);
    expect((reply.body as Body).suggestions).toEqual([]);
    const requestId = reply.headers.get('X-Request-Id');
    const failures = events.filter(({ kind }) => kind === 'failure');
    expect(failures).toEqual([
      { kind: 'failure', requestId, error },
      { kind: 'failure', requestId, error },
    ]);
  });

  test('asks anew for the counts of each filter, and others have their turn in between', async () => {
    const search = await searchOver(SKILLS);
    let turn = 0;
    let next: NodeJS.Immediate | undefined;
    const count = (): void => {
      turn += 1;
      next = setImmediate(count);
    };
    const turns: number[] = [];
    const suggest: SkillSearch['suggest'] = (...asked) => {
      turns.push(turn);
      return search.suggest(...asked);
    };
    const searched: SkillSearch['keyword'] = (query) => {
      turns.push(turn);
      return search.keyword(query);
    };
    const { ask } = await serve(replacing(search, { suggest, keyword: searched }), { pages: true });
    count();
    await ask(`${PATH}&quick=1&category=crafts&author=finch&license=MIT`);
    clearImmediate(next);
    expect(turns).toHaveLength(5);
    expect(new Set(turns).size).toBe(5);
  });

  test('is JSON of an answer, that nobody keeps', async () => {
    const { ask } = await serve(SKILLS, { pages: true });
    const reply = await ask(PATH);
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(reply.headers.get('Cache-Control')).toBe('no-store');
    expect(reply.headers.has('ETag')).toBe(false);
    expect(reply.body).toMatchObject({ title: 'kite', unfinished: false });
  });

  test('answers by words at once, and says that meaning may follow', async () => {
    const { ask } = await serve(SKILLS, { pages: true });
    for (const [query, unfinished] of [
      ['q=kite&quick=1', true],
      ['q=kite', false],
      ['q=kite&mode=words&quick=1', false],
      ['q=kite&mode=meaning&quick=1', true],
      ['category=crafts&quick=1', false],
    ] as const) {
      expect((await ask(`/page/search?${query}`)).body, query).toMatchObject({ unfinished });
    }
    // Links of the quick answer lead to the question as it was asked.
    expect(((await ask('/page/search?q=kite&quick=1')).body as Body).facets).toContain(
      'href="/?q=kite&amp;category=crafts"',
    );
  });

  test('suggests how a question may go on', async () => {
    const suggest: SkillSearch['suggest'] = (text) => [{ text: `${text}e-builder`, kind: 'name', count: 1 }];
    const search = await searchOver(SKILLS);
    const { ask } = await serve(replacing(search, { suggest }), { pages: true });
    for (const quick of ['&quick=1', '']) {
      expect(((await ask(`/page/search?q=kit${quick}`)).body as Body).suggestions).toEqual(['kite-builder']);
    }
    expect(((await ask('/page/search?category=crafts')).body as Body).suggestions).toEqual([]);
    const fail = (): never => {
      throw new Error('cannot');
    };
    const without = await serve(replacing(search, { suggest: fail }), { pages: true });
    expect((await without.ask('/page/search?q=kit')).body).toMatchObject({ suggestions: [], title: 'kit' });
  });

  test('names a fault by the body that all operations have', async () => {
    const { ask } = await serve(SKILLS, { pages: true });
    const codes = [];
    for (const query of ['q=!', 'q=kite&page=0', 'q=kite&q=b', 'minStars=x'])
      codes.push((await ask(`/page/search?${query}`)).code);
    expect(codes).toEqual(['INVALID_QUERY', 'INVALID_PARAMETER', 'INVALID_PARAMETER', 'INVALID_PARAMETER']);
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
    [{ 'Sec-Fetch-Site': 'none' }, 403],
    [{ Origin: 'https://page.example' }, 403],
    [{ Origin: 'null' }, 403],
    [{ Referer: 'https://page.example/' }, 403],
    [{ ...SAME, Origin: 'https://page.example' }, 403],
    [{ Origin: `${ORIGIN}.page.example` }, 403],
    [{ Origin: `${ORIGIN}, https://page.example` }, 403],
  ])('%j is answered %i', async (headers: Record<string, string>, status) => {
    const { ask, events } = await serve(SKILLS, { pages: true });
    const reply = await ask(PATH, { headers });
    expect(reply.status).toBe(status);
    if (status === 403) {
      expect(reply.code).toBe('ORIGIN_NOT_ALLOWED');
      expect(events.at(-1)).toMatchObject({ code: 'ORIGIN_NOT_ALLOWED', status: 403 });
    }
  });

  test('a page by the public address is our own', async () => {
    const { ask } = await serve(SKILLS, { pages: true, publicUrl: 'https://skills.example/base' });
    expect((await ask(PATH, { headers: { Origin: 'https://skills.example' } })).status).toBe(200);
    expect((await ask(PATH, { headers: { Origin: 'https://other.example' } })).status).toBe(403);
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

  test('what others ask does not use up the limit', async () => {
    const { ask } = await serve(SKILLS, { pages: true, pageSearchesPerMinute: 1 });
    for (let i = 0; i < 3; i++)
      expect((await ask(PATH, { headers: { 'Sec-Fetch-Site': 'cross-site' } })).status).toBe(403);
    expect((await ask(PATH)).status).toBe(200);
  });
});

describe('the limit of the minute', () => {
  test('is 120 for each address, told in headers, then 429 with Retry-After', async () => {
    const { ask } = await serve(SKILLS, { pages: true });
    for (let i = 1; i <= 120; i++) {
      const { status, headers } = await ask('/page/search?q=kite&mode=words');
      expect([status, headers.get('X-RateLimit-Minute-Limit'), headers.get('X-RateLimit-Minute-Remaining')]).toEqual([
        200,
        '120',
        String(120 - i),
      ]);
      expect(Number(headers.get('X-RateLimit-Minute-Reset'))).toBeLessThanOrEqual(60);
    }
    const reply = await ask(PATH);
    expect([reply.status, reply.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(reply.headers.get('Retry-After')).toMatch(/^(60|[1-5]\d)$/);
    expect((await ask(PATH, { address: '192.0.2.1' })).status).toBe(200);
  });

  test('counts questions of the page without its script, too: imitating it gains nothing', async () => {
    const { ask } = await serve(SKILLS, { pages: true, pageSearchesPerMinute: 2 });
    expect([(await ask('/?q=kite')).status, (await ask(PATH)).status, (await ask('/?q=kite')).status]).toEqual([
      200, 200, 429,
    ]);
    // Pages without a question have a limit of their own.
    for (const path of ['/', '/?sortBy=recent', '/skills/kite']) expect((await ask(path)).status).toBe(200);
  });

  test('is an option, and none without access', async () => {
    const search = await searchOver(SKILLS);
    for (const options of [{ pageSearchesPerMinute: 0 }, { access: false } as const]) {
      const handle = createHandler(search, { pages: true, ...options });
      for (let i = 0; i < 130; i++) {
        const { status, headers } = await handle(new Request(`${ORIGIN}/page/search?q=kite&mode=words`));
        expect([status, headers.has('X-RateLimit-Minute-Limit')]).toEqual([200, false]);
      }
    }
    for (const pageSearchesPerMinute of [-1, 1.5, Number.NaN, '5' as never, 2 ** 31]) {
      expect(await codeOf(() => createHandler(search, { pageSearchesPerMinute }))).toBe('INVALID_OPTION');
    }
  });

  test('leaves the quotas of searches as they are, and needs no key', async () => {
    const { ask } = await serve(SKILLS, { pages: true, quotas: { anonymous: { daily: 1, perMinute: 1 } } });
    for (const key of [undefined, 'wrong']) {
      const reply = await ask(PATH, { key });
      expect([reply.status, quotaOf(reply)]).toEqual([200, [null, null]]);
    }
    expect((await ask(semantic('kite'))).code).toBe('MISSING_API_KEY');
    expect(quotaOf(await ask(keyword({ q: 'kite' })))).toEqual(['1', '0']);
  });
});

test('without pages there is no such route', async () => {
  const { ask } = await serve(SKILLS);
  for (const path of [PATH, '/?sortBy=recent', '/assets/page.css', '/robots.txt']) {
    expect((await ask(path)).code).toBe('ENDPOINT_NOT_FOUND');
  }
});
