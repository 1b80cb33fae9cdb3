import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AskedServer, type ClientFigures, ClusterClient } from '../../bench/cluster/cluster-client.js';
import { Disturbances } from '../../bench/cluster/disturbances.js';
import {
  baseRows,
  clusterQuestions,
  ExpectedAnswer,
  firstGenerationIn,
  generationRows,
  generationsIn,
  lastingPart,
  MARKED,
} from '../../bench/cluster/generations.js';
import { type QuotaClient, QuotaLedger } from '../../bench/cluster/quota-ledger.js';
import { randomNumbers } from '../../src/evaluation/index.js';

describe('quota ledger', () => {
  function ledgerOf(...limits: readonly number[]): QuotaLedger {
    const clients = limits.map((limit): QuotaClient => ({ limit, headers: {}, answered: 0, refused: 0, unknown: 0 }));
    return new QuotaLedger(() => clients.shift());
  }

  test('the next client asks when one has been refused often enough', () => {
    const ledger = ledgerOf(10, 20);
    const first = ledger.client()!;
    expect(ledger.client()).toBe(first);
    first.refused = 100;
    expect(ledger.client()!.limit).toBe(20);
    ledger.client()!.refused = 100;
    expect(ledger.client()).toBeUndefined();
  });

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

  test('a client that was never refused may have been answered less often', () => {
    const ledger = ledgerOf(10);
    Object.assign(ledger.client()!, { answered: 3 });
    expect(ledger.faults()).toEqual([]);
    expect(ledger.figures().usedUp).toBe(0);
  });
});

describe('generations', () => {
  test('a generation marks its skills with its number, and brings one skill that the next one has not', () => {
    const base = baseRows(50);
    const [one, two] = [generationRows(1, base), generationRows(2, base)];
    expect(one).toHaveLength(MARKED + 1);
    for (const row of one) expect(generationsIn(JSON.stringify(row))).toEqual([1]);
    const ids = new Set(one.map(({ id }) => id));
    expect(two.filter(({ id }) => !ids.has(id)).map(({ id }) => id)).toEqual(['newcomer-load000002']);
    expect(base.flatMap((row) => generationsIn(JSON.stringify(row)))).toEqual([]);
    const dates = [...base, ...one].map(({ updatedAt }) => updatedAt);
    expect(new Set(dates).size).toBe(dates.length);
  });

  test('questions are asked by words in both orders, and by meaning where that is wanted', () => {
    const questions = clusterQuestions(baseRows(200), 30, 4);
    expect(questions.filter(({ kind }) => kind === 'meaning')).toHaveLength(4);
    expect(questions.filter(({ path }) => path.includes('sortBy=stars'))).toHaveLength(15);
    expect(questions.filter(({ path }) => path.includes('qzmarked')).length).toBeGreaterThan(3);
  });

  test('an expected answer is that of any generation, and no other text', () => {
    const expected = new ExpectedAnswer('{"a":"load000000","b":"load000000"}');
    expect(expected.isMarked).toBe(true);
    expect(expected.of(12)).toBe('{"a":"load000012","b":"load000012"}');
    expect(expected.of(13)).toBe('{"a":"load000013","b":"load000013"}');
    expect(new ExpectedAnswer('{}').isMarked).toBe(false);
  });

  test('an answer of two states shows two numbers', () => {
    const torn = '{"a":"load000012","b":"load000011"}';
    expect(generationsIn(torn)).toEqual([11, 12]);
    expect(firstGenerationIn(torn)).toBe(12);
    expect(firstGenerationIn('{}')).toBeUndefined();
  });

  test('the time of an answer is no part of what is compared', () => {
    expect(lastingPart('{"data":{},"meta":{"ms":3}}')).toBe('{"data":{}');
    expect(lastingPart('{"data":{}}')).toBe('{"data":{}}');
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
