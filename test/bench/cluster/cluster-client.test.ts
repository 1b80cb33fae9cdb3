import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type AskedServer, type ClientFigures, ClusterClient } from '../../../bench/cluster/cluster-client.js';
import { Disturbances } from '../../../bench/cluster/disturbances.js';
import { ExpectedAnswer } from '../../../bench/cluster/generations.js';
import { QuotaLedger } from '../../../bench/cluster/quota-ledger.js';
import { randomNumbers } from '../../../src/evaluation/index.js';

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
  expect((await judge([{ status: 503, body: AWAY }], { isAway: true })).faults[0]).toContain('503 without Retry-After');
});

test('a request is lost where its server was killed, and nowhere else', async () => {
  const killed = await judge([{ gone: true, body: '' }], { isDown: true });
  expect(killed.faults).toEqual([]);
  expect(killed.figures.lost).toBe(killed.figures.requests);
  expect((await judge([{ gone: true, body: '' }])).faults[0]).toContain('although it was not killed');
});
