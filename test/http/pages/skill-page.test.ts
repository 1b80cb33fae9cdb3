import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MAX_FILE_BYTES } from '../../../src/core/index.js';
import { createHandler } from '../../../src/http/index.js';
import { buildCatalogue, SkillSearchError } from '../../../src/index.js';
import { CategoryEmbedder } from '../../load/category-embedder.js';
import { type Row, row } from '../../rows.js';
import { scratchFile } from '../../scratch-folder.js';
import { temporaryFolder } from '../../sources/folders.js';
import {
  type Ask,
  keyword,
  ORIGIN,
  opened,
  type Reply,
  replacing,
  searchOver,
  semantic,
  serve,
  skillsOf,
} from '../ask.js';
import { expectHarmless, HOSTILE, KITE, linksOf, textOf } from './page-text.js';

/** Names of files that a page shows. */
const MAX_PAGE_FILES = 100;

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
      '★ 12,345',
      'stars of its repository',
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

  test.each([
    '/skills/nobody',
    '/skills/kite/files/lost.md',
    '/skills/kite/files/references%2Fknots.md',
    '/skills/kite/files/SKILL.md%00',
    '/skills/kite/files/%ff',
    '/skills/kite%2Ffiles/SKILL.md',
    '/skills/kite%00',
  ])('%s is none', async (path) => {
    const { ask } = await serve([KITE], { pages: true });
    expect((await ask(path)).code).toBe('ENDPOINT_NOT_FOUND');
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
      const shown = [hostile, hostile.replaceAll('&lt;', '<').replaceAll('&#60;', '<')];
      const times = shown.reduce((sum, text) => sum + textOf(reply).split(text).length - 1, 0);
      expect(times, hostile).toBeGreaterThanOrEqual(7);
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
      const link = '/skills/kite/files/SKILL.md';
      expect(linksOf(await ask('/skills/kite'))).toEqual([link, link]);
    }
  });

  test.each(['a/b', 'ü', '风筝', '%2F', 'a#b', 'a&b=c', '<b>', '../x'])(
    'of a skill %j without address is where its answers say',
    async (id) => {
      const { ask, key } = await serve([row(id, { name: 'name' })], { pages: true, publicUrl: ORIGIN });
      for (const reply of [await ask(keyword({ q: 'name' })), await ask(semantic('name'), { key })]) {
        const [skill] = skillsOf(reply);
        expect(skill).toMatchObject({ id, skillUrl: `${ORIGIN}/skills/${encodeURIComponent(id)}` });
        const page = await ask(String(skill?.['skillUrl']).slice(ORIGIN.length));
        expect(page.status).toBe(200);
        expect(textOf(page)).toContain(id);
        expectHarmless(page);
      }
    },
  );

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
});

