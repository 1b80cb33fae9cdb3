import { writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { joinParts, scoreReason, semanticLines, stylesFor } from '../../src/cli/index.js';
import {
  buildCatalogue,
  type FeatureShare,
  type KeywordResult,
  openSkillSearch,
  type RankingFeature,
  type ScoreParts,
  type SemanticHit,
} from '../../src/index.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { linesOf, runCaptured } from './run-captured.js';

describe('search', () => {
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

    test.each([
      'react-testing',
      'react_testing',
      'node.js',
      'c++',
      'c#',
      '.net',
      'a|b',
      'a(b)',
      '$x^y',
      '漢字',
      'f{2}',
    ])('can show a match of %s', async (word) => {
      const description = `uses ${word} every day`;
      const database = await catalogueOf([row('a', { description })]);
      const { status, out, error } = await runCaptured(['search', word, '--database', database]);
      expect([status, error]).toEqual([0, '']);
      expect(out).toContain(description);
    });

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
});

describe('explained hits', () => {
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

  function hit(explain: ScoreParts, more: Partial<SemanticHit> = {}): SemanticHit {
    return {
      fileId: 'a/SKILL.md',
      filename: 'SKILL.md',
      score: 0.8,
      skill: {
        id: 'a',
        name: 'notes',
        author: 'ana',
        description: 'Writes notes',
        categories: [],
        occupations: [],
        tags: [],
        stars: 1,
        updatedAt: 0,
        codehostUrl: '',
        skillUrl: '',
      },
      matches: { description: ['notes'] },
      snippet: { field: 'description', text: 'Writes notes', highlights: [] },
      copies: 1,
      explain,
      ...more,
    };
  }

  function reasonFor(more: Partial<ScoreParts>, ofHit: Partial<SemanticHit> = {}): string {
    const explain = parts(more);
    return scoreReason(hit(explain, ofHit), explain);
  }

  describe('the reason why a skill is shown', () => {
    test('is its meaning and its words, what adds more first', () => {
      expect(reasonFor({})).toBe(
        'Shown for its meaning (60 % of the score: cosine 0.70) and for its words (40 %: "notes" in description).',
      );
      expect(reasonFor({ features: shares({ words: 0.3, description: 0.4, cosine: 0.2, fileText: 0.1 }) })).toBe(
        'Shown for its words (70 % of the score: "notes" in description) and for its meaning (20 %: cosine 0.70).',
      );
    });

    test('counts nearness to the best as meaning, and stars and full files as neither meaning nor words', () => {
      const features = shares({ feedback: 0.3, cosine: 0.2, sentence: 0.1, words: 0.2, stars: 0.15, fileText: 0.05 });
      expect(reasonFor({ features })).toBe(
        'Shown for its meaning (60 % of the score: cosine 0.70) and for its words (20 %: "notes" in description).',
      );
      expect(reasonFor({ coverage: 0, features: shares({ stars: 1 }) })).toBe(
        "Neither its meaning nor its words add to the score. It has none of the question's words.",
      );
    });

    test('is never what takes away', () => {
      expect(reasonFor({ features: shares({ author: -0.5, words: 0.3, cosine: 0.2 }) })).toMatch(
        /^Shown for its words \(60 % of the score: .* and for its meaning \(40 %: /,
      );
      expect(reasonFor({ features: shares({ author: -0.5, words: 0.5 }) })).toBe(
        'Shown for its words (100 % of the score: "notes" in description).',
      );
      expect(reasonFor({ features: shares({ author: -1 }) })).toBe(
        'Neither its meaning nor its words add to the score.',
      );
    });

    test('is its name where that is the question, or begins with it', () => {
      expect(reasonFor({ name: 'exact' })).toMatch(/^Shown because its name is the question, for its meaning \(60 %/);
      expect(reasonFor({ name: 'beginning' })).toMatch(/^Shown because its name begins with the question, for /);
    });

    test('has no percentages where a hit is ranked by one thing alone', () => {
      const { cosine: _, features: __, ...byWords } = parts();
      expect(scoreReason(hit(byWords), byWords)).toBe('Shown for its words ("notes" in description).');
      const { coverage: ___, features: ____, bm25: _____, ...byMeaning } = parts();
      expect(scoreReason(hit(byMeaning), byMeaning)).toBe('Shown for its meaning (cosine 0.70).');
    });

    test('names no meaning where there is no vector', () => {
      const { cosine: _, ...withoutVector } = parts({
        features: shares({ cosine: 0.7, description: 0.2, files: 0.1 }),
      });
      expect(scoreReason(hit(withoutVector), withoutVector)).toBe(
        'Shown for its words (30 % of the score: "notes" in description). It has no vector, so a usual value stands for its meaning.',
      );
    });

    test('names file text only where it counts', () => {
      const matches = { description: ['notes'], files: ['notes', 'git'] };
      expect(reasonFor({}, { matches })).toMatch(/"notes" in description\)/);
      expect(reasonFor({ bm25: { ...BM25, files: 1 } }, { matches })).toMatch(
        /"notes" and "git" in description and file text\)/,
      );
      expect(reasonFor({}, { matches: { files: ['notes'] } })).toMatch(/for its words \(40 %\)\./);
    });

    test('says so where a skill has none of the words', () => {
      expect(reasonFor({ coverage: 0, features: shares({ cosine: 1 }) }, { matches: {} })).toBe(
        "Shown for its meaning (100 % of the score: cosine 0.70). It has none of the question's words.",
      );
    });

    test('names a few of many words', () => {
      const matches = { name: ['a', 'b', 'c'], description: ['b', 'd', 'e', 'f'] };
      expect(reasonFor({}, { matches })).toMatch(/\(40 %: "a", "b", "c", "d" and 2 more in name and description\)/);
    });

    test('tells how many copies there are, not of how many the ids are told', () => {
      const copies = Array.from({ length: 100 }, (_, i) => `s${i}`);
      expect(reasonFor({ copies }, { copies: 250 })).toMatch(/ It stands for 250 copies\.$/);
      expect(reasonFor({ copies }, { copies: 1 })).not.toMatch(/copies/);
    });
  });

  describe('the numbers of an explained hit', () => {
    test('break between features only', () => {
      const explain = parts({ features: shares({ cosine: 0.5, words: 0.2, description: 0.2, coverage: 0.1 }) });
      const whole = /^ {2}(?:[a-z]+ 0\.500 x \d\.00 \(\d+ %\)[,;] ?)*(?:file SKILL\.md)?$/;
      for (let columns = 40; columns < 130; columns++) {
        const result = { ranking: 'hybrid', confident: true, hits: [hit(explain)] } as const;
        const all = semanticLines(result, columns, stylesFor({}));
        const sentence = all.findIndex((line) => line.endsWith(').'));
        const lines = all.slice(
          sentence + 1,
          all.findIndex((line) => line.startsWith('  bm25:')),
        );
        expect(lines.map((line) => [columns, line, whole.test(line)])).toEqual(
          lines.map((line) => [columns, line, true]),
        );
        expect(lines.join(' ').match(/%\)/g)).toHaveLength(4);
      }
    });

    test('are joined to lines as long as there are columns', () => {
      const three = ['cosine 1, ', 'words 2; ', 'file SKILL.md'];
      expect(joinParts(three, 40)).toEqual(['cosine 1, words 2; file SKILL.md']);
      expect(joinParts(three, 18)).toEqual(['cosine 1, words 2;', 'file SKILL.md']);
      expect(joinParts(three, 17)).toEqual(['cosine 1,', 'words 2;', 'file SKILL.md']);
      expect(joinParts(three, 5)).toEqual(['cosine 1,', 'words 2;', 'file SKILL.md']);
      expect(joinParts([], 5)).toEqual([]);
    });
  });
});
