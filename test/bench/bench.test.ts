import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { askInTurns } from '../../bench/asked-in-turns.js';
import { type AskedServer, type ClientFigures, ClusterClient } from '../../bench/cluster/cluster-client.js';
import { Disturbances } from '../../bench/cluster/disturbances.js';
import { ExpectedAnswer } from '../../bench/cluster/generations.js';
import { type QuotaClient, QuotaLedger } from '../../bench/cluster/quota-ledger.js';
import { sameQuestions } from '../../bench/compare-answers.js';
import type { Asked } from '../../bench/decision/ask.js';
import { fitRule } from '../../bench/decision/fit.js';
import { idsOf, questionsOf } from '../../bench/decision/questions.js';
import type { DocumentedEngine } from '../../bench/engines/engine.js';
import { fts5Over } from '../../bench/engines/fts5.js';
import { BASIC, miniSearchOver, WITH_OPTIONS } from '../../bench/engines/minisearch.js';
import { oramaOver } from '../../bench/engines/orama.js';
import { fuseReciprocalRanks } from '../../bench/engines/reciprocal-ranks.js';
import { generatedRows, writeGeneratedCatalogue } from '../../bench/generated-catalogue.js';
import { agreementOf } from '../../bench/judging/agreement.js';
import { type Grade, type Grades, readGrades, writtenGrades } from '../../bench/judging/grades.js';
import { poolOf, type Shown } from '../../bench/judging/pool.js';
import { readJsonLines, readRequests } from '../../bench/judging/requests.js';
import { attemptsOf } from '../../bench/peers/attempts.js';
import { PeerCatalogue } from '../../bench/peers/catalogue.js';
import { buildFlexSearch } from '../../bench/peers/flexsearch.js';
import { buildFts5 } from '../../bench/peers/fts5.js';
import { buildMiniSearch } from '../../bench/peers/minisearch.js';
import { buildOrama } from '../../bench/peers/orama.js';
import { type JudgedQuestion, TERMS } from '../../bench/ranking/judged-questions.js';
import { fitListwise, scoresOf } from '../../bench/ranking/listwise.js';
import { solve } from '../../bench/ranking/solve.js';
import { ZipfRanks } from '../../bench/zipf.js';
import { type RankedDocument, randomNumbers } from '../../src/evaluation/index.js';
import { buildCatalogue, openSkillSearch } from '../../src/index.js';
import { DECISION_FEATURES, type DecisionValues, probabilityOf } from '../../src/search/ranking/decision.js';
import { runCaptured } from '../cli/run-captured.js';
import { PROJECT } from '../project-copy.js';
import { scratchFile, scratchFolder } from '../scratch-folder.js';

describe('quota ledger', () => {
  function ledgerOf(...limits: readonly number[]): QuotaLedger {
    const clients = limits.map((limit): QuotaClient => ({ limit, headers: {}, answered: 0, refused: 0, unknown: 0 }));
    return new QuotaLedger(() => clients.shift());
  }

  test('a client that was answered more often than its quota allows is a fault', () => {
    const ledger = ledgerOf(10);
    Object.assign(ledger.client()!, { answered: 11 });
    expect(ledger.faults()).toEqual(['client 0 of a quota of 10 was answered 11 times']);
  });

  test('answers may be missing where their requests were lost, and nowhere else', () => {
    const ledger = ledgerOf(10, 10, 10);
    Object.assign(ledger.client()!, { answered: 10, refused: 100 });
    Object.assign(ledger.client()!, { answered: 8, unknown: 2, refused: 100 });
    expect(ledger.faults()).toEqual([]);
    Object.assign(ledger.client()!, { answered: 7, unknown: 2, refused: 1 });
    expect(ledger.faults()).toHaveLength(1);
    expect(ledger.figures()).toEqual({ usedUp: 3, exact: 1, missing: 5, unknown: 4 });
  });
});