describe('how to install a skill', () => {
  test.each([
    ['https://github.com/wren/kites/tree/main/skills/kite', 'npx skills add wren/kites --skill kite-builder'],
    ['https://github.com/wren/kites', 'git clone --depth 1 https://github.com/wren/kites.git'],
    [
      'https://gitlab.example/a/b/kites/-/tree/v2/x',
      "npx skills add 'https://gitlab.example/a/b/kites.git#v2' --skill",
    ],
    ['https://code.example:8443/wren/kites.git', 'git clone --depth 1 https://code.example:8443/wren/kites.git'],
    [
      'https://github.com/wren/kites/tree/HEAD/it%27s/kite',
      "git clone --depth 1 --filter=blob:none --sparse https://github.com/wren/kites.git\ngit -C kites sparse-checkout set 'it'\\''s/kite'",
    ],
    ['https://github.com/wren/kites/tree/v2', 'git clone https://github.com/wren/kites.git\ngit -C kites checkout v2'],
  ])('from %s is %s', async (codehostUrl, command) => {
    const { ask } = await serve([{ ...KITE, codehostUrl }], { pages: true });
    expect(commandsIn(await ask('/skills/kite')).join('\n\n')).toContain(command);
  });

  test('is a choice of ways, each for itself, that needs no script', async () => {
    const { ask } = await serve([{ ...KITE, codehostUrl: 'https://github.com/wren/kites' }], { pages: true });
    const reply = await ask('/skills/kite');
    const names = [...reply.text.matchAll(/<input type="radio" name="install"( checked)?><span>(.*?)</g)];
    expect(names.map(([, first, name]) => `${name}${first ?? ''}`)).toEqual([
      ...['npx skills checked', 'Claude Code', 'Codex', 'git'],
    ]);
    const add = 'npx skills add wren/kites --skill kite-builder';
    expect(commandsIn(reply).slice(0, 3)).toEqual([...[add, `${add} -a claude-code -g`, `${add} -a codex -g`]]);
    expect(reply.text).toMatch(/<code>~\/\.claude\/skills<\/code>.*<code>~\/\.agents\/skills<\/code>/s);
  });

  test('quotes a name for a shell', async () => {
    const skill = { ...KITE, name: "kite's; rm -rf /", codehostUrl: 'https://github.com/wren/kites' };
    const { ask } = await serve([skill], { pages: true });
    expect(commandsIn(await ask('/skills/kite'))[0]).toBe("npx skills add wren/kites --skill 'kite'\\''s; rm -rf /'");
  });

  test.each([
    'unknown',
    'https://github.com/wren',
    'https://code.example/github.com/wren/kites',
    'https://github.com/wren/kites/tree/--upload-pack=x/y',
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

test('the categories of a skill are marked where a classifier gave them', async () => {
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
    const facts = cards.map(([card]) => card.replace(/.*"byline small">|<[^>]*>/gs, '').trim());
    expect(facts).toEqual(['★ 1,200 stars 2 copies', '']);
    expect(events.filter(({ kind }) => kind === 'failure')).toEqual([]);
  });

  test('stand similar skills in the language of the question, or of the skill, before others', async () => {
    const german = (what: string) => `Baut ${what} aus Papier und erklärt, wie man sie damit steigen lässt.`;
    const skills = [
      row('kite', { name: 'kite', description: 'Builds kites of paper and explains how to fly them in the wind.' }),
      ...['Drachen', 'Flieger', 'Segler'].map((what, i) => row(`de-${i}`, { name: what, description: german(what) })),
      ...['gliders', 'planes', 'darts', 'boats', 'hats', 'cranes', 'stars', 'boxes'].map((what, i) =>
        row(`en-${i}`, {
          name: what,
          description: `Builds ${what} of paper and explains how to use them in the wind.`,
        }),
      ),
    ];
    const { ask } = await serve(skills, { pages: true });
    const shown = async (query: string) =>
      linksOf(await ask(`/skills/kite${query}`)).filter((link) => /^\/skills\/(?:de|en)-/.test(link));
    const [own, asked] = [await shown(''), await shown('?q=wie%20baut%20man%20einen%20Drachen%20aus%20Papier')];
    expect([own.length, own.some((link) => link.includes('de-'))]).toEqual([6, false]);
    expect(asked.slice(0, 3).every((link) => link.includes('de-'))).toBe(true);
  });

  test('stand no similar skills where these cannot be found, and the log says why', async () => {
    const error = new SkillSearchError('DATABASE_DAMAGED', '/secret/path is damaged');
    const similar = async () => Promise.reject(error);
    const { ask, events } = await serve(replacing(await searchOver([KITE]), { similar }), { pages: true });
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
    const similar = (id: string) => isOpen.then(() => search.similar(id));
    const { ask } = await serve(replacing(search, { similar }), { pages: true });
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
});

function withText(text: string, more: Row = {}): Row {
  return { ...KITE, ...more, files: [{ filename: 'SKILL.md', text }, ...(KITE.files ?? []).slice(1)] };
}

function commandsIn({ text }: Reply): string[] {
  return [...text.matchAll(/<pre dir="ltr" tabindex="0"><code>(.*?)<\/code>/gs)].map(([, code = '']) =>
    textOf({ text: code.replace(/<[^>]*>/g, '') } as Reply),
  );
}

function namesIn(reply: Reply | undefined): number | undefined {
  return reply?.text.match(/<bdi>f\d+\.md<\/bdi><\/a> /g)?.length;
}

/** Characters and lines of a text that a page shows at once. */
const [MAX_PAGE_TEXT, MAX_PAGE_LINES] = [50_000, 2000];
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1]);

/** The skill `kite` with these files beside its SKILL.md, each as it is. */
async function skillOf(files: Readonly<Record<string, string | Uint8Array>>): Promise<Ask> {
  const folder = await temporaryFolder({
    'kite/SKILL.md': '---\nname: kite\ndescription: Builds kites.\n---\n# Kites\n',
    ...Object.fromEntries(Object.entries(files).map(([name, content]) => [`kite/${name}`, content])),
  });
  const database = scratchFile('files.db');
  await buildCatalogue({ database, sources: [folder], semantic: false, git: false });
  const search = await opened({ database });
  const [id] = search.ids();
  const { ask } = await serve(search, { pages: true });
  return (path, how) => ask(path.replace('/kite/', `/${id}/`), how);
}

describe('the view of a file', () => {
  test('shows a text as it is written, with a number and an anchor for each line', async () => {
    const ask = await skillOf({ 'scripts/fold.py': 'import sys\r\n\r\nif a < b:\n\tpass\n' });
    const reply = await ask('/skills/kite/files/scripts/fold.py');
    expectHarmless(reply);
    expect(linesOf(reply.text)).toEqual([
      ['1', 'import sys'],
      ['2', ''],
      ['3', 'if a &lt; b:'],
      ['4', '\tpass'],
    ]);
    expect(textOf(reply)).toContain('text/x-python');
    expect(textOf(reply)).toContain('scripts/fold.py');
  });

  test('formats Markdown, with a switch to its source', async () => {
    const ask = await skillOf({ 'docs/knots.md': '---\ntitle: Knots\n---\n# Bowline\n\n[back](../SKILL.md)\n' });
    const formatted = await ask('/skills/kite/files/docs/knots.md');
    expectHarmless(formatted);
    expect(formatted.text).toContain('<h2 id="md-bowline">Bowline</h2>');
    expect(formatted.text).toContain('data-line="2">title: Knots');
    expect(linksOf(formatted).some((link) => link.endsWith('/files/SKILL.md'))).toBe(true);
    const source = await ask('/skills/kite/files/docs/knots.md?view=source');
    expect(linesOf(source.text)[3]).toEqual(['4', '# Bowline']);
    expect(linksOf(source).some((link) => link.endsWith('?view=formatted'))).toBe(true);
  });

  test('tells only facts of what is no text', async () => {
    for (const content of [PNG, 'a\0b', Uint8Array.from([0x61, 0xff, 0x62])]) {
      const ask = await skillOf({ 'grid.png': content });
      const reply = await ask('/skills/kite/files/grid.png');
      expectHarmless(reply);
      expect(reply.text).not.toContain('class="source"');
      expect(textOf(reply)).toMatch(/not a text/);
      expect(textOf(reply)).toMatch(/[0-9a-f]{64}/);
    }
  });

  test('shows a text that is only searched: an excerpt', async () => {
    const { ask } = await serve([KITE], { pages: true });
    const reply = await ask('/skills/kite/files/references/knots.md');
    expect(textOf(reply)).toContain('The bowline holds the tether.');
    expect(textOf(reply)).toContain('Excerpt: full text at the source');
  });

  test('finds a file by any name, and shows hostile ones as they are', async () => {
    const names = ['a b.txt', 'ü/风.txt', '100%.txt', 'a?b#c.txt', "it's (1).txt", '🪁.txt', '.hidden'];
    const ask = await skillOf(Object.fromEntries(names.map((name) => [name, `in ${name}`])));
    for (const name of names) {
      const path = name.split('/').map(encodeURIComponent).join('/');
      const reply = await ask(`/skills/kite/files/${path}`);
      expect([reply.status, textOf(reply).includes(`in ${name}`)], name).toEqual([200, true]);
      expectHarmless(reply);
    }
  });

  test('runs nothing of a text, whatever it holds', async () => {
    for (const hostile of HOSTILE) {
      const ask = await skillOf({ 'x.html': hostile, 'x.svg': hostile, 'x.md': hostile, 'x.js': hostile });
      for (const name of ['x.html', 'x.svg', 'x.md', 'x.js']) expectHarmless(await ask(`/skills/kite/files/${name}`));
    }
  });

  test('marks what nobody sees', async () => {
    const ask = await skillOf({ 'x.js': 'if (a\u202e) { // \u2066\u{e0041}\n' });
    const { text } = await ask('/skills/kite/files/x.js');
    expect(text).toContain('if (a<span class="unseen" title="U+202E"></span>)');
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });
});

describe('a long file', () => {
  test('is shown in parts, by lines', async () => {
    const lines = Array.from({ length: 2 * MAX_PAGE_LINES + 1 }, (_, i) => `line ${i + 1}`);
    const ask = await skillOf({ 'long.txt': lines.join('\n') });
    const numbers: string[] = [];
    for (const part of [1, 2, 3]) {
      const reply = await ask(`/skills/kite/files/long.txt${part === 1 ? '' : `?part=${part}`}`);
      const shown = linesOf(reply.text);
      expect(shown.every(([number, text]) => text === `line ${number}`)).toBe(true);
      expect(textOf(reply)).toContain(`Part ${part} of 3`);
      const others = linksOf(reply).flatMap((link) => /part=(\d)/.exec(link)?.[1] ?? []);
      expect(others).toEqual([['2'], ['1', '3'], ['2']][part - 1]);
      numbers.push(...shown.map(([number = '']) => number));
    }
    expect(numbers).toEqual(lines.map((_, i) => String(i + 1)));
  });

  test('of four megabytes is shown as far as it is searched, and sent whole', async () => {
    const text = 'all work and no play\n'.repeat(200_000);
    const ask = await skillOf({ 'long.txt': text });
    const first = await ask('/skills/kite/files/long.txt');
    expect(first.text.length).toBeLessThan(4 * MAX_PAGE_TEXT);
    const count = Number(/Part 1 of (\d+)/.exec(textOf(first))?.[1]);
    expect(count).toBe(Math.ceil(MAX_FILE_BYTES / 21 / MAX_PAGE_LINES));
    const last = await ask(`/skills/kite/files/long.txt?part=${count}`);
    expect(textOf(last)).toContain('The rest is in the file');
    expect((await ask('/skills/kite/files/long.txt?view=raw')).text).toBe(text);
  });
});

test.each([
  ['x.html', '<script>alert(1)</script>', 'text/plain; charset=utf-8'],
  ['x.svg', '<svg onload="alert(1)"/>', 'text/plain; charset=utf-8'],
  ['x.md', '# a', 'text/plain; charset=utf-8'],
  ['x.png', PNG, 'application/octet-stream'],
  ['x.html', Uint8Array.from([0x3c, 0xff, 0x3e]), 'application/octet-stream'],
])('a download of %s has no type that a browser runs', async (name, content, type) => {
  const folder = await temporaryFolder({ 'SKILL.md': '---\nname: kite\ndescription: x\n---\nx', [name]: content });
  const database = scratchFile('files.db');
  await buildCatalogue({ database, sources: [folder], semantic: false, git: false });
  const search = await opened({ database });
  const path = `/skills/${search.ids()[0]}/files/${name}?view=raw`;
  const response = await createHandler(search, { pages: true })(new Request(ORIGIN + path));
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(Buffer.from(content)));
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': type,
    'content-disposition': `attachment; filename*=UTF-8''${name}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    etag: expect.any(String),
  });
});

test.each([
  ['view=plain', 'view must be one of formatted, source, raw, got "plain"'],
  ['view=raw&view=raw', 'view must be given once, got an array'],
  ['part=0', 'part must be an integer from 1 on, got "0"'],
  ['part=1.5', 'part must be an integer from 1 on, got "1.5"'],
  ['part=%3Cb%3E', 'part must be an integer from 1 on, got "<b>"'],
  ['part=2', 'part must be at most 1, got 2'],
  ['part=999999999999', 'part must be an integer from 1 on, got "999999999999"'],
])('a file that is asked for wrongly %s is 400, and says what was expected', async (query, message) => {
  const { ask } = await serve([KITE], { pages: true });
  const reply = await ask(`/skills/kite/files/SKILL.md?${query}`);
  expect([reply.status, reply.code, reply.message]).toEqual([400, 'INVALID_PARAMETER', message]);
  const page = await ask(`/skills/kite/files/SKILL.md?${query}`, { headers: { Accept: 'text/html' } });
  expect([page.status, textOf(page).includes(message)]).toEqual([400, true]);
  expectHarmless(page);
});

/** Number and HTML of each line that is shown. */
function linesOf(text: string): [string, string][] {
  return [...text.matchAll(/<span class="line" id="L(\d+)" data-line="\1">([\s\S]*?)\n<\/span>/g)].map(
    ([, number = '', line = '']) => [number, line],
  );
}
