import { describe, expect, onTestFinished, test } from 'vitest';
import { buildCatalogue, openSkillSearch, type SemanticHit, type SkillSearch } from '../../src/index.js';
import { DocumentVectors } from '../../src/search/nearest-documents.js';
import { withFeedback } from '../../src/search/rank-candidates.js';
import type { Candidate } from '../../src/search/ranking/features.js';
import type { QuestionContext } from '../../src/search/ranking/hybrid.js';
import { type Row, row } from '../rows.js';
import { scratchFile } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const CONTEXT: QuestionContext = {
  ranking: 'hybrid',
  highest: 0,
  readable: 1,
  inModelLanguage: true,
  usualCosine: 0,
  usualFeedback: 0,
  skills: 1000,
  words: 4,
};

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
  return new DocumentVectors({ dimensions: 2, vectorOf, damaged: [] });
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
  return withFeedback(candidatesOf(cosines), CONTEXT, vectorsOf(vectors), Uint32Array.from(groups));
}

describe('feedback', () => {
  test('is how near a candidate is to the best of the first pass, each counting more, the higher its sum', () => {
    const { candidates } = feedbackOf({ cosines: [0.9, 0.3, 0.1, 0.1], vectors: [EAST, NORTH, EAST, WEST] });
    const [best, second, near, far] = candidates.map(({ feedback = Number.NaN }) => feedback) as [
      number,
      number,
      number,
      number,
    ];
    expect(best).toBeGreaterThan(0.9);
    expect(near).toBe(best);
    expect(second).toBeLessThan(0.5);
    expect(far).toBeCloseTo(-best, 6);
  });

  test('leaves all else of the candidates and their order as they are', () => {
    const cosines = [0.1, 0.9, 0.5];
    const { candidates } = feedbackOf({ cosines, vectors: [EAST, NORTH, WEST] });
    expect(candidates.map((one) => ({ ...one, feedback: undefined }))).toEqual(candidatesOf(cosines));
  });

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

  test('hears twenty, and not what comes behind them', () => {
    const cosines = Array.from({ length: 40 }, (_, i) => (i < 20 ? 0.5 : 0.499));
    const vectors = cosines.map((_, i) => (i < 20 ? EAST : NORTH));
    const { candidates } = feedbackOf({ cosines, vectors });
    expect(candidates[0]?.feedback).toBeCloseTo(1, 6);
    expect(candidates[39]?.feedback).toBeCloseTo(0, 6);
  });

  test('is the usual one for a skill without a vector', () => {
    const { candidates, usualFeedback } = feedbackOf({
      cosines: [0.9, 0.2, 0.1, undefined],
      vectors: [EAST, EAST, NORTH, undefined],
    });
    expect(candidates[3]?.feedback).toBeUndefined();
    expect(usualFeedback).toBe(candidates[1]?.feedback);
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

  test('of a single candidate is that it is near to itself', () => {
    const { candidates, usualFeedback } = feedbackOf({ cosines: [0.2], vectors: [NORTH] });
    expect(candidates[0]?.feedback).toBeCloseTo(1, 6);
    expect(usualFeedback).toBe(candidates[0]?.feedback);
  });

  test('is the same every time, whatever the order of the candidates', () => {
    const cosines = [0.9, 0.3, 0.3, 0.1];
    const vectors = vectorsOf([EAST, NORTH, WEST, EAST]);
    const groups = Uint32Array.from(cosines.keys());
    const byDocument = (candidates: readonly Candidate[]): Candidate[] =>
      candidates.toSorted((a, b) => a.document - b.document);
    const one = withFeedback(candidatesOf(cosines), CONTEXT, vectors, groups);
    const other = withFeedback(candidatesOf(cosines).toReversed(), CONTEXT, vectors, groups);
    expect(byDocument(other.candidates)).toEqual(byDocument(one.candidates));
    expect(other.usualFeedback).toBe(one.usualFeedback);
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

  test.each(['vector', 'words'] as const)('ranked by %s alone has none', async (ranking) => {
    const search = await searchOver(ROWS);
    const hits = await explained(search, { q: ranking === 'words' ? 'kin stranger' : 'question', ranking, limit: 6 });
    expect(hits.map(feedbackIn)).toEqual(hits.map(() => undefined));
    const scores = new Map(hits.map(({ skill, score }) => [skill.id, score]));
    // What is as near by itself has the same score.
    expect(scores.get('z')).toBeCloseTo(scores.get('s') as number, 5);
  });

  test('gives a skill without a vector the usual feedback', async () => {
    const database = scratchFile('skills.db');
    const embedder = new Compass();
    await buildCatalogue({ database, sources: [ROWS], embedder });
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

async function opened(options: Parameters<typeof openSkillSearch>[0]): Promise<SkillSearch> {
  const search = await openSkillSearch(options);
  onTestFinished(() => search.close());
  return search;
}
