import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHandler, type HandlerOptions } from '../../src/http/index.js';
import { buildCatalogue } from '../../src/index.js';
import { MAX_LONGEST_WAIT, MAX_PAGE_FILES } from '../../src/limits.js';
import { codeOf } from '../error-code.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { temporaryFolder } from '../sources/folder/temporary-folder.js';
import { keyword, ORIGIN, opened, quotaOf, type Reply, searchOver, semantic, serve } from './ask.js';
import { faultsOf, KEYWORD_ANSWER } from './shapes.js';

const KITE: Row = {
  id: 'kite',
  name: 'kite-builder',
  author: 'wren',
  description: 'Builds kites of paper.',
  codehostUrl: 'https://code.example/wren/kites',
  skillUrl: 'https://market.example/kite',
  stars: 12_345,
  updatedAt: 1_700_000_000,
  categories: ['crafts'],
  occupations: ['toy-makers-519199'],
  files: [
    { filename: 'SKILL.md', text: 'Fold the spar first.' },
    { filename: 'references/knots.md', text: 'The bowline holds the tether.' },
  ],
};

/** What would do something if it came into a page as it is. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '</title></style></pre><b>bold</b>',
  '<!-- & &lt;b&gt; &#60;b&#62; -->',
  '</h1><a href="javascript:alert(1)">click</a>',
];

describe('without the option', () => {
  test('there is no page: the three paths are 404', async () => {
    for (const options of [{}, { pages: false }]) {
      const { ask } = await serve([KITE], options);
      for (const path of ['/', '/openapi.json', '/skills/kite'])
        expect((await ask(path)).code).toBe('ENDPOINT_NOT_FOUND');
    }
  });

  test('pages that are neither on nor off are refused', async () => {
    const search = await searchOver([]);
    const options = { pages: 'yes' } as unknown as HandlerOptions;
    expect(await codeOf(() => createHandler(search, options))).toBe('INVALID_OPTION');
  });
});

describe('the page of a skill', () => {
  test('shows what the catalogue tells of it', async () => {
    const { ask } = await serve([{ ...KITE, license: 'MIT' }], { pages: true });
    const reply = await ask('/skills/kite');
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    const shown = textOf(reply);
    for (const one of [
      'kite-builder',
      'wren',
      'Builds kites of paper.',
      'https://code.example/wren/kites',
      'https://market.example/kite',
      '12,345',
      '2023-11-14',
      'crafts',
      'toy-makers-519199',
      'MIT',
      'SKILL.md, references/knots.md',
      'Fold the spar first.',
    ]) {
      expect(shown).toContain(one);
    }
    expect(linksOf(reply)).toEqual(['https://code.example/wren/kites', 'https://market.example/kite']);
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

  test('can load and run nothing', async () => {
    const { ask } = await serve([KITE], { pages: true });
    for (const path of ['/', '/skills/kite']) {
      const { headers } = await ask(path);
      const policy = headers.get('Content-Security-Policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|script-src|\*|https?:/);
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
      expect(textOf(reply).split(hostile).length - 1, hostile).toBeGreaterThanOrEqual(7);
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
      for (const link of linksOf(await ask('/skills/kite'))) expect(link).toMatch(/^https?:\/\//);
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

  test('is by default under the address that the client asked', async () => {
    const { handle } = await serve([row('kite')]);
    const response = await handle(new Request('https://other.example:444/api/v1/skills/search?q=kite'));
    expect(JSON.stringify(await response.json())).toContain('"https://other.example:444/skills/kite"');
  });

  test('is not mistaken for one where only a text of the skill says so', async () => {
    const text = '"codehostUrl":"unknown","skillUrl":"unknown"';
    const { ask } = await serve([{ ...KITE, description: text }]);
    expect(skillsOf(await ask(keyword({ q: 'kite' })))).toMatchObject([
      { description: text, codehostUrl: KITE.codehostUrl, skillUrl: KITE.skillUrl },
    ]);
  });

  test('is never a path of this machine: a folder of skills leaves nothing of where it lies', async () => {
    const folder = await temporaryFolder({
      'workshop/kite/SKILL.md': '---\nname: kite-builder\ndescription: Builds kites.\n---\nFold the spar.',
      'workshop/kite/references/knots.md': 'The bowline.',
    });
    const database = scratchFile('skills.db');
    // The name of the folder itself is in the ids; what it lies in is nobody's business.
    await buildCatalogue({ database, sources: [join(folder, 'workshop')], semantic: false });
    const { ask } = await serve(await opened({ database }), { pages: true, publicUrl: 'https://skills.example' });
    const reply = await ask(keyword({ q: 'kite' }));
    expect(faultsOf(KEYWORD_ANSWER, reply.body)).toEqual([]);
    const [skill] = skillsOf(reply);
    const page = `https://skills.example/skills/${skill?.['id']}`;
    expect(skill).toMatchObject({ name: 'kite-builder', codehostUrl: page, skillUrl: page, author: 'unknown' });
    const texts = [reply.text, (await ask(`/skills/${skill?.['id']}`)).text, (await ask('/')).text];
    for (const text of texts) {
      for (const part of [folder, ...folder.split('/').filter((one) => one.startsWith('catalogue-'))]) {
        expect(text.toLowerCase()).not.toContain(part.toLowerCase());
      }
    }
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

describe('pages', () => {
  test('may be asked for 120 times a minute by each address: then 429 with Retry-After', async () => {
    const { ask } = await serve([KITE], { pages: true });
    const paths = ['/', '/openapi.json', '/skills/kite'];
    for (let i = 0; i < 120; i++) expect((await ask(paths[i % 3]!)).status).toBe(200);
    for (const path of paths) {
      const reply = await ask(path);
      expect([reply.status, reply.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(reply.headers.get('Retry-After')).toMatch(/^(60|[1-5]\d)$/);
      expect((await ask(path, { method: 'HEAD' })).status).toBe(429);
    }
    expect((await ask('/', { address: '192.0.2.1' })).status).toBe(200);
    // To see that a skill is not there is as much work.
    expect((await ask('/skills/nothing')).status).toBe(429);
    expect((await ask('/skills/nothing', { address: '192.0.2.1' })).status).toBe(404);
    // Only pages are counted, and only for pages.
    expect((await ask(keyword({ q: 'kite' }))).status).toBe(200);
  });

  test('have a limit that is an option, and none without access', async () => {
    const few = await serve([KITE], { pages: true, pagesPerMinute: 1 });
    expect([(await few.ask('/')).status, (await few.ask('/')).status]).toEqual([200, 429]);
    const search = await searchOver([KITE]);
    for (const options of [{ pagesPerMinute: 0 }, { access: false } as const]) {
      const handle = createHandler(search, { pages: true, ...options });
      for (let i = 0; i < 130; i++) expect((await handle(new Request(`${ORIGIN}/`))).status).toBe(200);
    }
    for (const pagesPerMinute of [-1, 1.5, Number.NaN, '5' as never, 2 ** 31]) {
      expect(await codeOf(() => createHandler(search, { pagesPerMinute }))).toBe('INVALID_OPTION');
    }
    for (const longestWait of [-1, Number.NaN, '5' as never, MAX_LONGEST_WAIT + 1]) {
      expect(await codeOf(() => createHandler(search, { longestWait }))).toBe('INVALID_OPTION');
    }
    createHandler(search, { longestWait: MAX_LONGEST_WAIT });
  });

  test('of a skill name a hundred of its files, and say how many more there are', async () => {
    const files = (count: number) => Array.from({ length: count }, (_, i) => ({ filename: `f${i}.md`, text: 'x' }));
    const skills = [
      { ...KITE, id: 'bound', files: files(MAX_PAGE_FILES) },
      { ...KITE, id: 'beyond', files: files(MAX_PAGE_FILES + 1) },
    ];
    const { ask } = await serve(skills, { pages: true });
    const [bound, beyond] = [(await ask('/skills/bound')).text, (await ask('/skills/beyond')).text];
    expect([bound.match(/f\d+\.md/g)?.length, bound.includes(' more')]).toEqual([MAX_PAGE_FILES + 1, false]);
    expect([beyond.match(/f\d+\.md/g)?.length, beyond.includes(' and 1 more')]).toEqual([MAX_PAGE_FILES + 1, true]);
  });
});

describe('the welcome', () => {
  test('tells how many skills there are and where to ask', async () => {
    const { ask } = await serve(
      Array.from({ length: 1234 }, (_, i) => row(`k${i}`, { updatedAt: 1_700_000_000 })),
      {
        pages: true,
        publicUrl: 'https://skills.example',
      },
    );
    const reply = await ask('/');
    expect(reply.status).toBe(200);
    expect(textOf(reply)).toContain('1,234');
    expect(textOf(reply)).toContain('2023-11-14');
    expect(textOf(reply)).toContain('https://skills.example/api/v1/skills/search?q=');
    expect(linksOf(reply)).toEqual(['https://skills.example/openapi.json']);
    expectHarmless(reply);
  });
});

/** A page has no tags but those that the service itself writes, and no attribute that runs anything. */
function expectHarmless({ text }: Reply): void {
  const tags = [...text.matchAll(/<[^>]*>?/g)].map(([tag]) => tag);
  expect(tags.length).toBeGreaterThan(10);
  for (const tag of tags) {
    expect(tag).toMatch(
      /^<(?:!doctype html|html lang="en"|meta charset="utf-8"|meta name="viewport" content="width=device-width"|\/?(?:html|head|title|style|body|h1|h2|p|dl|dt|dd|pre|code)|a (?:rel="nofollow noopener" )?href="https?:[^"<>]*"|\/a)>$/,
    );
  }
}

/** The text of a page as a browser shows it, with that of its title. */
function textOf({ text }: Reply): string {
  return unescaped(text.replace(/<style>.*?<\/style>/, '').replace(/<[^>]*>/g, '\n'));
}

function linksOf({ text }: Reply): string[] {
  return [...text.matchAll(/href="([^"]*)"/g)].map(([, link]) => unescaped(link as string));
}

function unescaped(html: string): string {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return html.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name] as string);
}

function skillsOf({ body }: Reply): Record<string, unknown>[] {
  const { data } = body as {
    data: { skills?: Record<string, unknown>[]; data?: { skill: Record<string, unknown> }[] };
  };
  return data.skills ?? (data.data ?? []).map(({ skill }) => skill);
}