describe('cluster client', () => {
  const PATH = '/api/v1/skills/search?q=x';
  const meta = ',"meta":{"ms":1}}';

  interface Told {
    readonly status?: number;
    readonly body: string;
    readonly headers?: Record<string, string>;
    /** Whether the connection is ended in place of an answer. */
    readonly gone?: true;
  }

  /** What a client says of a server that gives these answers, and the last one on and on. */
  async function judge(
    answers: readonly Told[],
    { isAway = false, isDown = false }: { readonly isAway?: boolean; readonly isDown?: boolean } = {},
  ): Promise<{ readonly figures: ClientFigures; readonly faults: readonly string[] }> {
    let next = 0;
    const server = createServer((request, response) => {
      const told = answers[Math.min(next++, answers.length - 1)]!;
      if (told.gone === true) request.socket.destroy();
      else response.writeHead(told.status ?? 200, told.headers).end(told.body);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const asked: AskedServer = { name: 'server 1', port, newest: 0, wasDown: () => isDown, noteAnswer: () => {} };
    const away = new Disturbances();
    if (isAway) away.begin();
    const client = new ClusterClient({
      servers: [asked],
      connections: 1,
      pause: 0,
      questions: [{ path: PATH, kind: 'words' }],
      expected: new Map([[PATH, new ExpectedAnswer('{"data":["load000000","load000000"]')]]),
      unlimited: {},
      withKey: new QuotaLedger(() => undefined),
      withoutKey: new QuotaLedger(() => undefined),
      away,
      loading: () => 5,
      onGeneration: () => {},
      random: randomNumbers(1),
    });
    while (next < answers.length) await wait(5);
    const figures = await client.end();
    return { figures, faults: client.faults };
  }

  const answerOf = (one: number, other = one): Told => ({
    body: `{"data":["load00000${one}","load00000${other}"]${meta}`,
  });

  test('answers of versions that follow each other are right', async () => {
    const { figures, faults } = await judge([answerOf(1), answerOf(1), answerOf(2), answerOf(3)]);
    expect(faults).toEqual([]);
    expect(figures.answered).toBe(figures.requests);
  });

  test.each([
    ['two versions in one answer', [answerOf(1, 2)], 'generations 1 and 2 in one answer'],
    ['a version that was there before', [answerOf(2), answerOf(1)], 'generation 1 after 2'],
    ['a version that nobody has loaded', [answerOf(6)], 'generation 6 before it was loaded'],
    ['another text', [{ body: `{"data":["load000001"]${meta}` }], 'a wrong answer'],
    ['an unexpected status', [{ status: 500, body: '{}' }], '500 for'],
  ] as const)('%s is a fault', async (_, answers, fault) => {
    const { faults } = await judge(answers);
    expect(faults[0]).toContain(fault);
  });

  const AWAY = '{"success":false,"error":{"code":"SERVICE_UNAVAILABLE"}}';

  test('503 is right while PostgreSQL is away, and says when to come again', async () => {
    const told = { status: 503, body: AWAY, headers: { 'Retry-After': '1' } };
    const away = await judge([told], { isAway: true });
    expect(away.faults).toEqual([]);
    expect(away.figures.unavailable).toBe(away.figures.requests);
    const slow = await judge([told]);
    expect([...slow.figures.tooSlow.values()]).toEqual([slow.figures.requests]);
    expect((await judge([{ status: 503, body: AWAY }], { isAway: true })).faults[0]).toContain(
      '503 without Retry-After',
    );
  });

  test('a request is lost where its server was killed, and nowhere else', async () => {
    const killed = await judge([{ gone: true, body: '' }], { isDown: true });
    expect(killed.faults).toEqual([]);
    expect(killed.figures.lost).toBe(killed.figures.requests);
    expect((await judge([{ gone: true, body: '' }])).faults[0]).toContain('although it was not killed');
  });
});

describe('peers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-'));
  const database = join(folder, 'skills.db');
  beforeAll(async () => {
    await buildCatalogue({ database, sources: [generatedRows(200, 3)], semantic: false });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['MiniSearch', buildMiniSearch],
    ['Orama', buildOrama],
    ['FlexSearch', buildFlexSearch],
    ['FTS5', buildFts5],
  ])('%s answers a word by date, by stars and in a category as we do', async (_, build) => {
    await using search = await openSkillSearch({ database });
    const catalogue = new PeerCatalogue(database);
    const { peer } = await build({ catalogue, folder });
    const descriptions = [...generatedRows(20, 3)].map(({ description }) => description);
    const words = new Set(descriptions.flatMap((text) => text.match(/[a-z]{4,}/g) ?? []));
    const category = search.categories()[0]?.slug;
    let compared = 0;
    for (const q of [...words].slice(0, 40)) {
      const [attempt] = attemptsOf(q);
      for (const [sortBy, slug] of [['recent'], ['stars'], ['recent', category]] as const) {
        const ours = search.keyword({ q, sortBy, category: slug });
        if (ours.step !== 'all-words') continue;
        const page = peer.search(attempt as NonNullable<typeof attempt>, { sortBy, category: slug, limit: 20 });
        expect(page?.total).toBe(ours.pagination.total);
        expect(catalogue.idsOf(page?.places ?? [])).toEqual(ours.hits.map(({ skill }) => skill.id));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(80);
    catalogue.close();
  });
});

describe('documented engines', () => {
  const DOCUMENTS = [
    { id: 'forms', name: 'pdf-forms', description: 'Fill in the forms of a PDF.' },
    { id: 'merge', name: 'pdf-merge', description: 'Merge several files into one.' },
    { id: 'notes', name: 'release-notes', description: 'Write "release notes" from commits (AND more).' },
  ];

  const idsOf = async (engine: DocumentedEngine, q: string, limit = 10): Promise<string[]> =>
    (await engine.search(q, limit)).map(({ id }) => id);

  test.each([
    ['MiniSearch', () => miniSearchOver(DOCUMENTS, BASIC)],
    ['MiniSearch with options', () => miniSearchOver(DOCUMENTS, WITH_OPTIONS)],
    ['Orama', () => oramaOver(DOCUMENTS)],
    ['FTS5', () => fts5Over(DOCUMENTS, 'unicode61')],
    ['FTS5 with stems', () => fts5Over(DOCUMENTS, 'porter')],
  ])('%s finds by any word, best first, as many as wanted', async (_, open) => {
    const engine = await open();
    expect((await idsOf(engine, 'please fill in these forms of mine'))[0]).toBe('forms');
    expect(await idsOf(engine, 'pdf', 1)).toHaveLength(1);
    expect(await idsOf(engine, 'zebra')).toEqual([]);
    const scores = (await engine.search('pdf forms', 10)).map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    await engine.close?.();
  });
});

describe('reciprocal rank fusion', () => {
  const ranked = (ids: readonly string[]): RankedDocument[] => ids.map((id, i) => ({ id, score: -i }));

  /** By the definition: for every document that any ranking has, the sum over all rankings. */
  function naive(rankings: readonly (readonly string[])[], depth: number): Map<string, number> {
    const cut = rankings.map((ranking) => ranking.slice(0, depth));
    const sumOf = (id: string): number =>
      cut.reduce((sum, ranking) => sum + (ranking.includes(id) ? 1 / (60 + ranking.indexOf(id) + 1) : 0), 0);
    return new Map([...new Set(cut.flat())].map((id) => [id, sumOf(id)]));
  }

  test('gives what its definition gives', () => {
    const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnop'), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(ids, { maxLength: 4 }), fc.integer({ min: 1, max: 15 }), (rankings, depth) => {
        const fused = fuseReciprocalRanks(rankings.map(ranked), depth);
        const sums = naive(rankings, depth);
        expect(fused).toHaveLength(Math.min(depth, sums.size));
        for (const { id, score } of fused) expect(score).toBeCloseTo(sums.get(id) as number, 12);
        const best = [...sums.values()].sort((a, b) => b - a).slice(0, depth);
        for (const [i, { score }] of fused.entries()) expect(score).toBeCloseTo(best[i] as number, 12);
      }),
    );
  });
});

