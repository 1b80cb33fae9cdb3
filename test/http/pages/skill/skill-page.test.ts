import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MAX_PAGE_FILES } from '../../../../src/http/pages/skill-page.js';
import { MAX_PAGE_TEXT, MAX_PAGE_VALUE } from '../../../../src/http/pages/text-parts.js';
import { buildCatalogue, type SkillSearch, SkillSearchError } from '../../../../src/index.js';
import { CategoryEmbedder } from '../../../load/category-embedder.js';
import { type Row, row } from '../../../rows.js';
import { scratchFile } from '../../../scratch-folder.js';
import { keyword, ORIGIN, opened, quotaOf, type Reply, searchOver, semantic, serve } from '../../ask.js';
import { HOSTILE, KITE } from '../kite.js';
import { expectHarmless, linksOf, textOf } from '../page-text.js';

describe('the page of a skill', () => {
  test('names the agents that have it, without paths, and says whether only users may call it', async () => {
    const installations = [
      { agent: 'codex', scope: 'user', path: '/home/wren/secret' },
      { agent: 'codex', scope: 'project' },
      { agent: 'cursor', scope: 'user' },
    ];
    const { ask } = await serve([{ ...KITE, installations, metadata: { internal: 'true' } }], { pages: true });
    const reply = await ask('/skills/kite');
    expect(linksOf(reply)).toEqual(expect.arrayContaining(['/?agent=codex', '/?agent=cursor']));
    expect(textOf(reply)).toMatch(/Called by\s+users only/);
    expect(reply.text).not.toContain('secret');
    expect(textOf(await (await serve([KITE], { pages: true })).ask('/skills/kite'))).not.toMatch(/Agents|Called by/);
  });

  test('shows what the catalogue tells of it', async () => {
    const { ask } = await serve([{ ...KITE, license: 'MIT', tags: ['wind'] }], { pages: true });
    const reply = await ask('/skills/kite');
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    expectHarmless(reply);
    const shown = textOf(reply);
    for (const one of [
      'kite-builder',
      'wren',
      'Builds kites of paper.',
      'code.example/wren/kites',
      'market.example/kite',
      '12,345 stars',
      '14 Nov 2023',
      'Crafts',
      'Toy makers',
      'MIT',
      'wind',
      'SKILL.md',
      'references/knots.md',
      '29 B',
      'Fold the spar first.',
    ]) {
      expect(shown).toContain(one);
    }
    expect(linksOf(reply)).toEqual([
      '/?author=wren',
      '/skills/kite/files/SKILL.md',
      '/?license=MIT',
      'https://code.example/wren/kites',
      'https://market.example/kite',
      '/?category=crafts',
      '/?occupation=toy-makers-519199',
      '/?q=wind',
      '/skills/kite/files/SKILL.md',
      '/skills/kite/files/references/knots.md',
    ]);
  });

  test('leads within the path of the public URL', async () => {
    const { ask } = await serve([KITE], { pages: true, publicUrl: 'https://skills.example/base/' });
    for (const link of linksOf(await ask('/skills/kite?q=a')))
      expect(link).toMatch(/^(?:\/base\/|https:\/\/(?:code|market))/);
  });

  test('needs no key, minds no wrong one, and uses no quota', async () => {
    const { ask } = await serve([KITE], { pages: true, quotas: { anonymous: { daily: 1, perMinute: 1 } } });
    for (const path of ['/', '/openapi.json', '/skills/kite']) {
      for (const key of [undefined, 'wrong']) {
        const reply = await ask(path, { key });
        expect([reply.status, quotaOf(reply)]).toEqual([200, [null, null]]);
      }
    }
    expect(quotaOf(await ask(keyword({ q: 'kite' })))).toEqual(['1', '0']);
  });

  test.each([
    '/skills/',
    '/skills',
    '/skills/nobody',
    '/skills/KITE',
    '/skills/kite/',
    '/skills/kite/SKILL.md',
    '/skills/kite/files/lost.md',
    '/skills/kite/files/references',
    '/skills/kite/files/references/',
    '/skills/kite/files/references%2Fknots.md',
    '/skills/kite/files/references//knots.md',
    '/skills/kite/files/SKILL.md%00',
    '/skills/kite/files/%ff',
    '/skills/kite%2Ffiles/SKILL.md',
    '/skills/nobody/files/SKILL.md',
    '/skills/nobody/files',
    '/skills/kite/files/',
    '/skills/%',
    '/skills/%ff',
    '/skills/kite%00',
  ])('%s is none', async (path) => {
    const { ask } = await serve([KITE], { pages: true });
    expect((await ask(path)).code).toBe('ENDPOINT_NOT_FOUND');
  });

  test('is there while it is in the catalogue, and 503 when that cannot answer', async () => {
    const search = await searchOver([KITE]);
    const { ask } = await serve(search, { pages: true });
    await search.close();
    for (const path of ['/', '/skills/kite']) expect((await ask(path)).code).toBe('SERVICE_UNAVAILABLE');
    expect((await ask('/openapi.json')).status).toBe(200);
  });

  test('can load and run nothing but what the service itself serves', async () => {
    const { ask } = await serve([KITE], { pages: true });
    for (const path of ['/', '/skills/kite']) {
      const { headers } = await ask(path);
      const policy = headers.get('Content-Security-Policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    }
  });

  test('is made of known tags only, whatever stands in names and texts, and shows these as they are', async () => {
    for (const hostile of HOSTILE) {
      const skill = {
        id: `x${hostile}`,
        name: hostile,
        author: hostile,
        description: hostile,
        license: hostile,
        categories: [hostile],
        occupations: [hostile],
        codehostUrl: `https://code.example/${hostile}`,
        skillUrl: `https://market.example/?${hostile}`,
        files: [
          { filename: 'SKILL.md', text: hostile },
          { filename: `${hostile.replaceAll('/', '')}.md`, text: hostile },
        ],
      };
      const { ask } = await serve([skill], { pages: true });
      const reply = await ask(`/skills/${encodeURIComponent(skill.id)}`);
      expect(reply.status).toBe(200);
      expectHarmless(reply);
      // Title, heading, author, description, license, file and file name, id.
      expect(
        textOf(reply).split(hostile.replaceAll('&lt;', '<').replaceAll('&#60;', '<')).length +
          textOf(reply).split(hostile).length -
          2,
        hostile,
      ).toBeGreaterThanOrEqual(7);
    }
  });

  test('links only to addresses of the web', async () => {
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,<b>',
      'file:///etc/hosts',
      'ftp://a.example/x',
      '//a.example',
      '/x',
    ]) {
      const { ask } = await serve([row('kite', { codehostUrl: url, skillUrl: url })], { pages: true });
      expect(linksOf(await ask('/skills/kite'))).toEqual([
        '/skills/kite/files/SKILL.md',
        '/skills/kite/files/SKILL.md',
      ]);
    }
  });

  test.each([
    'a/b',
    'a b',
    'ü',
    '风筝',
    '%',
    '%2F',
    '100%25',
    'a?b',
    'a#b',
    'a&b=c',
    '+',
    '"',
    '<b>',
    '../x',
    '🪁',
    'x'.repeat(250),
  ])('of a skill %j without address is where its answers say', async (id) => {
    const { ask, key } = await serve([row(id, { name: 'name' })], { pages: true, publicUrl: ORIGIN });
    for (const reply of [await ask(keyword({ q: 'name' })), await ask(semantic('name'), { key })]) {
      const [skill] = skillsOf(reply);
      expect(skill).toMatchObject({ id, skillUrl: `${ORIGIN}/skills/${encodeURIComponent(id)}` });
      const page = await ask(String(skill?.['skillUrl']).slice(ORIGIN.length));
      expect(page.status).toBe(200);
      expect(textOf(page)).toContain(id);
      expectHarmless(page);
    }
  });

  test('of a skill name a hundred of its files, and lead to a list of all', async () => {
    const files = (count: number) => Array.from({ length: count }, (_, i) => ({ filename: `f${i}.md`, text: 'x' }));
    const skills = [
      { ...KITE, id: 'bound', files: files(MAX_PAGE_FILES) },
      { ...KITE, id: 'beyond', files: files(MAX_PAGE_FILES + 1) },
    ];
    const { ask } = await serve(skills, { pages: true });
    const [bound, beyond, all] = await Promise.all(
      ['bound', 'beyond', 'beyond/files'].map((path) => ask(`/skills/${path}`)),
    );
    expect([namesIn(bound), textOf(bound!).includes('and 1 more')]).toEqual([MAX_PAGE_FILES, false]);
    expect([namesIn(beyond), textOf(beyond!).includes('and 1 more')]).toEqual([MAX_PAGE_FILES, true]);
    expect(linksOf(beyond!)).toContain('/skills/beyond/files');
    expect(namesIn(all)).toBe(MAX_PAGE_FILES + 1);
  });
});

