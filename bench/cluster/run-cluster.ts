import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connectAccess } from '../../src/access/index.js';
import { randomNumbers } from '../../src/evaluation/compare.js';
import { PASSWORD, PostgresCluster } from '../../test/share/postgres/postgres-cluster.js';
import { Connection } from './ask.js';
import { type ClientFigures, ClusterClient } from './cluster-client.js';
import { ClusterKills, type KillFigures } from './cluster-kills.js';
import { ClusterLoader } from './cluster-loader.js';
import { ClusterServer } from './cluster-server.js';
import { Disturbances } from './disturbances.js';
import { expectedAnswers } from './expected-answers.js';
import { freePorts } from './free-ports.js';
import {
  baseRows,
  type ClusterQuestion,
  clusterQuestions,
  type ExpectedAnswer,
  firstGenerationIn,
  lastingPart,
} from './generations.js';
import { type Lag, LagMeter } from './lag-meter.js';
import type { Command } from './part.js';
import { type QuotaClient, type QuotaFigures, QuotaLedger } from './quota-ledger.js';

export interface ClusterOptions {
  /** How the command line is started. */
  readonly command: Command;
  /** An empty folder for all files. */
  readonly folder: string;
  /** Settings of PostgreSQL; undefined for those of tests, which do not wait for the disk. */
  readonly settings: readonly string[] | undefined;
  /** Seconds in which parts are killed. */
  readonly seconds: number;
  /** Skills that no load changes. */
  readonly skills: number;
  readonly connections: number;
  /** Milliseconds between an answer and the next question of a connection, in the mean. */
  readonly questionPause: number;
  /** Milliseconds that a 503 may take where PostgreSQL is away, by the servers' logs. */
  readonly longestUnavailable: number;
  /** Whether skills get vectors, and some questions are asked by meaning. */
  readonly meaning: boolean;
  /** Requests that each key with a quota may make, and each client without a key. */
  readonly quota: number;
  /** Seconds between the end of one recovery and the next kill, about. */
  readonly pause: number;
  /** Seconds that PostgreSQL stays away. */
  readonly gone: number;
  readonly seed: number;
  readonly tell: (line: string) => void;
}

export interface ClusterFigures {
  readonly seconds: number;
  readonly client: ClientFigures;
  readonly kills: KillFigures;
  readonly withKey: QuotaFigures;
  readonly withoutKey: QuotaFigures;
  readonly loads: { readonly done: number; readonly failed: number; readonly seconds: readonly number[] };
  readonly lags: readonly Lag[];
  /** Milliseconds of the slowest 503 to a request that came while PostgreSQL was away, by the servers' logs. */
  readonly slowestUnavailable: number;
  /** Seconds from the end of the last load until all servers answered with it. */
  readonly convergence: number;
  /** What was wrong, in sentences; empty if nothing was. */
  readonly faults: readonly string[];
}

const SERVERS = 3;
const WORDS = 150;
const SENTENCES = 30;
/** Keys with a quota that are made beforehand. */
const KEYS = 400;
/** Seconds within which all servers must have the last generation. */
const LONGEST_CONVERGENCE = 60;
/** Milliseconds that a server may take to end because PostgreSQL is away. */
const ENDING = 5000;
/** Milliseconds between two loads. */
const BETWEEN_LOADS = 200;

/** Starts PostgreSQL, three servers, a loader and a client, kills one after the other, and checks every answer. */
export async function runCluster(options: ClusterOptions): Promise<ClusterFigures> {
  const { folder, tell } = options;
  const made: (() => Promise<unknown>)[] = [];
  try {
    const cluster = await PostgresCluster.make(options.settings === undefined ? {} : { settings: options.settings });
    made.push(() => cluster.remove());
    await cluster.start();
    return await runWith(cluster, options, made);
  } finally {
    tell(`the logs are in ${folder}`);
    for (const end of made.reverse()) await end();
  }
}

