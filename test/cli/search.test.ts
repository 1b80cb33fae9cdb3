import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { scoreReason } from '../../src/cli/index.js';
import {
  buildCatalogue,
  type FeatureShare,
  type KeywordResult,
  type ListResult,
  type MatchedTerms,
  openSkillSearch,
  type RankingFeature,
  type ScoreParts,
} from '../../src/index.js';
import { Database } from '../../src/store/sqlite.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { linesOf, outOf, runCaptured } from './run-captured.js';

describe('search', () => {
  test('prints name, author, stars and age of each skill, the line that matches and the id', async () => {
    const now = Math.floor(Date.now() / 1000);
    const database = await catalogueOf([
      row('o-r-pdf', {
        name: 'pdf-tools',
        author: 'octo',
        description: 'Fills in PDF forms',
        stars: 12345,
        updatedAt: now - 3 * 86_400 - 60,
      }),
    ]);

    const out = await outOf(['search', 'forms', '--database', database]);
    expect(linesOf(out)).toEqual([
      'pdf-tools  octo  ★ 12,345  3 days',
      '  Fills in PDF forms',
      '  o-r-pdf',
      '',
      '1 skill',
    ]);
  });

  test('tells how it read a misspelt word, as text and as JSON', async () => {
    const database = await catalogueOf([
      row('a', { description: 'Kubernetes backups' }),
      row('b', { description: 'kubernetis' }),
    ]);
    const { out } = await runCaptured(['search', 'Kuberntes', '--database', database]);
    expect(linesOf(out).slice(0, 3)).toEqual([
      '(no skill has all words; these have words of similar spelling)',
      '(read "Kuberntes" as "kubernetes" or "kubernetis")',
      '',
    ]);
    const { corrected } = await searchJson(database, 'Kuberntes');
    expect(corrected).toEqual([{ asked: 'Kuberntes', read: ['kubernetes', 'kubernetis'] }]);
    expect(await searchJson(database, 'kubernetes')).not.toHaveProperty('corrected');
    const byWords = ['--mode', 'semantic', '--ranking', 'words'];
    const said = await runCaptured(['search', 'Kuberntes', '--database', database, ...byWords]);
    expect(linesOf(said.out)[0]).toBe('(read "Kuberntes" as "kubernetes")');
    for (const more of [[], byWords]) {
      expect((await searchJson(database, 'Kuberntes', '--no-corrections', ...more))['hits']).toEqual([]);
      expect((await searchJson(database, 'kuber', '--as-typed', ...more))['hits']).not.toEqual([]);
    }
  });

  test('tells how it read a question in another language, unless --no-gloss forbids it', async () => {
    const database = await catalogueOf([row('a', { description: 'Translates.' })]);
    const { out } = await runCaptured(['search', '翻译', '--database', database]);
    expect(linesOf(out).slice(0, 3)).toEqual([
      '(no skill has all words; these have English ones for them)',
      expect.stringMatching(/^\(read "翻译" as "translat\w+"\)$/),
      '',
    ]);
    expect(await searchJson(database, '翻译')).toMatchObject({
      step: 'translated',
      translated: [{ asked: '翻译' }],
    });
    const byMeaning = ['search', '翻译', '--mode', 'semantic', '--ranking', 'words', '--database', database];
    expect((await runCaptured(byMeaning)).out).toMatch(/^\(also looked for "translat\w+"\)$/m);
    for (const mode of ['keyword', 'semantic']) {
      const words = ['search', '翻译', '--no-gloss', '--mode', mode, '--database', database];
      const ranking = mode === 'semantic' ? ['--ranking', 'words'] : [];
      expect((await runCaptured([...words, ...ranking])).out).toContain('No skill matches.');
    }
  });

  test('takes stop words from a file, one a line, without comments', async () => {
    const database = await catalogueOf([
      row('a', { description: 'tests for you' }),
      row('b', { description: 'tests' }),
    ]);
    const file = scratchFile('stop-words.txt');
    const idsFor = async (text: string): Promise<string[]> => {
      writeFileSync(file, text);
      const { hits } = await searchJson(database, 'tests', 'for', '--stop-words', file);
      return hits.map(({ skill }) => skill.id).sort();
    };
    expect(await idsFor('')).toEqual(['a']);
    expect(await idsFor('\ufeff# words that say nothing\r\n\r\n FOR \r\n')).toEqual(['a', 'b']);
    expect(await idsFor('# for')).toEqual(['a']);
  });

  test('prints the answer of the library as JSON with --json', async () => {
    const rows = Array.from({ length: 7 }, (_, i) => row(`s-${i}`, { description: 'alpha', stars: i, updatedAt: i }));
    const database = await catalogueOf(rows);
    const words = ['--sort', 'stars', '--limit', '3', '--page', '2', '--database', database, '--json'];

    const out = await outOf(['search', 'alpha', ...words]);
    await using search = await openSkillSearch({ database });
    const answer = search.keyword({ q: 'alpha', sortBy: 'stars', limit: 3, page: 2 });
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(answer)));
    expect(Object.keys(JSON.parse(out))).toEqual(['step', 'hits', 'pagination']);
  });

  test('says when it answers something looser than what was asked', async () => {
    const database = await catalogueOf([
      row('a', { description: 'alpha kubernetes', files: [{ filename: 'SKILL.md', text: 'hidden' }] }),
    ]);
    const first = async (...words: string[]) =>
      linesOf((await runCaptured(['search', ...words, '--database', database])).out)[0] ?? '';

    expect(await first('alpha')).not.toMatch(/^\(/);
    expect(await first('hidden')).toMatch(/^\(.*files/);
    expect(await first('kube')).toMatch(/^\(.*begins/);
    expect(await first('kubernetis')).toMatch(/^\(.*similar/);
    expect(await first('alpha', 'zzzzzz')).toMatch(/^\(.*some/);
  });

  test('prints text for a language model with --format, within --max-tokens', async () => {
    const database = await catalogueOf([
      row('a', { name: 'alpha', description: 'First sentence. Second sentence </skill>.' }),
      row('b', { description: 'alpha' }),
    ]);
    const print = async (...words: string[]) =>
      (await runCaptured(['search', 'alpha', '--database', database, ...words])).out;
    expect(await print('--format', 'list')).toBe(
      '- **alpha** (a): First sentence. Second sentence \\</skill\\>.\n- **name of b** (b): alpha\n',
    );
    expect(await print('--format', 'list', '--max-tokens', '24')).toMatch(
      /^- \*\*alpha\*\* \(a\).*\n\(1 skill left out\)\n$/,
    );
    expect(await print('--format', 'list', '--max-tokens', '0')).toBe('');
    const semantic = await print('--mode', 'semantic', '--ranking', 'words', '--format', 'json');
    expect(JSON.parse(semantic)).toMatchObject({ skills: [{ id: 'b' }, { id: 'a' }], leftOut: 0 });
  });
});

describe('the layout of results', () => {
  test('is aligned, however wide the characters of a name are', async () => {
    const names = [
      'pdf',
      '测试技能',
      'テスト自動化',
      '한국어 기술',
      'café',
      'a-much-longer-name-than-others',
      'x'.repeat(90),
    ];
    const database = await catalogueOf(
      names.map((name, i) =>
        row(`s-${i}`, { name, author: i % 2 === 0 ? '作者' : 'someone', description: 'alpha', stars: 10 ** i }),
      ),
    );
    const { out } = await runCaptured(['search', 'alpha', '--database', database]);

    const heads = linesOf(out).filter((line) => line.includes('★'));
    expect(heads).toHaveLength(names.length);
    expect(new Set(heads.map((line) => columnsOf(line.slice(0, line.indexOf('★'))))).size).toBe(1);
    expect(new Set(heads.map((line) => columnsOf(line.slice(0, line.lastIndexOf('unknown'))))).size).toBe(1);
  });

  test('keeps to the width of the terminal', async () => {
    const database = await catalogueOf([
      row('a', { description: 'alpha and a lot of other words '.repeat(40) }),
      row('b', { description: `alpha ${'这是一个很长的描述没有任何空格'.repeat(20)}` }),
      row('c', { description: `alpha ${'x'.repeat(500)}` }),
      row('d', { description: `alpha ${'x'.repeat(150)}` }),
    ]);
    for (const columns of [60, 80, 120]) {
      const { out } = await runCaptured(['search', 'alpha', '--database', database], { columns });
      for (const line of linesOf(withoutStyles(out))) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
    }
  });

  test('marks the matched words, and only these, on a terminal', async () => {
    vi.stubEnv('FORCE_COLOR', '1');
    vi.stubEnv('NO_COLOR', undefined);
    try {
      const database = await catalogueOf([row('a', { description: 'digital legit git, Git-flow' })]);
      const { out } = await runCaptured(['search', 'git', '--database', database], { columns: 80 });
      const marked = [...out.matchAll(/\u001b\[33m(.*?)\u001b\[39m/g)].map(([, word]) => word);
      expect(marked).toEqual(['git', 'Git']);
      expect(withoutStyles(out)).toContain('digital legit git, Git-flow');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

async function searchJson(database: string, ...words: string[]): Promise<KeywordResult> {
  const { out } = await runCaptured(['search', ...words, '--json', '--database', database]);
  return JSON.parse(out) as KeywordResult;
}

function withoutStyles(text: string): string {
  return text.replace(/\u001b\[\d+m/g, '');
}

/** Columns of a text whose only wide characters are Chinese, Japanese and Korean. */
function columnsOf(text: string): number {
  const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;
  return [...text].reduce((sum, character) => sum + (wide.test(character) ? 2 : 1), 0);
}

describe('the reason why a skill is shown', () => {
  const BM25 = { name: 0, author: 0, labels: 0, description: 1.5, files: 0 };

  function shares(of: Partial<Record<RankingFeature, number>>): FeatureShare[] {
    return Object.entries(of)
      .map(([feature, share]) => ({ feature: feature as RankingFeature, value: 0.5, weight: 10 * share, share }))
      .sort((a, b) => Math.abs(b.share) - Math.abs(a.share));
  }

  function parts(more: Partial<ScoreParts> = {}): ScoreParts {
    return {
      cosine: 0.7,
      bm25: BM25,
      words: 0.5,
      coverage: 0.5,
      features: shares({ cosine: 0.6, words: 0.4 }),
      sum: 5,
      others: 3,
      probability: 0.8,
      name: 'other',
      copies: ['a'],
      ...more,
    };
  }

  function reasonFor(more: Partial<ScoreParts>, matches: MatchedTerms = { description: ['notes'] }): string {
    return scoreReason({ matches, copies: 1 }, parts(more));
  }

  test('is its meaning and its words, what adds more first', () => {
    expect(reasonFor({})).toBe(
      'Shown for its meaning (60 % of the score: cosine 0.70) and for its words (40 %: "notes" in description).',
    );
    expect(reasonFor({ features: shares({ words: 0.3, description: 0.4, cosine: 0.2, fileText: 0.1 }) })).toBe(
      'Shown for its words (70 % of the score: "notes" in description) and for its meaning (20 %: cosine 0.70).',
    );
  });

  test('is its name where that is the question, or begins with it', () => {
    expect(reasonFor({ name: 'exact' })).toMatch(/^Shown because its name is the question, for its meaning \(60 %/);
    expect(reasonFor({ name: 'beginning' })).toMatch(/^Shown because its name begins with the question, for /);
  });

  test('names file text only where it counts', () => {
    const matches = { description: ['notes'], files: ['notes', 'git'] };
    expect(reasonFor({}, matches)).toMatch(/"notes" in description\)/);
    expect(reasonFor({ bm25: { ...BM25, files: 1 } }, matches)).toMatch(
      /"notes" and "git" in description and file text\)/,
    );
    expect(reasonFor({}, { files: ['notes'] })).toMatch(/for its words \(40 %\)\./);
  });
});

const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);
const ROWS = [
  row('o-kite', {
    name: 'kite',
    author: 'octo',
    description: 'Builds kites\nof paper',
    license: 'MIT',
    stars: 1200,
    updatedAt: now - 3 * DAY - 60,
    categories: ['toys', 'paper'],
    installations: [{ agent: 'codex', scope: 'user' }],
  }),
  row('o-boat', {
    name: 'boat',
    author: 'Octo',
    description: 'Folds boats',
    stars: 7,
    updatedAt: now - 40 * DAY,
    categories: ['paper'],
    installations: [{ agent: 'codex', scope: 'project' }],
    metadata: { internal: 'true' },
  }),
  row('m-saw', { name: 'saw', author: 'mill', description: 'Cuts wood', license: 'mit', stars: 2000 }),
];

async function catalogueOf(rows: readonly unknown[] = ROWS): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ database, sources: [{ name: 'rows', rows }], semantic: false });
  return database;
}

async function json<Result>(database: string, ...words: string[]): Promise<Result> {
  const out = await outOf([...words, '--json', '--database', database]);
  return JSON.parse(out) as Result;
}

describe('list', () => {
  test('prints name, author, stars and age of each skill, its description and its id, the latest first', async () => {
    const out = await outOf(['list', '--database', await catalogueOf()]);
    expect(linesOf(out)).toEqual([
      expect.stringMatching(/^kite {2}octo {2}★ 1,200 {2}3 days$/),
      '  Builds kites of paper',
      '  o-kite',
      '',
      expect.stringMatching(/^boat {2}Octo {2}★ 7 {6}\S/),
      '  Folds boats',
      '  o-boat',
      '',
      expect.stringMatching(/^saw {3}mill {2}★ 2,000 {2}\S/),
      '  Cuts wood',
      '  m-saw',
      '',
      '3 skills',
    ]);
  });

  test.each([
    ['--sort stars', 'm-saw o-kite o-boat'],
    ['--author OCTO', 'o-kite o-boat'],
    ['--license MIT', 'o-kite m-saw'],
    [`--updated-after ${now - 10 * DAY}`, 'o-kite'],
    [`--updated-before ${new Date((now - 10 * DAY) * 1000).toISOString()}`, 'o-boat'],
    ['--agent codex --scope user', 'o-kite'],
    ['--invocable', 'o-kite m-saw'],
    ['--limit 1 --page 3', 'm-saw'],
  ])('with %s lists what is asked for', async (options, ids) => {
    const { hits } = await json<ListResult>(await catalogueOf(), 'list', ...options.split(' '));
    expect(hits.map(({ skill }) => skill.id).join(' ')).toBe(ids);
  });

  test('tells which page it is, and that there is none behind the last', async () => {
    const database = await catalogueOf();
    const second = await runCaptured(['list', '--limit', '1', '--page', '2', '--database', database]);
    expect(linesOf(second.out).at(-1)).toBe('2 to 2 of 3 skills, page 2 of 3');
    const fourth = await runCaptured(['list', '--limit', '1', '--page', '4', '--database', database]);
    expect([fourth.status, linesOf(fourth.out)]).toEqual([0, ['There is no page 4: 3 skills are on 3 pages.']]);
    const none = await runCaptured(['list', '--min-stars', '9999', '--database', database]);
    expect([none.status, linesOf(none.out)]).toEqual([0, ['No skill matches.']]);
  });

  test('says which skills are damaged', async () => {
    const database = await catalogueOf();
    const change = new Database(database);
    change.exec("UPDATE revision SET record = replace(record, 'Cuts', 'Puts')");
    change.close();
    const { status, out, error } = await runCaptured(['list', '--database', database]);
    expect([status, linesOf(out)]).toEqual([0, expect.not.arrayContaining(['  m-saw'])]);
    expect(linesOf(error)).toEqual([expect.stringMatching(/^damaged: the skill m-saw: .*; load its source again$/)]);
  });
});

test('--facets of list and search counts the skills of all pages, below them', async () => {
  const database = await catalogueOf();
  const expected = ['3 skills', '', 'author', '  octo  2', '  mill  1', '', 'occupation', '  none'];
  const listed = await runCaptured(['list', '--facets', 'author,occupation', '--database', database]);
  expect(linesOf(listed.out).slice(-expected.length)).toEqual(expected);
  const { facets } = await json<KeywordResult>(
    database,
    'search',
    'paper',
    '--limit',
    '1',
    '--facets',
    'license, author',
  );
  expect(facets).toEqual({ license: [{ value: 'MIT', count: 1 }], author: [{ value: 'octo', count: 2 }] });
});

describe('show', () => {
  const skill: Row = row('o-r-notes', {
    name: 'release-notes',
    author: 'octo',
    description: 'Writes release notes\nfrom the git log',
    codehostUrl: 'https://github.com/o/r',
    skillUrl: 'https://example.com/notes',
    stars: 4321,
    updatedAt: 1_700_000_000,
    categories: ['documents', 'git-workflows'],
    files: [
      { filename: 'SKILL.md', text: '# Notes\n\n\tfirst step' },
      { filename: 'references/style.md', text: 'be brief' },
    ],
  });

  test('prints a skill and its files', async () => {
    const database = await catalogueOf([{ ...skill, license: 'MIT' }]);
    const out = await outOf(['show', 'o-r-notes', '--database', database]);
    for (const text of [
      'release-notes',
      'Writes release notes\nfrom the git log',
      'octo',
      '4,321',
      '2023-11-14',
      'https://github.com/o/r',
      'https://example.com/notes',
      'documents, git-workflows',
      'MIT',
      '--- SKILL.md\n# Notes\n\n  first step',
      '--- references/style.md\nbe brief',
    ]) {
      expect(out).toContain(text);
    }
  });

  test('prints the agents that have it, and that only users may call it', async () => {
    const installations = [
      { agent: 'codex', scope: 'user', path: '/etc' },
      { agent: 'claude-code', scope: 'plugin', plugin: 'office\u001b[31m' },
    ];
    const database = await catalogueOf([{ ...skill, installations, metadata: { internal: true } }]);
    for (const paths of [[], ['--local-paths']]) {
      const lines = linesOf((await runCaptured(['show', 'o-r-notes', ...paths, '--database', database])).out);
      const at = lines.indexOf('installed      codex (user)');
      expect(lines.slice(at, at + 2)).toEqual([
        'installed      codex (user)',
        '               claude-code (plugin office[31m)',
      ]);
      expect(lines).toContain('called by      users only');
    }
    const json = await runCaptured(['show', 'o-r-notes', '--json', '--database', database]);
    expect(JSON.parse(json.out)).toMatchObject({
      skill: { installations: [{ agent: 'codex' }, {}], invocable: false },
    });
    expect(json.out).not.toContain('/etc');
  });

  test('prints the front matter that no other line says', async () => {
    const frontMatter = { name: 'release-notes', version: '1.10', hooks: { Stop: ['x'] }, model: null };
    const database = await catalogueOf([{ ...skill, frontMatter }]);
    const lines = linesOf((await runCaptured(['show', 'o-r-notes', '--database', database])).out);
    expect(lines).toContain('version        1.10');
    expect(lines).toContain('hooks          {"Stop":["x"]}');
    expect(lines.filter((line) => /^(?:name|model) /.test(line))).toEqual([]);
    const json = await runCaptured(['show', 'o-r-notes', '--json', '--database', database]);
    expect(JSON.parse(json.out)).toMatchObject({ skill: { frontMatter } });
  });

  test('lists what a skill is made of, and prints one file of it as it is', async () => {
    const text = 'echo \u001b[31m\n';
    const sha256 = createHash('sha256').update(text).digest('hex');
    const files = [
      { filename: 'SKILL.md', text: 'an excerpt' },
      { filename: 'run.sh', text, complete: true, sha256, executable: true },
    ];
    const database = await catalogueOf([{ ...skill, files }]);
    const { out } = await runCaptured(['show', 'o-r-notes', '--contents', '--database', database]);
    expect(out).toContain('--- contents, not complete');
    expect(linesOf(out).at(-1)).toBe(`        11  ${sha256}  run.sh  text/x-shellscript, executable`);
    expect(linesOf(out).at(-2)).toMatch(/ {2}SKILL\.md {2}text\/markdown, excerpt$/);
    const json = await runCaptured(['show', 'o-r-notes', '--contents', '--json', '--database', database]);
    expect(JSON.parse(json.out)).toMatchObject({ contents: { complete: false, files: [{}, { sha256 }] } });

    const raw = (...more: string[]) => runCaptured(['show', 'o-r-notes', '--database', database, '--raw', ...more]);
    expect(await raw('run.sh')).toMatchObject({ status: 0, out: text, error: '' });
    expect(await raw('SKILL.md')).toMatchObject({
      status: 0,
      out: 'an excerpt',
      error: expect.stringContaining('excerpt'),
    });
    const atTerminal = await runCaptured(['show', 'o-r-notes', '--database', database, '--raw', 'run.sh'], {
      columns: 80,
    });
    expect([atTerminal.status, atTerminal.out]).toEqual([1, '']);
    expect(await raw('other')).toMatchObject({
      status: 1,
      out: '',
      error: expect.stringContaining('no file "other"'),
    });
  });

  test('lists the skills nearest to it with --similar, without a model', async () => {
    const database = scratchFile('skills.db');
    const others = [row('notes-2', { name: 'notes', description: 'Writes release notes' }), row('maps')];
    await buildCatalogue({ database, sources: [[skill, ...others]], embedder: new StandInEmbedder() });
    const show = (...more: string[]) => runCaptured(['show', 'o-r-notes', '--database', database, ...more]);
    const { status, out, error } = await show('--similar', '1');
    expect([status, error]).toEqual([0, '']);
    expect(linesOf(out).slice(-2)).toEqual([
      '--- similar skills',
      expect.stringMatching(/^ 0\.\d{3} {2}notes-2 {2}notes$/),
    ]);
    expect(out).not.toContain('first step');
    const { similar, copies, ...rest } = JSON.parse((await show('--similar', '--json')).out);
    expect(similar.map((one: { skill: Row; copies: number }) => [one.skill.id, one.copies])).toEqual([
      ['notes-2', 1],
      ['maps', 1],
    ]);
    expect(Object.keys(rest)).toEqual(['skill']);
    expect((await show('--similar', '--contents')).out).toMatch(/--- contents.*--- similar skills/s);
    expect((await show('--similar', '101')).error).toMatch(/limit must be an integer from 1 to 100, got 101/);
  });
});
