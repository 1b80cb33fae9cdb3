import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildCatalogue, type SemanticHit, type SkillSearch } from '../../src/index.js';
import { RANKING_FEATURES, type RankingFeature } from '../../src/result.js';
import { DocumentVectors } from '../../src/search/nearest-documents.js';
import { withFeedback } from '../../src/search/rank-candidates.js';
import {
  DECISION_FEATURES,
  type DecisionRule,
  MOST_CERTAIN,
  raisedTo,
  taskScore,
} from '../../src/search/ranking/decision.js';
import {
  type Candidate,
  type FeatureValues,
  type FusionWeights,
  featuresOf,
  mapFeatures,
  type NameMatch,
  type RankingModel,
  rankingModel,
  weightsFor,
} from '../../src/search/ranking/features.js';
import {
  HybridScorer,
  meanOfOthers,
  type QuestionContext,
  type ScoredCandidate,
} from '../../src/search/ranking/hybrid.js';
import { catalogueOf, opened } from '../catalogues.js';
import { type Row, row } from '../rows.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const CONTEXT: QuestionContext = {
  ranking: 'hybrid',
  highest: 50,
  readable: 1,
  inModelLanguage: true,
  usualCosine: 0.3,
  usualFeedback: 0,
  skills: 5000,
  words: 4,
  task: 0,
  isOneWord: false,
};

const NO_WEIGHTS = Object.fromEntries(
  RANKING_FEATURES.map((feature) => [feature, { weight: 0, bySize: 0, byLength: 0 }]),
) as FusionWeights;

