import { describe, expect, test } from 'vitest';
import { semanticLines } from '../../src/cli/result-lines.js';
import { scoreReason } from '../../src/cli/score-reason.js';
import { stylesFor } from '../../src/cli/styles.js';
import { joinParts } from '../../src/cli/text-columns.js';
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
  test('names what adds most, never what takes away', () => {
    expect(reasonFor({ features: shares({ author: -0.5, words: 0.3, cosine: 0.2 }) })).toMatch(
      /, most of it for its words\.$/,
    );
    expect(reasonFor({ features: shares({ author: -1 }) })).toMatch(/in description\.$/);
  });

  test('says “most of it” only where that is half of what is added or more', () => {
    expect(reasonFor({ features: shares({ words: 0.4, cosine: 0.4, name: -0.2 }) })).toMatch(
      /most of it for its words/,
    );
    expect(reasonFor({ features: shares({ words: 0.4, cosine: 0.3, name: 0.3 }) })).toMatch(
      /, above all for its words/,
    );
  });

  test('names no meaning where there is no vector', () => {
    const { cosine: _, ...withoutVector } = parts({ features: shares({ cosine: 0.7, description: 0.2, files: 0.1 }) });
    expect(scoreReason(hit(withoutVector), withoutVector)).toBe(
      'Score 0.80: it has no vector, and it has 50 % of the weight of the words, in description, above all for words of its description.',
    );
  });

  test('names file text only where it counts', () => {
    const matches = { description: ['notes'], files: ['notes'] };
    expect(reasonFor({}, { matches })).toMatch(/of the words, in description, most/);
    expect(reasonFor({ bm25: { ...BM25, files: 1 } }, { matches })).toMatch(/in description and file text, most/);
    expect(reasonFor({}, { matches: { files: ['notes'] } })).toMatch(/50 % of the weight of the words, most/);
    expect(reasonFor({ coverage: 0 }, { matches: {} })).toMatch(/it has none of the words, most/);
  });

  test('tells how many copies there are, not of how many the ids are told', () => {
    const copies = Array.from({ length: 100 }, (_, i) => `s${i}`);
    expect(reasonFor({ copies }, { copies: 250 })).toMatch(/; it stands for 250 copies\.$/);
    expect(reasonFor({ copies }, { copies: 1 })).not.toMatch(/copies/);
  });
});

describe('the numbers of an explained hit', () => {
  test('break between features only', () => {
    const explain = parts({ features: shares({ cosine: 0.5, words: 0.2, description: 0.2, coverage: 0.1 }) });
    const whole = /^ {2}(?:[a-z]+ 0\.500 x \d\.00 \(\d+ %\)[,;] ?)+(?:file SKILL\.md)?$/;
    for (let columns = 40; columns < 130; columns++) {
      const result = { ranking: 'hybrid', confident: true, hits: [hit(explain)] } as const;
      const lines = semanticLines(result, columns, stylesFor({})).filter((line) => /%\)|\(\d|x \d/.test(line));
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
