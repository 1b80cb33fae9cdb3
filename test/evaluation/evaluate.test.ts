import { describe, expect, test } from 'vitest';
import {
  type Benchmark,
  EVALUATION_MODES,
  type EvaluationProgress,
  evaluate,
  type Gains,
  measureRanking,
  type Run,
  rankQuestions,
  summarise,
} from '../../src/evaluation/index.js';
import { openSkillSearch, type SkillSearch } from '../../src/index.js';
import { errorLike } from '../error-code.js';
import { type Row, row } from '../rows.js';
import { closing } from '../scratch-folder.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

const ROWS: readonly Row[] = [
  row('notes', { name: 'release-notes', description: 'Writes release notes from the git log.' }),
  row('forms', { name: 'pdf-forms', description: 'Fills in PDF forms.' }),
  row('review', { name: 'sql-review', description: 'Reviews SQL queries.' }),
  row('birds', { name: 'bird-names', description: 'Tells birds by their song.' }),
];

describe('an evaluation', () => {
  test('asks in every mode and measures what is found', async () => {
    const benchmark = benchmarkOf({ q1: ['release notes', { notes: 2 }], q2: ['birds and forms', { forms: 1 }] });
    const progress: EvaluationProgress[] = [];
    const { modes, metric, comparisons } = await evaluate({
      benchmark,
      search: await searchOver(ROWS),
      onProgress: (one) => progress.push(one),
    });
    expect(modes.map(({ name }) => name)).toEqual([...EVALUATION_MODES]);
    expect([metric, comparisons]).toEqual(['ndcg@10', []]);
    expect(Object.keys(modes[0]?.figures ?? {})).toEqual([
      'ndcg@10',
      'mrr@10',
      'recall@10',
      'precision@10',
      'map',
      'hit@1',
    ]);
    for (const { run, byQuestion, figures, intervals } of modes) {
      expect([...byQuestion.keys()]).toEqual(['q1', 'q2']);
      expect(byQuestion.get('q1')).toMatchObject({ 'ndcg@10': 1, 'hit@1': 1, 'precision@10': 0.1 });
      const second = measureRanking(run.get('q2') ?? [], benchmark.gains.get('q2') as Map<string, number>, {
        at: [10],
      });
      expect(byQuestion.get('q2')).toEqual(second);
      expect(figures['map']).toBeCloseTo((1 + (second['map'] as number)) / 2, 12);
      const [low, high] = intervals['map'] as [number, number];
      expect(low <= (figures['map'] as number) && (figures['map'] as number) <= high).toBe(true);
    }
    expect(progress.at(0)).toEqual({ mode: 'bm25', done: 0, total: 2 });
    expect(progress.at(-1)).toEqual({ mode: 'keyword', done: 2, total: 2 });
  });

  test('measures runs made elsewhere; a question that is missing there found nothing', async () => {
    const benchmark = benchmarkOf({ q1: ['x', { a: 1, b: 1 }], q2: ['y', { c: 1 }] });
    const { modes } = await evaluate({ benchmark, runs: [{ name: 'mine', run: runOf({ q1: ['b', 'x', 'a'] }) }] });
    // q1: average precision (1/1 + 2/3) / 2; q2: 0.
    expect(modes.map(({ name, figures }) => [name, figures['map'], figures['hit@1']])).toEqual([
      ['mine', expect.closeTo((1 + 2 / 3) / 2 / 2, 12), 0.5],
    ]);
    expect(modes[0]?.recallByDepth.slice(0, 3)).toEqual([1 / 4, 1 / 4, 1 / 2]);
  });

  test('compares with a mode, a run, or a run that is not measured itself', async () => {
    const benchmark = benchmarkOf({ q1: ['x', { a: 1 }], q2: ['y', { c: 1 }] });
    const [good, bad] = [runOf({ q1: ['a'], q2: ['c'] }), runOf({ q1: ['x', 'a'], q2: ['c'] })];
    const runs = [
      { name: 'good', run: good },
      { name: 'bad', run: bad },
    ];
    const named = await evaluate({ benchmark, runs, baseline: 'bad' });
    expect(named.comparisons).toMatchObject([
      { name: 'good', baseline: 'bad', metric: 'ndcg@10', won: 1, lost: 0, tied: 1, p: 1 },
    ]);
    expect(named.comparisons[0]?.difference).toBeCloseTo((1 - 1 / Math.log2(3)) / 2, 12);
    const other = await evaluate({ benchmark, runs, baseline: { name: 'good', run: good } });
    expect(other.comparisons.map(({ name, difference }) => [name, Math.sign(difference)])).toEqual([
      ['good', 0],
      ['bad', -1],
    ]);
    expect(other.modes).toHaveLength(2);
  });

  test('of abstention compares first scores with and without the right answers', async () => {
    const benchmark = benchmarkOf({ q1: ['x', { a: 1, b: 2 }], q2: ['y', { c: 1 }], q3: ['z', { d: 1 }] });
    const run: Run = new Map([
      ['q1', [scored('a', 0.9), scored('b', 0.8), scored('x', 0.3)]],
      ['q2', [scored('x', 0.6), scored('c', 0.5)]],
      ['q3', [scored('d', 0.7)]],
    ]);
    const { modes } = await evaluate({ benchmark, runs: [{ name: 'run', run }], abstention: true });
    // With answers .9, .6, .7; without .3, .6 and nothing. Of nine pairs only .6 and .6 is undecided, none is wrong.
    expect(modes[0]?.figures['auroc']).toBeCloseTo(8.5 / 9, 12);
    const [low, high] = modes[0]?.intervals['auroc'] ?? [];
    expect(low).toBeLessThanOrEqual(8.5 / 9);
    expect(high).toBeGreaterThanOrEqual(8.5 / 9);
  });

  test.each([
    ['a depth of 0', { depth: 0 }, /depth must be a whole number from 1 to 100, got 0/],
    ['a depth of 101', { depth: 101 }, /got 101/],
    ['no cut', { at: [] }, /at must be a whole number from 1, got none/],
    ['half a cut', { at: [10, 2.5] }, /got 2\.5/],
    ['a mode twice', { modes: ['bm25', 'bm25'] as const }, /must have different names, got bm25, bm25/],
    ['an unknown baseline', { modes: [], baseline: 'bm25' }, /got bm25/],
    ['a mode without a search', { modes: ['bm25'] as const }, /mode bm25 needs a search, got none/],
  ])('with %s is refused', async (_, options, message) => {
    const benchmark = benchmarkOf({ q: ['x', { a: 1 }] });
    await expect(evaluate({ benchmark, ...options })).rejects.toEqual(errorLike('INVALID_OPTION', message));
  });
});