describe('hybrid', () => {
  const FIELDS = { name: 0, author: 0, labels: 0, description: 0, files: 0 };

  function candidate(cosine: number, score: number, nameMatch: NameMatch = 'other'): Candidate {
    const words = { score, fields: { ...FIELDS, description: score }, coverage: score / 50, fileTerms: 0 };
    return { document: 0, nameMatch, cosine, sentence: undefined, feedback: undefined, stars: 0, words };
  }

  const NAMES: readonly NameMatch[] = ['other', 'beginning', 'exact'];

  describe('the score of a hit', () => {
    test('falls with rank, names first, and is from 0 to 1, whatever the candidates are', () => {
      const candidates = fc.array(
        fc.record({
          cosine: fc.double({ min: -1, max: 1, noNaN: true }),
          score: fc.double({ min: 0, max: 50, noNaN: true }),
          name: fc.constantFrom(...NAMES),
        }),
        { minLength: 1, maxLength: 15 },
      );
      fc.assert(
        fc.property(candidates, (all) => {
          const scorer = new HybridScorer(CONTEXT);
          const scored = all
            .map(({ cosine, score, name }): ScoredCandidate => scorer.score(candidate(cosine, score, name)))
            .sort((a, b) => b.nameRank - a.nameRank || b.sum - a.sum);
          const scores = scored.map(scorer.calibrate(scored).scoreOf);
          expect(scores).toEqual(scores.toSorted((a, b) => b - a));
          for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
          for (const [i, { nameRank }] of scored.entries()) {
            expect(scores[i]).toBeGreaterThanOrEqual([0, MOST_CERTAIN, 0.99][nameRank] as number);
            expect(scores[i]).toBeLessThanOrEqual([MOST_CERTAIN, 0.99, 1][nameRank] as number);
          }
        }),
      );
    });
  });

  /** Numbers that tell the parts of a model from each other. */
  function modelOf(): RankingModel {
    const only = (feature: RankingFeature): FusionWeights => ({
      ...NO_WEIGHTS,
      [feature]: { weight: 10, bySize: 0, byLength: 0 },
    });
    const none = Object.fromEntries(
      DECISION_FEATURES.map((name) => [name, { weight: 0, bySize: 0 }]),
    ) as DecisionRule['weights'];
    const rule: DecisionRule = {
      weights: { ...none, sum: { weight: 4, bySize: 0 } },
      ...{ intercept: -1, later: 10, unfit: 0.2, confident: 0.4, perhaps: 0.3 },
    };
    const noTask = { weights: Buffer.alloc(2048).toString('base64'), scale: 0, intercept: 0 };
    const task = { words: noTask, vector: { ...noTask, model: 'none' } };
    return {
      weights: {
        first: only('cosine'),
        readable: only('feedback'),
        glossed: only('words'),
        foreign: only('description'),
      },
      evidence: { language: 0, english: 0, owner: 0, stars: 0, description: 0 },
      decision: { hybrid: rule, vector: rule, words: rule, task },
    };
  }

  describe('the sum and score of a question', () => {
    const one: Candidate = { ...candidate(0.4, 30), feedback: 0.7 };
    const sumOf = (context: QuestionContext, pass?: 'first' | 'last'): number =>
      new HybridScorer(context, pass, modelOf()).score(one).sum;
    test('have no feedback in the first pass, and have it in the last', () => {
      expect(sumOf(CONTEXT, 'first')).toBeCloseTo(4, 9);
      expect(sumOf(CONTEXT)).toBeCloseTo(7, 9);
    });

    test.each([
      ['in another language than the model', { inModelLanguage: false }],
      ['in letters that the model cannot read', { readable: 0 }],
    ])('go %s by numbers of their own, in both passes', (_, more) => {
      const context = { ...CONTEXT, ...more };
      expect(sumOf(context, 'first')).toBeCloseTo(6, 9);
      expect(sumOf(context)).toBeCloseTo(6, 9);
    });
  });

  describe('the decision', () => {
    /** Of hits with these sums, where 10 is the highest that there can be. */
    const decide = (sums: readonly number[]) => {
      const scorer = new HybridScorer(CONTEXT, 'last', modelOf());
      const scored = sums.map((sum): ScoredCandidate => ({ ...scorer.score(candidate(0.4, 30)), sum }));
      return scorer.calibrate(scored).decision;
    };

    test('shows the first hit, and of the next two those that come near it, where the first is probable', () => {
      expect(decide([5, 4.1, 4, 4])).toMatchObject({ worth: 3, perhaps: false });
      expect(decide([5, 4.1, 3.9])).toMatchObject({ worth: 2 });
      expect(decide([5, 1])).toMatchObject({ worth: 1, probability: MOST_CERTAIN / (1 + Math.exp(-1)) });
    });

    test('takes the only word of a question for a look-up where the name of the first hit has it', () => {
      const decideWord = (isOneWord: boolean) => {
        const scorer = new HybridScorer({ ...CONTEXT, isOneWord }, 'last', modelOf());
        const named = candidate(0.1, 1);
        const words = { ...named.words!, fields: { ...FIELDS, name: 2 } };
        return scorer.calibrate([scorer.score({ ...named, words })]).decision;
      };
      expect(decideWord(true)).toMatchObject({ worth: 1, probability: 0.5 });
      expect(decideWord(false)).toMatchObject({ worth: 0 });
    });

    test('mentions what is a little less probable, and shows nothing of what is not', () => {
      expect(decide([1.5])).toMatchObject({ worth: 0, perhaps: true });
      expect(decide([0.5])).toMatchObject({ worth: 0, perhaps: false });
      expect(decide([])).toMatchObject({ worth: 0, perhaps: false, probability: 0 });
    });

    test('is surer where uses have raised the score of the first hit', () => {
      expect(raisedTo(0.5, decide([1.5]))).toMatchObject({ worth: 1, perhaps: false, probability: 0.5 });
      expect(raisedTo(0.35, decide([0.5]))).toMatchObject({ worth: 0, perhaps: true });
      expect(raisedTo(0, decide([5, 4.1]))).toEqual(decide([5, 4.1]));
    });
  });
});