describe('the text of a skill on its page', () => {
  test('is formatted, with links to its other files', async () => {
    const text = '# Kites\n\nRead [knots](references/knots.md#bowline).\n\n| a | b |\n|---|--:|\n| 1 | 2 |';
    const { ask } = await serve([withText(text)], { pages: true });
    const reply = await ask('/skills/kite');
    expectHarmless(reply);
    expect(reply.text).toContain('<h3 id="md-kites">Kites</h3>');
    expect(linksOf(reply)).toContain('/skills/kite/files/references/knots.md#md-bowline');
    expect(reply.text).toContain('<td class="right">2</td>');
  });

  test('is shown up to a bound, with a link to all of it', async () => {
    for (const [length, isCut] of [
      [MAX_PAGE_TEXT, false],
      [MAX_PAGE_TEXT + 1, true],
    ] as const) {
      const { ask } = await serve([withText('x'.repeat(length))], { pages: true });
      const { text } = await ask('/skills/kite');
      expect(text.match(/x{1000,}/)?.[0].length).toBe(MAX_PAGE_TEXT);
      expect(text.includes('This is the beginning of a long text.')).toBe(isCut);
    }
  });

  test('is shown as it is written where it is too intricate', async () => {
    const { ask } = await serve([withText(`${'> '.repeat(100)}deep`)], { pages: true });
    const { text } = await ask('/skills/kite');
    expect(text).toContain('too intricate');
    expect(text).toContain('&gt; &gt; deep');
  });

  test('has its front matter as a table, without what the page shows anyway', async () => {
    const frontMatter = {
      name: 'n',
      description: 'd',
      license: 'MIT',
      versions: [1, 2],
      deep: { a: ['<b>'] },
      empty: null,
    };
    const { ask } = await serve([{ ...KITE, frontMatter }], { pages: true });
    const reply = await ask('/skills/kite');
    expectHarmless(reply);
    const rows = [...reply.text.matchAll(/<tr><th scope="row">(.*?)<\/th><td>(.*?)<\/td>/g)].map(([, key, value]) => [
      key,
      value,
    ]);
    expect(rows).toEqual([
      ['license', '<span>MIT</span>'],
      ['versions', '1, 2'],
      ['deep', '<code>{&quot;a&quot;:[&quot;&lt;b&gt;&quot;]}</code>'],
      ['empty', '<span class="muted">empty</span>'],
    ]);
  });

  test('has values as long as a page shows, and one longer', async () => {
    for (const [length, end] of [
      [MAX_PAGE_VALUE, ''],
      [MAX_PAGE_VALUE + 1, '…'],
    ] as const) {
      const { ask } = await serve([{ ...KITE, frontMatter: { a: 'x'.repeat(length) } }], { pages: true });
      expect((await ask('/skills/kite')).text).toContain(`<span>${'x'.repeat(MAX_PAGE_VALUE)}${end}</span>`);
    }
  });
});