describe('an evaluation of graded requests', () => {
  const GRADED = gradedOf({
    q1: ['release notes', { notes: 3, forms: 0 }],
    q2: ['birds and forms', { forms: 2, birds: 1, review: 0 }],
    u1: ['bake a cake', { birds: 1, notes: 0 }],
    u2: ['…', { birds: 0 }],
  });

  test('measures what is judged and what is useful, of modes and of runs, with intervals', async () => {
    const run = runOf({ q1: ['x', 'notes'], q2: ['birds', 'forms', 'review'], u1: ['birds'] });
    const { modes } = await evaluate({
      benchmark: GRADED,
      search: await searchOver(ROWS),
      modes: ['bm25', 'keyword'],
      runs: [{ name: 'mine', run }],
    });
    for (const { figures, intervals, byQuestion } of modes) {
      expect(Object.keys(figures).slice(4)).toEqual(['judged@10', 'map', 'hit@1', 'useful@5', 'useful@3', 'useful@1']);
      expect(Object.keys(intervals)).toEqual(Object.keys(figures));
      expect([...byQuestion.keys()]).toEqual(['q1', 'q2']);
    }
    expect(modes[2]?.byQuestion.get('q1')).toMatchObject({ 'judged@10': 1 / 2, 'useful@5': 1 / 5, 'useful@1': 0 });
    expect(modes[2]?.byQuestion.get('q2')).toMatchObject({ 'judged@10': 1, 'useful@1': 0, 'hit@1': 1 });
    expect(modes[2]?.figures).toMatchObject({ 'judged@10': 3 / 4, 'useful@5': 1 / 5 });
    expect(modes[2]?.intervals['judged@10']).toEqual([1 / 2, 1]);
  });

  test('counts grades as it is told: else as the benchmark says, else linearly', async () => {
    const runs = [{ name: 'mine', run: runOf({ q1: ['notes'], q2: ['birds', 'forms'] }) }];
    const ndcgOf = async (options: object, benchmark = GRADED) => {
      const { modes, gain } = await evaluate({ benchmark, runs, ...options });
      return [gain, modes[0]?.byQuestion.get('q2')?.['ndcg@10']];
    };
    const linear = ['linear', (1 + 2 / Math.log2(3)) / (2 + 1 / Math.log2(3))];
    const exponential = ['exponential', (1 + 3 / Math.log2(3)) / (3 + 1 / Math.log2(3))];
    expect(await ndcgOf({})).toEqual(linear);
    expect(await ndcgOf({ gain: 'exponential' })).toEqual(exponential);
    expect(await ndcgOf({}, { ...GRADED, gain: 'exponential' })).toEqual(exponential);
    expect(await ndcgOf({ gain: 'linear' }, { ...GRADED, gain: 'exponential' })).toEqual(linear);
    const percent = benchmarkOf({ q: ['x', { a: 90 }] });
    await expect(evaluate({ benchmark: percent, runs, gain: 'exponential' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: 'gain must be linear for judgements above 50, got exponential and 90',
    });
  });

  test('tells how many answers are confident, served and unserved, of the modes that say so', async () => {
    const search = await searchOver(ROWS);
    const progress: EvaluationProgress[] = [];
    const { modes } = await evaluate({
      benchmark: GRADED,
      search,
      runs: [{ name: 'mine', run: runOf({ q1: ['notes'] }) }],
      onProgress: (one) => progress.push(one),
    });
    for (const { name, confident, run } of modes) {
      expect([...run.keys()].filter((id) => id.startsWith('u'))).toEqual([]);
      if (name === 'keyword' || name === 'mine') {
        expect(confident).toBeUndefined();
        continue;
      }
      const ranking = name === 'bm25' ? 'words' : (name as 'vector' | 'hybrid');
      const asked = await Promise.all(
        ['release notes', 'birds and forms', 'bake a cake'].map((q) => search.semantic({ q, ranking, copies: 'keep' })),
      );
      const [one, two, none] = asked.map((result) => (result.confident ? 1 : 0)) as [number, number, number];
      // A question without a letter or digit finds nothing, so nothing to be confident of.
      expect(confident?.served).toMatchObject({ questions: 2, confident: one + two, share: (one + two) / 2 });
      expect(confident?.unserved).toMatchObject({ questions: 2, confident: none, share: none / 2 });
      expect(confident?.unserved.interval).toEqual(none === 0 ? [0, 0] : [0, 1]);
    }
    expect(progress.filter(({ done, total }) => done === total).map(({ mode, total }) => [mode, total])).toEqual([
      ['bm25', 4],
      ['vector', 4],
      ['hybrid', 4],
      ['keyword', 2],
    ]);
  });

  test('counts a group of copies as one, with the best grade of its members, if copies are collapsed', async () => {
    const twin = { name: 'twin', description: `Counts the stars ${'of the sky '.repeat(4)}` };
    // The file makes the second twin the best one, where files count, and the stars make the first the preferred one.
    const files = [{ filename: 'SKILL.md', text: 'Counts the stars of the night, all stars.' }];
    const twins = [row('t1', { ...twin, stars: 9 }), row('t2', { ...twin, files }), row('t3', twin)];
    const search = await searchOver([...ROWS, ...twins]);
    const benchmark = gradedOf({ q: ['counts the stars', { t1: 1, t2: 3, gone: 2, review: 0 }] });
    const run = runOf({ q: ['t3', 't2', 't1', 'review'] });
    const asked = { benchmark, search, runs: [{ name: 'mine', run }], depth: 4 };
    const collapsed = await evaluate({ ...asked, copies: 'collapse', baseline: { name: 'same', run } });
    expect(collapsed.modes[2]?.run.get('q')?.[0]?.id).toBe('t2');
    expect(collapsed.modes[2]?.reliability).toMatchObject({ questions: 1, useful: 1 });
    expect(collapsed.comparisons.at(-1)).toMatchObject({ name: 'mine', difference: 0 });
    for (const { name, run: found, byQuestion } of collapsed.modes) {
      // Of two right answers, the twins and one that is gone, the twins are found, at the first place.
      expect([name, byQuestion.get('q')]).toMatchObject([name, { 'useful@1': 1, 'recall@10': 1 / 2 }]);
      expect(byQuestion.get('q')?.['ndcg@10']).toBeCloseTo(3 / (3 + 2 / Math.log2(3)), 12);
      if (name !== 'mine') expect(found.get('q')?.filter(({ id }) => id.startsWith('t'))).toHaveLength(1);
      else expect(found).toBe(run);
    }
    const kept = await evaluate({ ...asked, copies: 'keep' });
    expect(kept.modes[0]?.run.get('q')?.filter(({ id }) => id.startsWith('t'))).toHaveLength(3);
    expect(kept.modes.at(-1)?.figures).toMatchObject({ 'useful@1': 0, 'useful@5': 1 / 5, 'judged@10': 3 / 4 });
    expect([summarise(collapsed).copies, summarise(kept).copies]).toEqual(['collapse', 'keep']);
    // Without a search nobody knows which are copies.
    const alone = await evaluate({ ...asked, search: undefined, copies: 'collapse' });
    expect([alone.copies, alone.modes[0]?.figures]).toEqual(['keep', kept.modes.at(-1)?.figures]);
  });

  test.each([
    ['an unknown gain', { gain: 'cubic' as 'linear' }, /gain must be one of linear, exponential, got "cubic"/],
    ['an unknown way with copies', { copies: 'hide' as 'keep' }, /copies must be one of collapse, keep, got "hide"/],
  ])('with %s is refused', async (_, options, message) => {
    await expect(evaluate({ benchmark: GRADED, runs: [], ...options })).rejects.toEqual(
      errorLike('INVALID_OPTION', message),
    );
  });
});

describe('questions put to a search', () => {
  test('give for each document what its score is made of, where that is asked for', async () => {
    const search = await searchOver(ROWS);
    const asked = rankQuestions(search, [{ id: 'q', text: 'release notes' }], {
      mode: 'hybrid',
      explain: true,
      depth: 2,
    });
    for await (const [question, ranking] of asked) {
      expect(question.id).toBe('q');
      expect(ranking).toHaveLength(2);
      const { hits } = await search.semantic({ q: 'release notes', explain: true, limit: 2 });
      expect(ranking).toEqual(hits.map(({ skill, score, explain }) => ({ id: skill.id, score, explain })));
    }
  });

  test('that are too long are cut between words; without a letter or digit they find nothing', async () => {
    const search = await searchOver(ROWS);
    const long = `release notes ${'of everything '.repeat(300)}`;
    for (const mode of EVALUATION_MODES) {
      const questions = [
        { id: 'long', text: long },
        { id: 'none', text: '…' },
        { id: 'empty', text: '' },
      ];
      const found: number[] = [];
      for await (const [, ranking] of rankQuestions(search, questions, { mode })) found.push(ranking.length);
      expect(found.slice(1)).toEqual([0, 0]);
      if (mode !== 'keyword') expect(found[0]).toBeGreaterThan(0);
    }
  });
});

function benchmarkOf(
  questions: Readonly<Record<string, readonly [text: string, gains: Readonly<Record<string, number>>]>>,
): Benchmark {
  return {
    name: 'made up',
    questions: Object.entries(questions).map(([id, [text]]) => ({ id, text })),
    gains: new Map(Object.entries(questions).map(([id, [, gains]]) => [id, new Map(Object.entries(gains))])),
    corpus: undefined,
    remarks: [],
  };
}

/** Questions whose id begins with u are unserved. */
function gradedOf(questions: Parameters<typeof benchmarkOf>[0]): Benchmark {
  const { questions: all, gains: grades, ...rest } = benchmarkOf(questions);
  const relevant = (gains: Gains): Gains => new Map([...gains].filter(([, gain]) => gain > 0));
  return {
    ...rest,
    questions: all.filter(({ id }) => !id.startsWith('u')),
    unserved: all.filter(({ id }) => id.startsWith('u')),
    gains: new Map(Array.from(grades, ([id, gains]) => [id, relevant(gains)])),
    grades,
  };
}

function runOf(rankings: Readonly<Record<string, readonly string[]>>): Run {
  return new Map(Object.entries(rankings).map(([id, ids]) => [id, ids.map((one, i) => scored(one, 1 - i / 100))]));
}

function scored(id: string, score: number) {
  return { id, score };
}

async function searchOver(skills: readonly unknown[]): Promise<SkillSearch> {
  return closing(await openSkillSearch({ skills, embedder: new StandInEmbedder() }));
}