describe('fitting a decision', () => {
  /** First hits drawn by known numbers, each with a hit behind it. */
  function drawn(count: number): Asked[] {
    const random = randomNumbers(36);
    return Array.from({ length: count }, (): Asked => {
      const [sum, others] = [random(), random() / 2];
      const values: DecisionValues = { ...NO_VALUES, sum, others };
      const useful = random() < 1 / (1 + Math.exp(-(8 * sum - 6 * others - 2)));
      return {
        ...{ home: 'drawn', kind: useful ? 'served' : 'near', style: 'chat', language: 'en', text: '', weight: 1 },
        ...{ ranking: 'hybrid', skills: 100, values, served: useful },
        ...{ vector: undefined, model: undefined },
        decision: { probability: 0, worth: 0, perhaps: false, thresholds: { confident: 0, perhaps: 0 } },
        hits: [
          { sum, useful },
          { sum: sum / 2, useful: false },
        ],
      };
    });
  }
  const NO_VALUES = Object.fromEntries(DECISION_FEATURES.map((name) => [name, 0])) as unknown as DecisionValues;

  test('finds the numbers that first hits were drawn by, and thresholds that few unserved questions pass', () => {
    const asked = drawn(3000);
    const { weights, intercept, later, confident, perhaps } = fitRule(asked, 'hybrid');
    expect(weights.sum.weight).toBeCloseTo(8, -0.5);
    expect(weights.others.weight).toBeCloseTo(-6, -0.5);
    expect(intercept).toBeCloseTo(-2, 0);
    expect(later).toBeGreaterThan(0);
    expect(confident).toBeGreaterThan(perhaps);
    const unserved = asked.filter(({ served }) => !served);
    const above = unserved.filter(({ values }) => {
      const odds = weights.sum.weight * values.sum + weights.others.weight * values.others + intercept;
      return probabilityOf(odds) > confident;
    });
    expect(above.length / unserved.length).toBeLessThanOrEqual(0.15);
  });

  test.each(['fit', 'report'] as const)('the questions of %s name homes and skills that are there', (half) => {
    const homes = new Map<string, ReadonlySet<string>>();
    for (const { home, useful = {} } of questionsOf(half)) {
      if (home === 'sample' || home === 'published') continue;
      const ids = homes.get(home) ?? new Set(idsOf(home));
      homes.set(home, ids);
      const known = Object.keys(useful).filter((id) => ids.has(id));
      if (home !== 'chance-5000') expect(known).toEqual(Object.keys(useful));
    }
    expect(homes.size).toBeGreaterThan(4);
  });
});