describe('how to install a skill', () => {
  test.each([
    ['https://github.com/wren/kites/tree/main/skills/kite', 'npx skills add wren/kites --skill kite-builder'],
    ['https://github.com/wren/kites', 'git clone https://github.com/wren/kites.git'],
    ['https://gitlab.example/wren/toys/kites/-/tree/main/x', 'git clone https://gitlab.example/wren/toys/kites.git'],
    ['https://code.example:8443/wren/kites.git', 'git clone https://code.example:8443/wren/kites.git'],
  ])('from %s is %s', async (codehostUrl, command) => {
    const { ask } = await serve([{ ...KITE, codehostUrl }], { pages: true });
    expect((await ask('/skills/kite')).text).toContain(`<code>${command}</code>`);
  });

  test('quotes a name for a shell', async () => {
    const skill = { ...KITE, name: "kite's; rm -rf /", codehostUrl: 'https://github.com/wren/kites' };
    const { ask } = await serve([skill], { pages: true });
    expect(textOf(await ask('/skills/kite'))).toContain("npx skills add wren/kites --skill 'kite'\\''s; rm -rf /'");
  });

  test.each([
    'unknown',
    'https://github.com/wren',
    'https://code.example/$(x)/y',
    'https://code.example',
    'file:///etc',
  ])('from %s is not known', async (codehostUrl) => {
    const { ask } = await serve([{ ...KITE, codehostUrl }], { pages: true });
    const { text } = await ask('/skills/kite');
    expect(text).toContain('names no repository');
    expect(text).not.toMatch(/npx skills add|git clone/);
  });
});

