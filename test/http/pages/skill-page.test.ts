import { describe, expect, test } from 'vitest';
import { MAX_PAGE_FILES } from '../../../src/limits.js';
import { row } from '../../rows.js';
import { keyword, ORIGIN, quotaOf, type Reply, searchOver, semantic, serve } from '../ask.js';
import { HOSTILE, KITE } from './kite.js';
import { expectHarmless, linksOf, textOf } from './page-text.js';

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

function skillsOf({ body }: Reply): Record<string, unknown>[] {
  const { data } = body as {
    data: { skills?: Record<string, unknown>[]; data?: { skill: Record<string, unknown> }[] };
  };
  return data.skills ?? (data.data ?? []).map(({ skill }) => skill);
}