describe('fitting the ranking', () => {
  /** Questions of ten candidates, of which one is picked with a probability in proportion to e to its score. */
  function questionsBy(weights: readonly number[], count: number): JudgedQuestion[] {
    const random = randomNumbers(1);
    return Array.from({ length: count }, (_, i) => {
      const values = Float64Array.from({ length: 10 * TERMS.length }, random);
      const question = {
        set: 'made up',
        weight: 1,
        id: `${i}`,
        foreign: false,
        glossed: false,
        graded: false,
        size: 0,
        length: 0,
        values,
        gains: new Float64Array(10),
        judged: new Uint8Array(10).fill(1),
        groups: [...Array(10).keys()],
      };
      const whole = { ...question, cosines: new Float64Array(10), words: new Float64Array(10), wanted: [1] };
      const chances = scoresOf(whole, Float64Array.from(weights)).map(Math.exp);
      let left = random() * chances.reduce((sum, chance) => sum + chance, 0);
      const picked = chances.findIndex((chance) => {
        left -= chance;
        return left < 0;
      });
      whole.gains[picked] = 1;
      return whole;
    });
  }

  function correlationOf(a: readonly number[], b: readonly number[]): number {
    const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
    const [ofA, ofB] = [mean(a), mean(b)];
    const product = (x: readonly number[], ofX: number, y: readonly number[], ofY: number): number =>
      mean(x.map((one, i) => (one - ofX) * ((y[i] as number) - ofY)));
    return product(a, ofA, b, ofB) / Math.sqrt(product(a, ofA, a, ofA) * product(b, ofB, b, ofB));
  }

  test('finds the weights that questions were answered by', () => {
    const weights = TERMS.map(({ part }) => ({ weight: 6, bySize: -2, byLength: 1 })[part]);
    const found = fitListwise(questionsBy(weights, 4000));
    // The fit keeps weights somewhat smaller than they are, all alike.
    expect(correlationOf([...found], weights)).toBeGreaterThan(0.98);
    expect(Math.max(...found)).toBeGreaterThan(4);
  });

  test('solves equations as their product says', () => {
    const numbers = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(numbers, (entries) => {
        // The product of a matrix and itself turned over, and 1 on the diagonal, is positive definite.
        const at = (row: number, column: number): number => entries[3 * row + column] as number;
        const matrix = Float64Array.from({ length: 9 }, (_, i) => {
          const [row, column] = [Math.floor(i / 3), i % 3];
          return [0, 1, 2].reduce((sum, k) => sum + at(row, k) * at(column, k), row === column ? 1 : 0);
        });
        const solved = solve(matrix.slice(), Float64Array.of(1, 2, 3));
        const back = [0, 1, 2].map((row) =>
          [0, 1, 2].reduce((sum, k) => sum + (matrix[3 * row + k] as number) * (solved[k] as number), 0),
        );
        for (const [i, value] of back.entries()) expect(value).toBeCloseTo(i + 1, 6);
      }),
    );
  });
});

