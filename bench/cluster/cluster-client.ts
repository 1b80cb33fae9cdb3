import { setTimeout as wait } from 'node:timers/promises';
import { pick, type Random } from '../random.js';
import { type Answer, Connection } from './ask.js';
import type { Disturbances } from './disturbances.js';
import {
  type ClusterQuestion,
  type ExpectedAnswer,
  firstGenerationIn,
  generationsIn,
  lastingPart,
} from './generations.js';
import type { QuotaClient, QuotaLedger } from './quota-ledger.js';

/** Milliseconds that a server takes at most to say that it cannot answer: so long before that something may be away. */
const SOON = 2000;
/** Milliseconds of silence after which a request counts as never answered. */
const SILENCE = 20_000;
/** Milliseconds after a connection was refused, or a request had no answer. */
const PAUSE = 50;
/** So many different faults are told. */
const MOST_FAULTS = 100;
/** Share of the questions by meaning, where there are some. */
const BY_MEANING = 0.02;

/** What the client knows of a server, and tells it. */
export interface AskedServer {
  readonly name: string;
  readonly port: number;
  /** The latest generation in an answer that has arrived: no later request may be answered with an earlier one. */
  newest: number;
  /** Whether its process was down at some moment between two, by `performance.now()`. */
  wasDown(from: number, to: number): boolean;
  /** An answer has arrived to a request that was sent at this time. */
  noteAnswer(sentAt: number): void;
}

export interface ClientOptions {
  readonly servers: readonly AskedServer[];
  readonly connections: number;
  /** Milliseconds between an answer and the next question of a connection, in the mean. */
  readonly pause: number;
  readonly questions: readonly ClusterQuestion[];
  readonly expected: ReadonlyMap<string, ExpectedAnswer>;
  /** Headers of a client without a quota. */
  readonly unlimited: Readonly<Record<string, string>>;
  readonly withKey: QuotaLedger;
  readonly withoutKey: QuotaLedger;
  /** When PostgreSQL, or its connections, were away. */
  readonly away: Disturbances;
  /** The latest generation whose load has begun. */
  readonly loading: () => number;
  /** Called when a server has answered with a generation for the first time. */
  readonly onGeneration: (generation: number) => void;
  readonly random: Random;
}

/** What became of all requests. */
export interface ClientFigures {
  readonly requests: number;
  readonly answered: number;
  readonly byMeaning: number;
  readonly refused: number;
  readonly unavailable: number;
  /** 503 although nothing was away: the database was too slow for a server, which must say so in its log. */
  readonly tooSlow: ReadonlyMap<AskedServer, number>;
  /** Requests without an answer on a process that was killed. */
  readonly lost: number;
  /** Connections to such a process that were not made. */
  readonly notConnected: number;
  /** Milliseconds of each answer with status 200. */
  readonly times: readonly number[];
}

/**
 * Asks several servers on many connections, each of them one question after the other, and compares every answer with
 * what its generation must be answered with.
 */