async function runWith(
  cluster: PostgresCluster,
  options: ClusterOptions,
  made: (() => Promise<unknown>)[],
): Promise<ClusterFigures> {
  const { command, folder, meaning, tell } = options;
  const random = randomNumbers(options.seed);
  const withPassword = await cluster.database();
  const address = withPassword.replace(`:${encodeURIComponent(PASSWORD)}@`, '@');
  const password = join(folder, 'password');
  writeFileSync(password, `${PASSWORD}\n`);
  chmodSync(password, 0o600);
  const [base, away] = [baseRows(options.skills), new Disturbances()];
  const place = ['--database', address, '--database-password-file', password];
  const semantic = meaning ? [] : ['--no-semantic'];

  tell(`loading ${options.skills} skills`);
  const words = [...place, '--cache', join(folder, 'loader'), ...semantic];
  const loader = new ClusterLoader({ command, words, base, folder, away, pause: BETWEEN_LOADS });
  await loader.loadFirst();
  made.push(() => loader.stop());
  const questions = clusterQuestions(base, WORDS, meaning ? SENTENCES : 0);
  tell('asking a catalogue in a file what all must answer');
  const expected = await expectedAnswers(questions, base, options);

  const serving = ['--log-level', 'warn', '--trust-proxy', 'loopback', '--longest-wait', '0'];
  const quotas = [
    '--anonymous-daily',
    String(options.quota),
    '--anonymous-per-minute',
    '0',
    '--requests-per-second',
    '0',
  ];
  const ports = await freePorts(SERVERS);
  const servers = ports.map((port, i) => {
    const cache = join(folder, `cache-${i + 1}`);
    const all = [...place, '--cache', cache, ...serving, ...quotas];
    return new ClusterServer({ name: `server ${i + 1}`, command, port, words: all, folder });
  });
  made.push(() => Promise.all(servers.map((server) => server.stop())));
  await Promise.all(servers.map((server) => server.untilHealthy()));

  const keys = await makeKeys(withPassword, options.quota);
  const lags = new LagMeter(loader, away, servers);
  const withKey = new QuotaLedger(() => clientWith(options.quota, bearer(keys.limited.pop())));
  let addresses = 0;
  const withoutKey = new QuotaLedger(() => clientWith(options.quota, forwarded(++addresses)));
  const client = new ClusterClient({
    servers,
    connections: options.connections,
    pause: options.questionPause,
    questions,
    expected,
    unlimited: bearer(keys.unlimited)!,
    withKey,
    withoutKey,
    away,
    loading: () => loader.begun,
    onGeneration: (generation) => lags.note(generation),
    random,
  });
  made.push(() => client.end());
  const began = performance.now();
  loader.start();
  const { pause, gone } = options;
  const tellWhen = (line: string): void => tell(`${((performance.now() - began) / 1000).toFixed(1)} s: ${line}`);
  const kills = new ClusterKills({
    cluster,
    address: withPassword,
    servers,
    loader,
    away,
    pause,
    gone,
    random,
    tell: tellWhen,
  });
  await kills.run(began + options.seconds * 1000);
  tellWhen('letting all come to rest');
  const last = await loader.end();
  const rested = performance.now();
  const faults = await converge(servers, last);
  const convergence = (performance.now() - rested) / 1000;
  const figures = await client.end();
  const seconds = (performance.now() - began) / 1000;
  for (const server of servers) {
    const count = figures.tooSlow.get(server) ?? 0;
    if (count > 0 && !server.hasFoundItSlow) faults.push(`${server.name}: ${count} times 503 while nothing was away`);
  }
  for (const server of servers) {
    for (const { at, lines } of server.ends) {
      if (away.touch(at - ENDING, at)) continue;
      faults.push(`${server.name} ended by itself after ${((at - began) / 1000).toFixed(1)} s: ${lines}`);
    }
  }
  const slowestUnavailable = Math.max(...servers.map((server) => server.slowestUnavailable(away)));
  if (slowestUnavailable > options.longestUnavailable) faults.push(`a 503 took ${Math.round(slowestUnavailable)} ms`);
  faults.push(...(await compareServers(servers, questions, expected, last, bearer(keys.unlimited)!)));
  return {
    seconds,
    client: figures,
    kills: kills.figures,
    withKey: withKey.figures(),
    withoutKey: withoutKey.figures(),
    loads: { done: loader.seconds.length, failed: loader.failed, seconds: loader.seconds },
    lags: lags.lags,
    slowestUnavailable,
    convergence,
    faults: [
      ...client.faults,
      ...kills.faults,
      ...loader.faults,
      ...withKey.faults(),
      ...withoutKey.faults(),
      ...faults,
    ],
  };
}

async function makeKeys(
  state: string,
  daily: number,
): Promise<{ readonly unlimited: string; readonly limited: string[] }> {
  const access = await connectAccess({ state });
  const { key: unlimited } = await access.createKey({ name: 'unlimited', daily: 0, perMinute: 0 });
  const limited: string[] = [];
  for (let i = 0; i < KEYS; i++) {
    limited.push((await access.createKey({ name: `limited ${i}`, daily, perMinute: 0 })).key);
  }
  await access.close();
  return { unlimited, limited };
}

function bearer(key: string | undefined): Record<string, string> | undefined {
  return key === undefined ? undefined : { authorization: `Bearer ${key}` };
}

/** A client without a key, of an address of its own. */
function forwarded(number: number): Record<string, string> {
  return { 'x-forwarded-for': `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}` };
}

function clientWith(limit: number, headers: Record<string, string> | undefined): QuotaClient | undefined {
  return headers && { limit, headers, answered: 0, refused: 0, unknown: 0 };
}

/** Waits until all servers have answered with a generation. */
async function converge(servers: readonly ClusterServer[], generation: number): Promise<string[]> {
  const until = performance.now() + LONGEST_CONVERGENCE * 1000;
  while (servers.some(({ newest }) => newest < generation)) {
    if (performance.now() > until) {
      return servers
        .filter(({ newest }) => newest < generation)
        .map(
          ({ name, newest }) => `${name} still has generation ${newest} ${LONGEST_CONVERGENCE} s after ${generation}`,
        );
    }
    await wait(20);
  }
  return [];
}

/** All servers must answer all questions with the same bytes, and with those of the last generation. */
async function compareServers(
  servers: readonly ClusterServer[],
  questions: readonly ClusterQuestion[],
  expected: ReadonlyMap<string, ExpectedAnswer>,
  generation: number,
  headers: Readonly<Record<string, string>>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const server of servers) {
    const connection = new Connection();
    for (const { path, kind } of questions) {
      if (kind !== 'words') continue;
      const { status, body } = await connection.ask(server.port, path, headers, 20_000);
      const got = lastingPart(body);
      if (status === 200 && got === expected.get(path)!.of(generation)) continue;
      const other = firstGenerationIn(got) ?? 'no generation';
      faults.push(`${server.name} answers ${path} in the end with ${status}, ${other} in place of ${generation}`);
    }
    connection.close();
  }
  return faults;
}