describe('pool', () => {
  const REQUESTS = ['a', 'b', 'c'];

  const skills = fc.uniqueArray(fc.integer({ min: 1, max: 12 }).map(String), { maxLength: 8 });
  const shown: fc.Arbitrary<Shown> = fc
    .dictionary(fc.constantFrom(...REQUESTS), skills, { noNullPrototype: true })
    .map((ranking) => new Map(Object.entries(ranking)));
  const graded: fc.Arbitrary<Grades> = shown.map(
    (ranking) =>
      new Map(Array.from(ranking, ([request, ids]) => [request, new Map(ids.map((id) => [id, 0 as Grade]))])),
  );
  const rankings = fc.array(shown, { maxLength: 4 });
  const depth = fc.integer({ min: 1, max: 8 });

  test('a pool has each of the first skills of any ranking once, but those that have a grade', () => {
    fc.assert(
      fc.property(rankings, graded, depth, fc.integer(), (all, grades, k, seed) => {
        const pooled = poolOf(REQUESTS, all, { depth: k, graded: grades, seed });
        const wanted = REQUESTS.map((request) => {
          const first = all.flatMap((ranking) => (ranking.get(request) ?? []).slice(0, k));
          return { request, skills: [...new Set(first)].filter((id) => !grades.get(request)?.has(id)).sort() };
        }).filter((one) => one.skills.length > 0);
        expect(pooled.map((one) => ({ ...one, skills: [...one.skills].sort() }))).toEqual(wanted);
      }),
    );
  });
});

describe('grades', () => {
  const id = fc.string({ minLength: 1, unit: fc.constantFrom(...'aZ09-_.é中𝒶') });
  const grade = fc.constantFrom<Grade>(0, 1, 2, 3);
  const pairs = fc.array(fc.tuple(id, id, grade), { maxLength: 30 });

  function gradesOf(all: readonly (readonly [string, string, Grade])[]): Grades {
    const grades: Grades = new Map();
    for (const [request, skill, one] of all) {
      grades.set(request, (grades.get(request) ?? new Map<string, Grade>()).set(skill, one));
    }
    return grades;
  }

  test('grades that are written and read are the same, and written the same again', () => {
    const path = scratchFile('qrels.tsv');
    fc.assert(
      fc.property(pairs, (all) => {
        const text = writtenGrades(gradesOf(all));
        writeFileSync(path, text);
        const read = readGrades(path);
        expect(read).toEqual(gradesOf(all));
        expect(writtenGrades(read)).toBe(text);
        expect(
          writtenGrades(
            gradesOf([...gradesOf(all)].reverse().flatMap(([r, of]) => [...of].map(([s, g]) => [r, s, g] as const))),
          ),
        ).toBe(text);
      }),
    );
  });
});

describe('agreement', () => {
  type Pair = readonly [Grade, Grade];

  const grade = fc.constantFrom<Grade>(0, 1, 2, 3);

  /** Grades of one reader; skills are spread over three requests. */
  function readerOf(pairs: readonly Pair[], side: 0 | 1): Grades {
    const grades: Grades = new Map([0, 1, 2].map((i) => [`r${i}`, new Map<string, Grade>()]));
    for (const [i, pair] of pairs.entries()) grades.get(`r${i % 3}`)?.set(`s${i}`, pair[side]);
    return grades;
  }

  const agreement = (pairs: readonly Pair[]): ReturnType<typeof agreementOf> =>
    agreementOf(readerOf(pairs, 0), readerOf(pairs, 1));

  /** The disagreement of the pairs, relative to that of each grade of one reader with each of the other. */
  function naiveKappa(pairs: readonly Pair[], weight: (a: Grade, b: Grade) => number): number {
    let [seen, byChance] = [0, 0];
    for (const [a, b] of pairs) seen += weight(a, b);
    for (const [a] of pairs) for (const [, b] of pairs) byChance += weight(a, b);
    return byChance === 0 ? 1 : 1 - (seen * pairs.length) / byChance;
  }

  test('kappa is that of comparing each grade of one reader with each of the other', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(grade, grade), { minLength: 1, maxLength: 40 }), (pairs) => {
        const found = agreement(pairs);
        expect(found?.pairs).toBe(pairs.length);
        expect(found?.kappa).toBeCloseTo(
          naiveKappa(pairs, (a, b) => (a - b) ** 2),
          9,
        );
        expect(found?.useKappa).toBeCloseTo(
          naiveKappa(pairs, (a, b) => Number(a >= 2 !== b >= 2)),
          9,
        );
      }),
    );
  });
});

