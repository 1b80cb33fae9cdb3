import { writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { buildCatalogue, type KeywordResult, openSkillSearch } from '../../src/index.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { linesOf, runCaptured } from './run-captured.js';

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

    const { status, out, error } = await runCaptured(['search', 'forms', '--database', database]);

    expect([status, error]).toEqual([0, '']);
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
  });

  test('takes several words as one question, quoted ones together', async () => {
    const database = await catalogueOf([
      row('a', { description: 'reviews a pull request' }),
      row('b', { description: 'a request to pull' }),
    ]);
    const loose = await searchJson(database, 'pull', 'request');
    expect(loose.pagination.total).toBe(2);
    const quoted = await searchJson(database, '"pull request"');
    expect(quoted.hits.map(({ skill }) => skill.id)).toEqual(['a']);
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

  test.each([
    ['nothing there', undefined, 1, /there is no file .*stop-words\.txt/],
    ['two words in a line', 'how to\n', 2, /stopWords must be single words, got "how to"/],
  ])('refuses a file of stop words with %s', async (_, text, expected, message) => {
    const file = scratchFile('stop-words.txt');
    if (text !== undefined) writeFileSync(file, text);
    const database = await catalogueOf([row('a')]);
    const { status, out, error } = await runCaptured(['search', 'a', '--stop-words', file, '--database', database]);
    expect([status, out]).toEqual([expected, '']);
    expect(linesOf(error)).toEqual([expect.stringMatching(message)]);
  });

  test.each(['react-testing', 'react_testing', 'node.js', 'c++', 'c#', '.net', 'a|b', 'a(b)', '$x^y', '漢字', 'f{2}'])(
    'can show a match of %s',
    async (word) => {
      const description = `uses ${word} every day`;
      const database = await catalogueOf([row('a', { description })]);
      const { status, out, error } = await runCaptured(['search', word, '--database', database]);
      expect([status, error]).toEqual([0, '']);
      expect(out).toContain(description);
    },
  );

  test('prints the answer of the library as JSON with --json', async () => {
    const rows = Array.from({ length: 7 }, (_, i) => row(`s-${i}`, { description: 'alpha', stars: i, updatedAt: i }));
    const database = await catalogueOf(rows);
    const words = ['--sort', 'stars', '--limit', '3', '--page', '2', '--database', database, '--json'];

    const { status, out, error } = await runCaptured(['search', 'alpha', ...words]);

    expect([status, error]).toEqual([0, '']);
    await using search = await openSkillSearch({ database });
    const answer = search.keyword({ q: 'alpha', sortBy: 'stars', limit: 3, page: 2 });
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(answer)));
    expect(Object.keys(JSON.parse(out))).toEqual(['step', 'hits', 'pagination']);
  });

  test('shows ten skills a page by relevance, and says what there is', async () => {
    const database = await catalogueOf(
      Array.from({ length: 23 }, (_, i) => row(`s-${i}`, { description: `alpha ${i}` })),
    );
    const { out } = await runCaptured(['search', 'alpha', '--database', database]);
    expect(linesOf(out).at(-1)).toBe('1 to 10 of 23 skills, page 1 of 3');
    const last = await runCaptured(['search', 'alpha', '--page', '3', '--database', database]);
    expect(linesOf(last.out).at(-1)).toBe('21 to 23 of 23 skills, page 3 of 3');
  });

  test('that finds nothing is a result, not a failure', async () => {
    const database = await catalogueOf([row('a', { description: 'alpha', categories: ['x'] })]);
    for (const words of [['zzzz'], ['alpha', '--category', 'unknown'], ['alpha', '--occupation', '15-0000']]) {
      const { status, out, error } = await runCaptured(['search', ...words, '--database', database]);
      expect([status, out, error]).toEqual([0, 'No skill matches.\n', '']);
    }
    expect(await searchJson(database, 'zzzz')).toEqual({
      hits: [],
      pagination: { page: 1, limit: 10, total: 0, totalPages: 0 },
    });
  });

  test('past the last page says how many there are', async () => {
    const database = await catalogueOf([row('a', { description: 'alpha' }), row('b', { description: 'alpha' })]);
    const { status, out } = await runCaptured(['search', 'alpha', '--page', '9', '--database', database]);
    expect(status).toBe(0);
    expect(linesOf(out)).toEqual([expect.stringMatching(/no page 9.*2 skills/)]);
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

  test('filters, sorts and keeps copies as told', async () => {
    const copy = { name: 'alpha', description: 'one and the same' };
    const database = await catalogueOf([
      row('old', { ...copy, updatedAt: 1, stars: 9, categories: ['x'], occupations: ['software-developers-151252'] }),
      row('new', { ...copy, updatedAt: 2, stars: 1, categories: ['y'] }),
    ]);
    const ids = async (...words: string[]) =>
      (await searchJson(database, 'alpha', ...words)).hits.map((h) => h.skill.id);

    expect(await ids()).toEqual(['old']);
    expect(await ids('--copies', 'keep')).toEqual(['old', 'new']);
    expect(await ids('--sort', 'recent')).toEqual(['new', 'old']);
    expect(await ids('--sort', 'stars')).toEqual(['old', 'new']);
    expect(await ids('--category', 'y')).toEqual(['new']);
    expect(await ids('--occupation', 'software-developers')).toEqual(['old']);
    expect(await ids('--author', 'Unknown', '--category', 'y')).toEqual(['new']);
    expect(await ids('--author', 'somebody')).toEqual([]);
    const { out } = await runCaptured(['search', 'alpha', '--database', database]);
    expect(out).toContain('2 copies');
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

  test('explains where each word matched with --explain', async () => {
    const database = await catalogueOf([row('a', { name: 'alpha', description: 'beta' })]);
    const { out } = await runCaptured(['search', 'alpha beta', '--explain', '--database', database]);
    expect(out).toMatch(/all-words.*score 0\.\d+.*name: alpha.*description: beta/);
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

  test('has no styles where the output is no terminal', async () => {
    vi.stubEnv('FORCE_COLOR', '1');
    try {
      const database = await catalogueOf([row('a', { description: 'git' })]);
      expect((await runCaptured(['search', 'git', '--database', database])).out).not.toContain('\u001b');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

async function catalogueOf(rows: readonly Row[]): Promise<string> {
  const database = scratchFile('skills.db');
  await buildCatalogue({ semantic: false, database, sources: [rows] });
  return database;
}

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