export class ClusterClient {
  readonly #options: ClientOptions;
  readonly #byWords: readonly ClusterQuestion[];
  readonly #byMeaning: readonly ClusterQuestion[];
  /** What was wrong, how often, and when first. */
  readonly #faults = new Map<string, { count: number; readonly at: number }>();
  readonly #began = performance.now();
  readonly #times: number[] = [];
  readonly #counts = { requests: 0, byMeaning: 0, refused: 0, unavailable: 0, lost: 0, notConnected: 0 };
  readonly #tooSlow = new Map<AskedServer, number>();
  #isEnding = false;
  readonly #asking: readonly Promise<void>[];

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#byWords = options.questions.filter(({ kind }) => kind === 'words');
    this.#byMeaning = options.questions.filter(({ kind }) => kind === 'meaning');
    this.#asking = Array.from({ length: options.connections }, (_, i) => this.#askOn(i));
  }

  /** What was wrong, in sentences. */
  get faults(): readonly string[] {
    return [...this.#faults].map(([text, { count, at }]) => `${text} (${count} times, first after ${at.toFixed(1)} s)`);
  }

  /** Ends when all requests have been answered that were sent. */
  async end(): Promise<ClientFigures> {
    this.#isEnding = true;
    await Promise.all(this.#asking);
    return {
      ...this.#counts,
      answered: this.#times.length,
      tooSlow: this.#tooSlow,
      times: this.#times,
    };
  }

  async #askOn(i: number): Promise<void> {
    const { servers, pause, random } = this.#options;
    const server = servers[i % servers.length]!;
    const connection = new Connection();
    while (!this.#isEnding) {
      await this.#askOnce(connection, server, i);
      if (pause > 0) await wait(2 * pause * random());
    }
    connection.close();
  }

  async #askOnce(connection: Connection, server: AskedServer, i: number): Promise<void> {
    const { random, unlimited } = this.#options;
    const quota = this.#quotaOf(i);
    const mayMean = quota === undefined && this.#byMeaning.length > 0 && random() < BY_MEANING;
    const question = pick(random, mayMean ? this.#byMeaning : this.#byWords);
    const [sentAt, oldest] = [performance.now(), server.newest];
    this.#counts.requests += 1;
    try {
      const answer = await connection.ask(server.port, question.path, quota?.headers ?? unlimited, SILENCE);
      this.#note(answer, { question, quota, server, sentAt, oldest });
      if (answer.status === 503) await wait(PAUSE);
    } catch (error) {
      this.#noteLoss(error, server, sentAt, quota);
      await wait(PAUSE);
    }
  }

  /** A fifth of the connections use a key with a quota, a tenth no key at all. */
  #quotaOf(i: number): QuotaClient | undefined {
    if (i % 5 === 1) return this.#options.withKey.client();
    return i % 10 === 2 ? this.#options.withoutKey.client() : undefined;
  }

  #note(
    answer: Answer,
    asked: {
      readonly question: ClusterQuestion;
      readonly quota: QuotaClient | undefined;
      readonly server: AskedServer;
      readonly sentAt: number;
      readonly oldest: number;
    },
  ): void {
    const { question, quota, server, sentAt } = asked;
    if (answer.status === 200) {
      this.#times.push(performance.now() - sentAt);
      if (quota !== undefined) quota.answered += 1;
      if (question.kind === 'meaning') this.#counts.byMeaning += 1;
      this.#check(answer.body, question, server, asked.oldest);
      server.noteAnswer(sentAt);
    } else if (answer.status === 429 && quota !== undefined && answer.body.includes('DAILY_QUOTA_EXCEEDED')) {
      quota.refused += 1;
      this.#counts.refused += 1;
    } else if (answer.status === 503 && answer.body.includes('SERVICE_UNAVAILABLE')) {
      if (quota !== undefined) quota.unknown += 1;
      if (answer.retryAfter === undefined) this.#fault(`${server.name}: 503 without Retry-After`);
      const began = sentAt - SOON;
      if (this.#options.away.touch(began, performance.now()) || server.wasDown(began, performance.now())) {
        this.#counts.unavailable += 1;
      } else this.#tooSlow.set(server, (this.#tooSlow.get(server) ?? 0) + 1);
    } else {
      this.#fault(`${server.name}: ${answer.status} for ${question.path}: ${answer.body.slice(0, 300)}`);
    }
  }

  #check(body: string, question: ClusterQuestion, server: AskedServer, oldest: number): void {
    const { expected, loading, onGeneration } = this.#options;
    const got = lastingPart(body);
    const generation = firstGenerationIn(got);
    if (generation !== undefined) {
      if (generation < oldest) {
        this.#fault(`${server.name}: generation ${generation} after ${oldest}: ${question.path}`);
      }
      if (generation > loading()) this.#fault(`${server.name}: generation ${generation} before it was loaded`);
      if (generation > server.newest) {
        server.newest = generation;
        onGeneration(generation);
      }
    }
    // Vectors of a copy may be searched in another way than those of the catalogue compared with: words alone are
    // exact.
    if (question.kind === 'words' && got === expected.get(question.path)!.of(generation ?? 0)) return;
    const generations = generationsIn(got);
    if (generations.length > 1) {
      this.#fault(`${server.name}: generations ${generations.join(' and ')} in one answer: ${question.path}`);
    } else if (question.kind === 'words') {
      this.#fault(`${server.name}: a wrong answer to ${question.path}: ${got.slice(0, 2000)}`);
    }
  }

  #noteLoss(error: unknown, server: AskedServer, sentAt: number, quota: QuotaClient | undefined): void {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!server.wasDown(sentAt, performance.now())) {
      this.#fault(`${server.name}: no answer (${code ?? message}) although it was not killed`);
    }
    if (code === 'ECONNREFUSED') {
      this.#counts.notConnected += 1;
      return;
    }
    this.#counts.lost += 1;
    if (quota !== undefined) quota.unknown += 1;
  }

  #fault(text: string): void {
    const known = this.#faults.get(text);
    if (known !== undefined) known.count += 1;
    else if (this.#faults.size < MOST_FAULTS) {
      this.#faults.set(text, { count: 1, at: (performance.now() - this.#began) / 1000 });
    }
  }
}
