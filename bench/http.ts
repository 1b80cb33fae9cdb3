// `npm run bench:http`: keyword search over HTTP under load, beside a bare server that serialises the same skills, in
// rounds that take turns. See README.md here.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { openAccess } from '../src/access/index.js';
import { randomNumbers } from '../src/evaluation/compare.js';
import { buildCatalogue, openSkillSearch, type SkillSearch } from '../src/index.js';
import { resolveKeywordQuery } from '../src/query.js';
import { writeGeneratedCatalogue } from './generated-catalogue.js';
import type { ServerFigures, ServerJob } from './http-server-child.js';
import { wordsByFrequency } from './word-frequencies.js';
import { ZipfRanks } from './zipf.js';

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    connections: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
  },
});

interface Round {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly statuses: Readonly<Record<string, number | undefined>>;
  readonly errors: number;
  readonly rss: readonly number[];
  readonly delay: number;
}

/** `unsearched` is ours over a search that takes no time: what the service itself takes. */
const KINDS = ['ours', 'unsearched', 'bare'] as const;

/** Words that are asked for: the most frequent ones of all descriptions, by Zipf's law. */
const WORDS = 10_000;
/** Answers that the servers which do not search hold; what is not among them is answered by another of these. */
const HELD_ANSWERS = 500;

const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-bench-'));
const servers: ChildProcess[] = [];
try {
  const database = values.database ?? (await makeCatalogue());
  const state = join(folder, 'access.db');
  const access = openAccess({ state });
  const { key } = access.createKey({ name: 'bench', daily: 0, perMinute: 0 });
  access.close();
  const { words, answers } = await wordsOf(database);
  const job = { database, state, answers };
  const urls = {
    ours: await startServer({ kind: 'ours', ...job }),
    unsearched: await startServer({ kind: 'unsearched', ...job }),
    bare: await startServer({ kind: 'bare', ...job }),
  };

  const rounds: Record<keyof typeof urls, Round[]> = { ours: [], unsearched: [], bare: [] };
  for (let i = 0; i < Number(values.rounds); i++) {
    for (const [n, kind] of KINDS.entries()) {
      rounds[kind].push(await measure(servers[n] as ChildProcess, urls[kind], key, words));
    }
  }
  print(`machine: ${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}`);
  print(
    `${words.length} words by Zipf's law, seed ${values.seed}, ${values.connections} connections, rounds of ${values.seconds} s`,
  );
  print(
    '',
    '| server | requests a second | p50 ms | p99 ms | event loop delay p99, ms | memory (RSS) | statuses | errors |',
  );
  print('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const kind of KINDS) for (const round of rounds[kind]) print(lineOf(kind, round));
  const ratios = (of: (round: Round) => number): string =>
    (['ours', 'unsearched'] as const)
      .map((kind) => (median(rounds[kind].map(of)) / median(rounds.bare.map(of))).toFixed(2))
      .join(' and ');
  print(
    '',
    `ours and unsearched to bare, medians: requests a second ${ratios((r) => r.rate)}, p99 ${ratios((r) => r.p99)}, event loop delay ${ratios((r) => r.delay)}`,
  );
} finally {
  for (const server of servers) server.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function makeCatalogue(): Promise<string> {
  const [source, database] = [join(folder, 'generated.jsonl'), join(folder, 'skills.db')];
  await writeGeneratedCatalogue(source, 20_000, 1);
  await buildCatalogue({ database, sources: [source], semantic: false });
  return database;
}

/** The words that are asked for, and for the paths of the first of them the skills of the answer. */
async function wordsOf(database: string): Promise<{ words: string[]; answers: Record<string, readonly unknown[]> }> {
  await using search = await openSkillSearch({ database });
  const words = wordsByFrequency(descriptionsOf(search)).slice(0, WORDS);
  const answers = words.slice(0, HELD_ANSWERS).map((q) => {
    const { records } = catalogueSearchOf(search).keywordRecords(resolveKeywordQuery({ q, sortBy: 'recent' }));
    return [pathOf(q), records.map((record) => JSON.parse(record))] as const;
  });
  return { words, answers: Object.fromEntries(answers) };
}

function* descriptionsOf(search: SkillSearch): Generator<string> {
  for (const id of search.ids()) yield search.get(id)?.description ?? '';
}

function pathOf(q: string): string {
  return `/api/v1/skills/search?q=${encodeURIComponent(q)}`;
}

async function startServer(job: ServerJob): Promise<string> {
  const path = fileURLToPath(new URL('http-server-child.ts', import.meta.url));
  const server = fork(path, { execArgv: ['--import', 'tsx'] });
  servers.push(server);
  server.send(job);
  const [{ url }] = (await once(server, 'message')) as [{ url: string }];
  return url;
}

async function measure(server: ChildProcess, url: string, key: string, words: readonly string[]): Promise<Round> {
  await figuresOf(server);
  // The same words in the same order for each server; connections draw in turns, so none asks what another just asked.
  const ranks = new ZipfRanks(words.length, randomNumbers(Number(values.seed)));
  const { requests, latency, statusCodeStats, errors } = await autocannon({
    url,
    connections: Number(values.connections),
    duration: Number(values.seconds),
    headers: { authorization: `Bearer ${key}` },
    requests: [{ setupRequest: (request) => ({ ...request, path: pathOf(words[ranks.next()] as string) }) }],
  });
  const statuses = Object.fromEntries(Object.entries(statusCodeStats ?? {}).map(([code, { count }]) => [code, count]));
  const { rss, delay } = await figuresOf(server);
  return { rate: requests.average, p50: latency.p50, p99: latency.p99, statuses, errors, rss, delay };
}

/** What a server took since it was last asked. */
async function figuresOf(server: ChildProcess): Promise<ServerFigures> {
  server.send('figures');
  const [figures] = await once(server, 'message');
  return figures as ServerFigures;
}

function lineOf(kind: string, { rate, p50, p99, delay, rss, statuses, errors }: Round): string {
  const [first, last] = [rss[0], rss.at(-1)].map((bytes = 0) => Math.round(bytes / 1e6));
  const codes = Object.entries(statuses).map(([code, count]) => `${code}: ${count}`);
  return `| ${kind} | ${rate.toFixed(0)} | ${p50} | ${p99} | ${delay.toFixed(1)} | ${first} to ${last} MB | ${codes.join(', ')} | ${errors} |`;
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] as number;
}

function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

import { catalogueSearchOf } from '../src/search/index.js';
