import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAccess } from '../../src/access/index.js';
import { SkillSearchError } from '../../src/core/index.js';
import {
  bootstrapIntervals,
  compareFigures,
  evaluate,
  measureRanking,
  openCorpus,
  randomisationTest,
  rankQuestions,
  readBenchmark,
  summarise,
} from '../../src/evaluation/index.js';
import { createHandler, startServer } from '../../src/http/index.js';
import {
  buildCatalogue,
  checkCatalogue,
  copyCatalogue,
  followCatalogue,
  openSkillSearch,
  removeSkills,
} from '../../src/index.js';
import { resolveKeywordQuery, resolveSemanticQuery } from '../../src/query.js';
import { row } from '../rows.js';
import { scratchFolder } from '../scratch-folder.js';

/** A call with anything, as a program without types may make it. */
type Call = (given: unknown) => unknown;

const search = await openSkillSearch({ skills: [row('a')] });
const access = openAccess({ state: ':memory:' });
const folder = (): string => scratchFolder();
const questions = [{ id: 'q', text: 'a' }];
const measured = { name: 'one', byQuestion: new Map() };
const evaluation = {
  benchmark: { name: 'b', corpus: undefined, questions, gains: new Map(), remarks: [] },
  modes: [],
  metric: 'ndcg@10',
  comparisons: [],
};
const untyped = (call: unknown): ((...given: unknown[]) => unknown) => call as (...given: unknown[]) => unknown;

/** Each public function that takes a query: what it is, the call, and parameters that it accepts. */
const QUERIES: readonly (readonly [string, Call, object])[] = [
  ['search.keyword', untyped(search.keyword.bind(search)), { q: 'a' }],
  ['search.semantic', untyped(search.semantic.bind(search)), { q: 'a', ranking: 'words' }],
  ['resolveKeywordQuery', untyped(resolveKeywordQuery), { q: 'a' }],
  ['resolveSemanticQuery', untyped(resolveSemanticQuery), { q: 'a' }],
];

/** Each public function that takes options: what it is, the call, options that it accepts, if it may do without. */
const OPTIONS: readonly (readonly [string, Call, () => object, boolean?])[] = [
  [
    'buildCatalogue',
    untyped(buildCatalogue),
    () => ({ database: join(folder(), 'skills.db'), sources: [[row('a')]], semantic: false }),
  ],
  ['openSkillSearch', untyped(openSkillSearch), () => ({ skills: [row('a')] })],
  ['followCatalogue', untyped(followCatalogue), () => ({ database: join(folder(), 'none.db') })],
  ['copyCatalogue', untyped(copyCatalogue), () => ({ from: join(folder(), 'none.db'), to: join(folder(), 'copy.db') })],
  ['checkCatalogue', untyped(checkCatalogue), () => ({ database: join(folder(), 'none.db') })],
  ['removeSkills', untyped(removeSkills), () => ({ database: join(folder(), 'none.db'), ids: [] })],
  [
    'search.semantic',
    (given) => untyped(search.semantic.bind(search))({ q: 'a', ranking: 'words' }, given),
    () => ({ signal: undefined }),
    true,
  ],
  ['openAccess', untyped(openAccess), () => ({ state: ':memory:' })],
  ['openAccess, anonymous', (given) => untyped(openAccess)({ state: ':memory:', anonymous: given }), () => ({}), true],
  ['openAccess, key', (given) => untyped(openAccess)({ state: ':memory:', key: given }), () => ({ daily: 5 }), true],
  ['access.createKey', untyped(access.createKey.bind(access)), () => ({ name: 'a' }), true],
  ['createHandler', (given) => untyped(createHandler)(search, given), () => ({ access }), true],
  ['startServer', (given) => untyped(startServer)(search, given), () => ({ access, host: '' }), true],
  ['evaluate', untyped(evaluate), () => ({ benchmark: evaluation.benchmark })],
  ['openCorpus', untyped(openCorpus), () => ({ database: join(folder(), 'none.db') })],
  ['readBenchmark', (given) => untyped(readBenchmark)(join(folder(), 'none'), given), () => ({}), true],
  ['rankQuestions', (given) => rankQuestions(search, questions, given as never).next(), () => ({ mode: 'bm25' })],
  ['measureRanking', (given) => untyped(measureRanking)([], new Map([['a', 1]]), given), () => ({ at: [10] })],
  ['bootstrapIntervals', (given) => untyped(bootstrapIntervals)([], given), () => ({ seed: 2 }), true],
  ['randomisationTest', (given) => untyped(randomisationTest)([1], given), () => ({ seed: 2 }), true],
  [
    'compareFigures',
    (given) => untyped(compareFigures)(measured, measured, given),
    () => ({ questions, metric: 'ndcg@10' }),
  ],
  ['summarise', (given) => untyped(summarise)(evaluation, given), () => ({ byQuery: true }), true],
];