describe('the language of a skill', () => {
  test('is said of its name, its description and its text, each by itself', async () => {
    const skill = withText('# 折纸风筝\n\n先折好骨架,然后绑上绳子。', {
      name: 'طائرة ورقية من الورق',
      description: 'Baut Drachen aus Papier und erklärt, wie man sie steigen lässt.',
    });
    const { text } = await (await serve([skill], { pages: true })).ask('/skills/kite');
    expect(text).toMatch(/<h1 lang="ar" dir="rtl">/);
    expect(text).toMatch(/<p class="lead" lang="de">/);
    expect(text).toMatch(/<div class="markdown" lang="zh-Hans">/);
  });

  test('cannot be changed by controls in a name', async () => {
    const skill = { ...KITE, name: '\u202egpj.elif\u2066', description: `a${'\u0301'.repeat(500)}` };
    const { text } = await (await serve([skill], { pages: true })).ask('/skills/kite');
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|\u0301{6}/);
    expect(text).toContain('>gpj.elif</h1>');
  });
});

describe('the categories of a skill', () => {
  test('are marked where a classifier gave them', async () => {
    const description =
      'Write unit tests and integration tests with pytest. Find flaky tests, mock what is slow, raise coverage.';
    const tests = row('tests', { name: 'unit-tests', description });
    const database = scratchFile('derived.db');
    const rows = [tests, { ...KITE, id: 'given' }];
    await buildCatalogue({
      database,
      sources: [{ name: 'rows', rows }],
      embedder: new CategoryEmbedder(),
      classify: true,
    });
    const { ask } = await serve(await opened({ database }), { pages: true });
    const reply = await ask('/skills/tests');
    expectHarmless(reply);
    expect(reply.text).toMatch(/<a class="chip derived" href="\/\?category=testing"/);
    expect(textOf(reply)).toContain('A classifier gave the categories');
    expect((await ask('/?category=testing')).text).toContain('/skills/tests');
    expect(textOf(await ask('/skills/given'))).not.toContain('classifier');
  });
});

