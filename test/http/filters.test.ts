import { describe, expect, test } from 'vitest';
import { row } from '../rows.js';
import { idsOf, KEYWORD, keyword, paginationOf, SEMANTIC, serve } from './ask.js';

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

  test('changes nothing where it is not given, and copies and facets are no parameters', async () => {
    const { ask } = await serve(SKILLS);
    const reply = await ask(keyword({ q: 'kite', copies: 'x', facets: 'x' }));
    expect([reply.status, idsOf(reply).sort()]).toEqual([200, ALL]);
    expect(Object.keys((reply.body as { data: object }).data)).toEqual(['skills', 'pagination']);
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

  test('leaves the records of skills as they are: eight fields, and no path', async () => {
    const { ask } = await serve(SKILLS);
    const { body } = await ask(keyword({ q: 'kite', agent: 'codex' }));
    const { skills } = (body as { data: { skills: readonly object[] } }).data;
    for (const skill of skills) expect(Object.keys(skill)).toHaveLength(8);
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