describe('fusion', () => {
  const WORDS = {
    score: 5,
    fields: { name: 2, author: 0, labels: 0, description: 4, files: 20 },
    coverage: 0.5,
    fileTerms: 100,
  };
  const CANDIDATE = { cosine: 0.4, sentence: undefined, feedback: undefined, stars: 0, words: WORDS };
  const SCALE = { highest: 10, readable: 1, usualCosine: 0.3, usualFeedback: 0.2 };

  const NONE: FeatureValues = mapFeatures(() => 0);
  describe('the features of a question and a skill', () => {
    test('are shares of what the question could reach, and never above 1', () => {
      expect(featuresOf({ ...CANDIDATE, feedback: 0.6, stars: 316 }, SCALE)).toEqual({
        cosine: 0.4,
        sentence: 0,
        feedback: 0.6,
        words: 0.5,
        name: 0.2,
        author: 0,
        labels: 0,
        description: 0.4,
        files: 1,
        coverage: 0.5,
        fileText: 0.5,
        stars: expect.closeTo(0.5, 3),
      });
    });

    test('count meaning by the share of the question that the model reads, but not what is near to the best', () => {
      const candidate = { ...CANDIDATE, cosine: 0.8, sentence: 0.9, feedback: 0.4 };
      const { cosine, sentence, feedback } = featuresOf(candidate, { ...SCALE, readable: 0.25 });
      expect(cosine).toBeCloseTo(0.2, 9);
      expect(sentence).toBeCloseTo(0.025, 9);
      expect(feedback).toBe(0.4);
    });
  });

  describe('the weights of a question', () => {
    test('add up to what was fitted for size and length, and are never below 0', () => {
      const readable = { ...NO_WEIGHTS, cosine: { weight: 3, bySize: 2, byLength: -1 } };
      const of = (skills: number, words: number, by: FusionWeights = readable): FeatureValues =>
        weightsFor(
          { readable: by, glossed: NO_WEIGHTS, foreign: NO_WEIGHTS },
          { skills, words, readable: 1, inModelLanguage: true },
        );
      expect(of(100_000, 17).cosine).toBeCloseTo(5 - Math.log(2), 9);
      expect(of(100, 8)).toEqual({ ...NONE, cosine: 3 });
      expect(of(1, 32, { ...NO_WEIGHTS, cosine: { weight: 1, bySize: 0, byLength: -9 } }).cosine).toBe(0);
    });

    test('that come with the library let no skill lose by having a word', () => {
      const { weights } = rankingModel();
      for (const skills of [1, 1000, 1_000_000]) {
        for (const words of [1, 2, 4, 8, 64]) {
          for (const [readable, glossed] of [
            [0, false],
            [1, false],
            [1, true],
          ] as const) {
            const of = weightsFor(weights, { skills, words, readable, glossed, inModelLanguage: true });
            expect(Math.min(...Object.values(of))).toBeGreaterThanOrEqual(0);
            expect(of.words + of.coverage).toBeGreaterThan(1);
          }
        }
      }
    });
  });

  describe('the data file of the ranking', () => {
    test('has every weight and calibration', () => {
      const { weights, decision } = rankingModel();
      for (const of of [weights.first, weights.readable, weights.foreign]) {
        expect(Object.keys(of).toSorted()).toEqual([...RANKING_FEATURES].toSorted());
        for (const { weight, bySize, byLength } of Object.values(of)) {
          expect([weight, bySize, byLength].every(Number.isFinite)).toBe(true);
        }
      }
      const { task, ...rules } = decision;
      expect(Object.keys(rules).toSorted()).toEqual(['hybrid', 'vector', 'words']);
      for (const { weights: of, intercept, later, unfit, confident, perhaps } of Object.values(rules)) {
        expect(Object.keys(of).toSorted()).toEqual([...DECISION_FEATURES].toSorted());
        const numbers = Object.values(of).flatMap(({ weight, bySize }) => [weight, bySize]);
        expect([...numbers, intercept, unfit].every(Number.isFinite)).toBe(true);
        expect(later).toBeGreaterThan(0);
        expect(0 < perhaps && perhaps < confident && confident < MOST_CERTAIN).toBe(true);
      }
      const scoreOf = (text: string): number => taskScore(text, undefined, task);
      for (const remark of ['yes, do that', 'how are you?', 'no, not that one', 'danke, passt so', '谢谢']) {
        expect(scoreOf(remark), remark).toBeLessThan(-1);
        expect(scoreOf('make a slide deck about our quarterly results'), remark).toBeGreaterThan(scoreOf(remark) + 1);
      }
    });
  });
});