describe('beside a skill', () => {
  test('stand its copies, ten of them by name', async () => {
    const ids = Array.from({ length: 12 }, (_, i) => `kite-${i + 10}`);
    const { ask } = await serve(
      ids.map((id) => ({ ...KITE, id })),
      { pages: true },
    );
    const reply = await ask('/skills/kite-10');
    expect(textOf(reply)).toContain('11 copies');
    expect(linksOf(reply).filter((link) => /^\/skills\/kite-1\d$|^\/skills\/kite-2\d$/.test(link))).toHaveLength(10);
    expect(textOf(reply)).toContain('and 1 more');
    expect(textOf(await (await serve([KITE], { pages: true })).ask('/skills/kite'))).not.toContain('copies');
  });

  test('stand as many copies as are listed at once, however many there are', async () => {
    const copies = Array.from({ length: 500 }, (_, i) => ({ ...KITE, id: `kite-${i}` }));
    const { ask } = await serve(copies, { pages: true });
    expect(textOf(await ask('/skills/kite-7'))).toMatch(/At least 499 copies[\s\S]*and many more/);
    const { ask: askFewer } = await serve(copies.slice(1), { pages: true });
    expect(textOf(await askFewer('/skills/kite-7'))).toMatch(/^498 copies[\s\S]*and 488 more/m);
  });

  test('stand the skills that are like it, the nearest first, without its copies', async () => {
    const skills = [
      row('kite', { name: 'kite', description: 'Builds kites of paper and string.' }),
      row('copy', { name: 'kite', description: 'Builds kites of paper and string.' }),
      row('near', { name: 'glider', description: 'Builds gliders of paper and string.', stars: 1200 }),
      row('near-copy', { name: 'glider', description: 'Builds gliders of paper and string.' }),
      row('far', { name: 'ledger', description: 'Sums invoices by month.' }),
    ];
    const { ask, events } = await serve(skills, { pages: true });
    const reply = await ask('/skills/kite');
    expectHarmless(reply);
    const cards = [...reply.text.matchAll(/<li class="card">.*?href="([^"]*)".*?<\/li>/gs)];
    expect(cards.map(([, link]) => link)).toEqual(['/skills/near', '/skills/far']);
    expect(cards.map(([card]) => /<p class="muted small">(.*?)<\/p>/.exec(card)?.[1])).toEqual([
      '1,200 stars, 2 copies',
      undefined,
    ]);
    expect(events.filter(({ kind }) => kind === 'failure')).toEqual([]);
  });

  test('stand no similar skills in a catalogue without vectors, and nothing is logged of that', async () => {
    const database = scratchFile('words.db');
    await buildCatalogue({ database, sources: [{ name: 'rows', rows: [KITE, row('reel')] }], semantic: false });
    const { ask, events } = await serve(await opened({ database }), { pages: true });
    const reply = await ask('/skills/kite');
    expect([reply.status, reply.text.includes('Similar')]).toEqual([200, false]);
    expect(events.map(({ kind }) => kind)).toEqual(['request']);
  });

  test('stand no similar skills where these cannot be found, and the log says why', async () => {
    const error = new SkillSearchError('DATABASE_DAMAGED', '/secret/path is damaged');
    const similar = async () => {
      throw error;
    };
    const { ask, events } = await serve(override(await searchOver([KITE]), { similar }), { pages: true });
    const reply = await ask('/skills/kite');
    expect([reply.status, reply.text.includes('Similar'), reply.text.includes('secret')]).toEqual([200, false, false]);
    const requestId = reply.headers.get('X-Request-Id');
    expect(events).toContainEqual({ kind: 'failure', requestId, error });
  });

  test('stand similar skills at the next visit where the first would wait for them', async () => {
    const search = await searchOver([KITE, row('reel')]);
    let open = (): void => {};
    const isOpen = new Promise<void>((resolve) => {
      open = resolve;
    });
    const similar = async (id: string) => {
      await isOpen;
      return search.similar(id);
    };
    const { ask } = await serve(override(search, { similar }), { pages: true });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = ask('/skills/kite');
    await vi.advanceTimersByTimeAsync(1000);
    const first = await asked;
    open();
    const second = await ask('/skills/kite');
    expect([first.status, first.text.includes('Similar'), second.text.includes('Similar')]).toEqual([200, false, true]);
    expect(first.headers.get('ETag')).not.toBe(second.headers.get('ETag'));
  });

  test.each([
    ['q=a+%26+b&page=2', '/?q=a%20%26%20b&page=2', 'Back to the results for \na & b\n'],
    ['sortBy=stars&page=3&category=x', '/?page=3&sortBy=stars&category=x', 'Back to the list'],
    ['q=%3Cb%3E%22', '/?q=%3Cb%3E%22', '<b>"'],
    ['q=x&next=https://evil.example&javascript:alert(1)', '/?q=x', 'x'],
  ])('stands the way back to the search %s', async (query, href, text) => {
    const { ask } = await serve([KITE], { pages: true });
    const reply = await ask(`/skills/kite?${query}`);
    expectHarmless(reply);
    expect(linksOf(reply)[0]).toBe(href);
    expect(textOf(reply)).toContain(text);
  });

  test.each(['', '?', '?next=x', '?q=', '?mode=words'])('stands no way back to nothing: %s', async (query) => {
    const { ask } = await serve([KITE], { pages: true });
    expect((await ask(`/skills/kite${query}`)).text).not.toContain('way-back');
  });
});

function withText(text: string, more: Row = {}): Row {
  return { ...KITE, ...more, files: [{ filename: 'SKILL.md', text }, ...(KITE.files ?? []).slice(1)] };
}

/** A search that answers differently in some ways. */
function override(search: SkillSearch, changes: Partial<SkillSearch>): SkillSearch {
  return new Proxy(search, {
    get: (target, name) => {
      const value = Reflect.get(changes, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    has: (target, name) => name in target,
  });
}

function namesIn(reply: Reply | undefined): number | undefined {
  return reply?.text.match(/<bdi>f\d+\.md<\/bdi><\/a> /g)?.length;
}

function skillsOf({ body }: Reply): Record<string, unknown>[] {
  const { data } = body as {
    data: { skills?: Record<string, unknown>[]; data?: { skill: Record<string, unknown> }[] };
  };
  return data.skills ?? (data.data ?? []).map(({ skill }) => skill);
}