describe('requests', () => {
  const STYLES = ['terse', 'wordy', 'task', 'symptom', 'typo', 'product', 'vague', 'everyday'];
  const HALVES = ['fit', 'report'];
  const pathOf = (...names: string[]): string => join(PROJECT, 'bench/requests', ...names);

  const requests = HALVES.map((half) => readRequests([pathOf(half, 'queries.jsonl')]));
  const all = requests.flat();

  describe('the graded requests of bench/requests', () => {
    test('have all fields, and an English wording exactly where they are not English', () => {
      const faulty = all.filter(({ _id, text, language, style, english }) => {
        const [, of = ''] = /^(rare|[a-z]{2})-s?\d{3}$/.exec(_id) ?? [];
        const isTold = language === 'en' ? english === undefined : (english?.trim() ?? '') !== '';
        return language !== (of === 'rare' ? 'en' : of) || text.trim() === '' || !STYLES.includes(style) || !isTold;
      });
      expect(faulty).toEqual([]);
      expect(all.filter(({ language }) => language !== 'en')).toHaveLength(610);
      expect(new Set(all.map(({ language }) => language)).size).toBe(25);
    });

    test.each(HALVES)('of %s have grades, sorted as they are written', (half) => {
      const path = pathOf(half, 'qrels.tsv');
      const grades = readGrades(path);
      expect(writtenGrades(grades)).toBe(readFileSync(path, 'utf8'));
      const ids = readRequests([pathOf(half, 'queries.jsonl')]).map(({ _id }) => _id);
      expect([...grades.keys()].sort()).toEqual(ids.sort());
    });
  });

  describe('the preferences of bench/requests', () => {
    test.each(HALVES)('of %s are between useful skills of one grade', (half) => {
      const grades = readGrades(pathOf(half, 'qrels.tsv'));
      const [, ...lines] = readFileSync(pathOf(half, 'preferences.tsv'), 'utf8').trimEnd().split('\n');
      const faulty = lines.filter((line) => {
        const [request = '', ...pair] = line.split('\t');
        const [one, other] = pair.map((id) => grades.get(request)?.get(id));
        return pair.length !== 2 || one !== other || one === undefined || one < 2;
      });
      expect([lines.length > 300, faulty]).toEqual([true, []]);
    });
  });

  interface SampleRequest {
    readonly id: string;
    readonly query: string;
    readonly language: string;
    readonly style: string;
    readonly english?: string;
    readonly grades: Readonly<Record<string, number>>;
  }

  describe('the graded requests to the sample catalogue', () => {
    const sample = readJsonLines<SampleRequest>(join(PROJECT, 'data/sample/requests.jsonl'));

    test('are 80, in nine languages, with an English wording exactly where they are not English', () => {
      expect(sample).toHaveLength(80);
      expect(new Set(sample.map(({ id }) => id)).size).toBe(80);
      expect(new Set(sample.map(({ language }) => language)).size).toBe(9);
      const faulty = sample.filter(({ id, query, language, style, english }) => {
        const isTold = language === 'en' ? english === undefined : (english?.trim() ?? '') !== '';
        return !new RegExp(`^${language.toLowerCase()}-\\d\\d$`).test(id) || query === '' || style === '' || !isTold;
      });
      expect(faulty).toEqual([]);
      const grades = sample.flatMap((request) => Object.values(request.grades));
      expect([...new Set(grades)].sort()).toEqual([0, 1, 2, 3]);
    });

    test('grade skills that `npm start` loads', async () => {
      const { href } = pathToFileURL(join(PROJECT, 'scripts/sample-catalogue.mjs'));
      const { SAMPLE_CATALOGUE } = (await import(href)) as { readonly SAMPLE_CATALOGUE: readonly string[] };
      const words = SAMPLE_CATALOGUE.map((word) => (word.startsWith('data/') ? join(PROJECT, word) : word));
      const database = scratchFile('sample.db');
      const { status } = await runCaptured(['load', '--database', database, '--no-semantic', ...words]);
      expect(status).toBe(0);
      await using search = await openSkillSearch({ database });
      const ids = new Set(sample.flatMap(({ grades }) => Object.keys(grades)));
      expect([...ids].filter((id) => search.get(id) === undefined)).toEqual([]);
      expect(ids.size).toBeGreaterThan(200);
    });
  });
});

