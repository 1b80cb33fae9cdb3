import { describe, expect, test } from 'vitest';
import { scoreReason, semanticLines } from '../../src/cli/result-lines.js';
import { joinParts, stylesFor } from '../../src/cli/text-columns.js';
import type { FeatureShare, RankingFeature, ScoreParts, SemanticHit } from '../../src/index.js';

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
    expect(reasonFor({ features: shares({ author: -1 }) })).toBe('Neither its meaning nor its words add to the score.');
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
    const { cosine: _, ...withoutVector } = parts({ features: shares({ cosine: 0.7, description: 0.2, files: 0.1 }) });
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