const NO_OBJECTS = [null, 'react', ['a']];

describe.each(QUERIES)('%s', (_, call, good) => {
  test('refuses a parameter that it does not know', async () => {
    const error = await errorOf(() => call({ ...good, verbose: true }));
    expect(error).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'verbose' });
    expect(error.message).toMatch(/^unknown parameter verbose: expected q, .*limit, /);
  });

  test('names the parameter that was meant', async () => {
    const error = await errorOf(() => call({ ...good, categories: ['a'] }));
    expect(error.message).toBe('unknown parameter categories: did you mean category?');
  });

  test('takes an unknown parameter that is undefined as left out', async () => {
    await call({ ...good, verbose: undefined });
  });

  test.each(NO_OBJECTS.filter((value) => value !== null))('refuses %s as a query', async (value) => {
    const error = await errorOf(() => call(value));
    expect(error).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'query' });
    expect(error.message).toMatch(/^query must be an object with q, /);
  });

  test.each([undefined, null])('misses q in %s', async (value) => {
    expect(await errorOf(() => call(value))).toMatchObject({ code: 'MISSING_QUERY', parameter: 'q' });
  });
});

describe.each(OPTIONS.map(([name, call, good, optional = false]) => ({ name, call, good, optional })))(
  '$name',
  ({ call, good, optional }) => {
    test('refuses an option that it does not know, before anything else', async () => {
      const error = await errorOf(() => call({ ...good(), verbose: true }));
      expect(error).toMatchObject({ code: 'INVALID_OPTION', parameter: 'verbose' });
      expect(error.message).toMatch(/^unknown option verbose: expected /);
    });

    test('takes an unknown option that is undefined as left out', async () => {
      const error = await errorOf(() => call({ ...good(), verbose: undefined }));
      expect(error.message).not.toContain('unknown option');
    });

    test.each(optional ? NO_OBJECTS : [undefined, ...NO_OBJECTS])('refuses %s as options', async (value) => {
      const error = await errorOf(() => call(value));
      expect(error.code).toBe('INVALID_OPTION');
      expect(error.message).toMatch(/^\w+ must be an object with /);
    });
  },
);

test.each([
  ['sort', 'sortBy'],
  ['sortby', 'sortBy'],
  ['sort_by', 'sortBy'],
  ['query', 'q'],
  ['pages', 'page'],
  ['Limit', 'limit'],
  ['limt', 'limit'],
  ['occupations', 'occupation'],
])('a parameter %s was meant as %s', async (given, meant) => {
  const error = await errorOf(() => untyped(resolveKeywordQuery)({ q: 'a', [given]: 'x' }));
  expect(error.message).toBe(`unknown parameter ${given}: did you mean ${meant}?`);
});

test.each([['page'], ['sortBy'], ['offset'], ['x'.repeat(100_000)]])(
  'a semantic search has no parameter %.20s, and none that is near',
  async (given) => {
    const error = await errorOf(() => untyped(resolveSemanticQuery)({ q: 'a', [given]: 1 }));
    expect(error.message).toMatch(/^unknown parameter .+: expected q, .*\blimit, .*\bcopies, .*\bexplain\b/);
    expect(error.message.length).toBeLessThan(250);
  },
);

test('an option that an object inherits counts as its own', async () => {
  const defaults = { limit: 3 };
  expect(resolveKeywordQuery(Object.assign(Object.create(defaults), { q: 'a' })).limit).toBe(3);
  const wrong = Object.create({ limits: 3 });
  const error = await errorOf(() => resolveKeywordQuery(Object.assign(wrong, { q: 'a' })));
  expect(error.message).toBe('unknown parameter limits: did you mean limit?');
});

/** The SkillSearchError of a call; one without a message where it throws none. Other errors go on. */
async function errorOf(call: () => unknown): Promise<SkillSearchError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof SkillSearchError) return error;
    throw error;
  }
  return new SkillSearchError('INTERNAL_ERROR', '');
}