describe('compare answers', () => {
  const answer = (total: number, ...ids: string[]): { total: number; ids: string[] } => ({ total, ids });

  test('answers by date are the same where skills, their order and the total are', () => {
    const ours = [answer(2, 'a', 'b'), answer(2, 'a', 'b'), answer(2, 'a', 'b'), answer(0)];
    const theirs = [answer(2, 'a', 'b'), answer(2, 'b', 'a'), answer(3, 'a', 'b'), answer(0)];
    expect(sameQuestions(ours, theirs, 'recent')).toEqual([0, 3]);
  });

  test('answers by relevance are the same in any order, but not with other skills or another total', () => {
    const ours = [answer(2, 'a', 'b'), answer(2, 'a', 'b'), answer(2, 'a', 'b')];
    const theirs = [answer(2, 'b', 'a'), answer(2, 'b', 'c'), answer(3, 'b', 'a')];
    expect(sameQuestions(ours, theirs, 'relevance')).toEqual([0]);
  });
});

describe('zipf', () => {
  const draw = (count: number, { size, seed }: { size: number; seed: number }): number[] => {
    const ranks = new ZipfRanks(size, randomNumbers(seed));
    return Array.from({ length: count }, () => ranks.next());
  };

  test('a rank comes as often as the first divided by its place, and none lies outside', () => {
    const size = 100;
    const drawn = draw(50_000, { size, seed: 1 });
    const shareOf = (rank: number): number => drawn.filter((one) => one === rank).length / drawn.length;
    const sum = Array.from({ length: size }, (_, rank) => 1 / (rank + 1)).reduce((a, b) => a + b);
    for (const rank of [0, 1, 2, 9]) expect(shareOf(rank) * sum * (rank + 1)).toBeCloseTo(1, 0.7);
    expect(Math.min(...drawn)).toBe(0);
    expect(Math.max(...drawn)).toBe(size - 1);
  });
});

describe('generated catalogue', () => {
  test('the same seed gives the same bytes, another seed others', async () => {
    const folder = scratchFolder();
    const write = async (name: string, seed: number): Promise<string> => {
      await writeGeneratedCatalogue(join(folder, name), 300, seed);
      return readFileSync(join(folder, name), 'utf8');
    };
    const first = await write('first', 7);
    expect(await write('again', 7)).toBe(first);
    expect(await write('other', 8)).not.toBe(first);
    expect(first.split('\n')).toHaveLength(301);
  });

  test('rows have the lengths of real catalogues, and words by the law of Zipf', () => {
    const rows = [...generatedRows(3000, 1, { fileText: false })];
    const lengths = rows.map(({ description }) => description.split(' ').length).sort((a, b) => a - b);
    expect(lengths[1500]).toBeGreaterThan(20);
    expect(lengths[1500]).toBeLessThan(32);
    expect(rows.every(({ files }) => files.length === 0)).toBe(true);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);

    const words = rows.flatMap(({ description }) => description.split(' '));
    const share = (word: string): number => words.filter((one) => one === word).length / words.length;
    expect(share('and')).toBeGreaterThan(0.025);
    expect(share('and')).toBeLessThan(0.04);
    expect(new Set(words).size).toBeGreaterThan(3000);
  });
});

describe('asked in turns', () => {
  const QUESTIONS = ['one', 'two', 'three'];

  test('asks each question of all before the next one, and each of them is first in turn', async () => {
    const asked: string[] = [];
    const ask = (name: string) => async (question: string) => asked.push(`${name} ${question}`);
    await askInTurns({ a: ask('a'), b: ask('b') }, QUESTIONS, 1);
    expect(asked).toEqual([
      ...['a one', 'b one', 'b two', 'a two', 'a three', 'b three'],
      ...['b one', 'a one', 'a two', 'b two', 'b three', 'a three'],
    ]);
  });
});