describe('the mean of the other sums', () => {
  test('is that of the next nine, and supposes skills that do not fit for missing ones, none before the first', () => {
    expect(meanOfOthers([9, ...Array<number>(20).fill(3)], 5)).toBe(3);
    expect(meanOfOthers([9], 5)).toBe(5);
    expect(meanOfOthers([9, 7, 1], 5)).toBeCloseTo((7 + 1 + 7 * 5) / 9, 9);
    expect(meanOfOthers([4, 3], 5)).toBeCloseTo((3 + 8 * 4) / 9, 9);
    expect(meanOfOthers([], 5)).toBe(0);
  });
});

describe('feedback', () => {
  /** Candidates of these cosines with the question, by document. */
  function candidatesOf(cosines: readonly (number | undefined)[]): Candidate[] {
    const rest = { nameMatch: 'other', sentence: undefined, feedback: undefined, stars: 0, words: undefined } as const;
    return cosines.map((cosine, document) => ({ ...rest, document, cosine }));
  }

  type Vector = readonly [x: number, y: number];

  function vectorsOf(vectors: readonly (Vector | undefined)[]): DocumentVectors {
    const vectorOf = new Map(
      vectors.flatMap((vector, i) => (vector === undefined ? [] : [[i, Float32Array.from(vector)]])),
    );
    return new DocumentVectors(2, vectorOf);
  }

  const EAST: Vector = [1, 0];
  const NORTH: Vector = [0, 1];
  const WEST: Vector = [-1, 0];

  interface Asked {
    readonly cosines: readonly (number | undefined)[];
    readonly vectors: readonly (Vector | undefined)[];
    /** By default there are no copies. */
    readonly groups?: readonly number[];
  }

  function feedbackOf({ cosines, vectors, groups = [...cosines.keys()] }: Asked): ReturnType<typeof withFeedback> {
    return withFeedback(
      candidatesOf(cosines),
      { ...CONTEXT, usualCosine: 0 },
      vectorsOf(vectors),
      Uint32Array.from(groups),
    );
  }

  describe('feedback', () => {
    test('hears copies once', () => {
      const cosines = [0.5, ...Array<number>(9).fill(0.5)];
      const vectors = [EAST, ...Array<Vector>(9).fill(NORTH)];
      const apart = feedbackOf({ cosines, vectors }).candidates;
      const copies = feedbackOf({ cosines, vectors, groups: [0, ...Array<number>(9).fill(1)] }).candidates;
      expect(apart[0]?.feedback).toBeLessThan(0.2);
      expect(copies[0]?.feedback).toBeCloseTo(Math.SQRT1_2, 6);
      // Each of the copies is told all the same.
      expect(copies.slice(1).map(({ feedback }) => feedback)).toEqual(
        Array<unknown>(9).fill(expect.closeTo(Math.SQRT1_2, 6)),
      );
    });

    test('counts little where the best have no vector, so that others do not speak for them', () => {
      const { candidates, usualFeedback } = feedbackOf({ cosines: [0.9, 0.7], vectors: [undefined, NORTH] });
      expect(candidates[1]?.feedback).toBeLessThan(0.5);
      expect(usualFeedback).toBe(candidates[1]?.feedback);
    });

    test.each<[string, Asked]>([
      ['no candidates', { cosines: [], vectors: [] }],
      ['no vectors', { cosines: [undefined, undefined], vectors: [undefined, undefined] }],
      ['vectors that cancel out', { cosines: [0.4, 0.4], vectors: [EAST, WEST] }],
    ])('is unknown of %s', (_, asked) => {
      expect(feedbackOf(asked)).toEqual({ candidates: candidatesOf(asked.cosines), usualFeedback: 0 });
    });
  });

  /** Vectors of two kinds of skills, and of a third that is in between; all others are elsewhere. */
  class Compass extends StandInEmbedder {
    override async embed(texts: readonly string[]): Promise<Float32Array[]> {
      return texts.map((text) => {
        const [x, y, z] = COMPASS.find(([word]) => text.includes(word))?.[1] ?? [0, 0, 1];
        const length = Math.hypot(x, y, z);
        return Float32Array.of(x / length, y / length, z / length);
      });
    }
  }

  /** The question is as near to `kin` as to `stranger`, and nearer to the four called `best`. */
  const COMPASS: readonly (readonly [string, readonly [number, number, number]])[] = [
    ['question', [1, 0, 0]],
    ['best', [1, 0.7, 0]],
    ['kin', [0.7, 1, 0]],
    ['stranger', [0.7, -1, 0]],
  ];

  const ROWS: readonly Row[] = [
    ...['a', 'b', 'c', 'd'].map((id) => row(id, { name: `best ${id}`, description: `best of ${id}` })),
    row('s', { name: 'stranger', description: 'stranger' }),
    row('z', { name: 'kin', description: 'kin' }),
    // Fewer than a hundred candidates have no feedback.
    ...Array.from({ length: 94 }, (_, id) => row(`far-${id}`, { name: `far ${id}`, description: `elsewhere ${id}` })),
  ];

  describe('a question', () => {
    test('finds what is near to its best answers before what is as near to itself', async () => {
      const search = await searchOver(ROWS);
      const hits = await explained(search, { q: 'question' });
      const place = (id: string): number => hits.findIndex(({ skill }) => skill.id === id);
      const [kin, stranger] = [hits[place('z')]!, hits[place('s')]!];
      expect(kin.explain?.cosine).toBeCloseTo(stranger.explain?.cosine as number, 5);
      expect(feedbackIn(kin)).toBeGreaterThan(feedbackIn(stranger) as number);
      expect(place('z')).toBeLessThan(place('s'));
      expect(await explained(search, { q: 'question' })).toEqual(hits);
    });

    test('gives a skill without a vector the usual feedback', async () => {
      const embedder = new Compass();
      const database = await catalogueOf(ROWS, embedder);
      const late = row('late', { name: 'no-vector', description: 'A question of words.' });
      await buildCatalogue({ database, sources: [[late]], semantic: false });
      const search = await opened({ database, embedder });
      const hits = await explained(search, { q: 'question', limit: 100 });
      const known = hits.filter(({ skill }) => skill.id !== 'late').map((hit) => feedbackIn(hit)!);
      const usual = known.toSorted((a, b) => a - b)[Math.floor((known.length - 1) / 2)];
      expect(feedbackIn(hits.find(({ skill }) => skill.id === 'late')!)).toBe(usual);
    });

    test.each([
      ['of a catalogue with one skill', ROWS.slice(0, 1), 1],
      ['of an empty catalogue', [], 0],
    ])('%s is answered all the same', async (_, rows, found) => {
      const search = await searchOver(rows);
      const hits = await explained(search, { q: 'question' });
      expect(hits).toHaveLength(found);
      // So few would speak for themselves.
      for (const hit of hits) expect(feedbackIn(hit)).toBeCloseTo(hit.explain?.cosine as number, 9);
    });
  });

  function feedbackIn({ explain }: SemanticHit): number | undefined {
    return explain?.features?.find(({ feature }) => feature === 'feedback')?.value;
  }

  async function explained(
    search: SkillSearch,
    query: Parameters<SkillSearch['semantic']>[0],
  ): Promise<readonly SemanticHit[]> {
    return (await search.semantic({ ...query, explain: true })).hits;
  }

  async function searchOver(rows: readonly Row[]): Promise<SkillSearch> {
    return opened({ skills: rows, embedder: new Compass() });
  }
});
