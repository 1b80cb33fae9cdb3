import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openAccess } from '../../src/access/index.js';
import { ChildProgram } from '../child-program.js';
import type { ClientMessage, Endings, Probed } from '../programs/client.js';
import type { Trial, TrialContext, TrialOutcome } from '../trial.js';
import { ATTACKS, type Attack } from './attacks.js';
import { hostileCatalogue } from './hostile-catalogues.js';
import type { Asked, Ending, Keys, Line } from './requests.js';

/** What an attack may do to others. Times in milliseconds. */
interface Goal {
  /** Longest block by one request of its kind that was asked before. */
  readonly block: number;
  /** The same, where it was not. */
  readonly firstBlock: number;
  /** How long others wait for the health of the server, 99 of 100 times, beside what they wait without an attack. */
  readonly health: number;
  /** Memory, by that of rest. */
  readonly memory: number;
  /** Megabytes of memory that are no fault whatever was taken at rest. */
  readonly freeMemory: number;
}

/**
 * The goal of a server on a machine of its own. One of a small catalogue takes 80 to 150 MB at rest: before Node collects
 * garbage, a few large answers double that.
 */
const GOAL: Goal = { block: 50, firstBlock: 100, health: 250, memory: 1.5, freeMemory: 300 };

/** What even a server on a machine that has much else to do keeps. Its modules are compiled at their first use. */
const GENEROUS: Goal = { block: 500, firstBlock: 1000, health: 3000, memory: 2, freeMemory: 400 };

/** Without an attack: what others wait, and what memory is taken. */
const [CALM_SHORT, CALM_LONG] = [1500, 15_000];
/** The shortest floods. */
const [FLOOD_SHORT, FLOOD_LONG] = [3000, 20_000];
/** Requests that a short run asks alone, about. */
const ALONE_SHORT = 40;
/** Searches before memory counts as that of rest. */
const WARMING = 100;
const SEARCH: Asked = { path: '/api/v1/skills/search?q=release', key: 'unlimited' };
const ATTACKER = '127.0.0.2';
const PROBER = '127.0.0.3';
/** Milliseconds after which a client gives up. */
const PATIENCE = 20_000;
/** Requests whose blocks are told. */
const TOLD = 6;

interface AloneBlock {
  readonly asked: Asked;
  readonly isFirst: boolean;
  readonly ending: Ending;
  readonly block: Block;
  /** Megabytes at most meanwhile. */
  readonly memory: number;
}

/**
 * Attacks a server of a hostile catalogue: first with requests of one kind at a time, then with a flood, while another
 * address asks for health and searches at a steady rate.
 *
 * @throws Error if others suffer from it
 */
async function runAttack(attack: Attack, context: TrialContext): Promise<TrialOutcome> {
  const { folder, random, until, isLong, program, say } = context;
  const goal = isLong ? GOAL : GENEROUS;
  const database = await hostileCatalogue(attack.catalogue, isLong ? 'long' : 'short');
  const state = join(folder, 'access.db');
  const keys = makeKeys(state);
  const attacker = new ChildProgram('client', []);
  const prober = new ChildProgram('client', []);
  const words = ['--database', database, '--state', state, '--mcp', ...(attack.serve ?? [])];
  let server: AttackedServer | undefined;
  try {
    server = await AttackedServer.start(program, words);
    await Promise.all([attacker.ready, prober.ready]);
    const line = (from: string): Line => ({ port: server!.port, from, keys, patience: PATIENCE });
    const probe = (milliseconds: number): Promise<Probed> =>
      prober.ask({ line: line(PROBER), probeFor: milliseconds } satisfies ClientMessage, milliseconds + 10 * PATIENCE);

    const calm = await probe(isLong ? CALM_LONG : CALM_SHORT);
    // So much is taken by whoever serves anybody at all.
    for (let i = 0; i < WARMING; i++) {
      await attacker.ask<Ending>({ line: line(PROBER), asked: SEARCH } satisfies ClientMessage);
    }
    await server.forget();
    const rest = server.memory().now;

    const asked = isLong ? attack.alone : someOf(attack.alone, random);
    const alone: AloneBlock[] = [];
    const kinds = new Set<string>();
    for (const one of [...asked, ...asked]) {
      await server.forget();
      const message: ClientMessage = { line: line(ATTACKER), asked: one };
      const ending = await attacker.ask<Ending>(message, 2 * PATIENCE);
      const [block = NO_BLOCK] = await server.blocks().catch((error: Error) => {
        throw new Error(`${error.message}, by ${requestOf(one)}`);
      });
      const kind = kindOf(one);
      alone.push({ asked: one, isFirst: !kinds.has(kind), ending, block, memory: server.memory().most });
      kinds.add(kind);
    }
    for (const one of slowestOf(alone)) say(told(one));

    await server.forget();
    const least = isLong ? (attack.least ?? FLOOD_LONG) : FLOOD_SHORT;
    const milliseconds = Math.max(least, until - performance.now());
    const flood: ClientMessage = {
      line: line(ATTACKER),
      attack: attack.name,
      seed: Math.floor(random() * 2 ** 32),
      milliseconds,
    };
    const [endings, probed] = await Promise.all([
      attacker.ask<Endings>(flood, milliseconds + 10 * PATIENCE),
      // It begins under the attack.
      wait(200).then(() => probe(milliseconds - 200)),
    ]);
    const [longest = NO_BLOCK] = await server.blocks();
    const most = Math.max(server.memory().most, ...alone.map(({ memory }) => memory));
    return judge({ calm, probed, alone, longest, rest, most, endings }, goal, say);
  } finally {
    attacker.end();
    prober.end();
    await server?.end();
  }
}

/** As many as a short run has time for, in their order. */
function someOf(all: readonly Asked[], random: () => number): readonly Asked[] {
  const share = ALONE_SHORT / all.length;
  return all.filter(() => random() < share);
}

const NO_BLOCK: Block = { clock: 0, cpu: 0, collecting: 0 };

function makeKeys(state: string): Keys {
  const access = openAccess({ state });
  try {
    return {
      usual: access.createKey({ name: 'usual' }).key,
      unlimited: access.createKey({ name: 'unlimited', daily: 0, perMinute: 0 }).key,
    };
  } finally {
    access.close();
  }
}

interface Measured {
  readonly calm: Probed;
  readonly probed: Probed;
  readonly alone: readonly AloneBlock[];
  readonly longest: Block;
  readonly rest: number;
  readonly most: number;
  readonly endings: Endings;
}

function judge(measured: Measured, goal: Goal, say: (line: string) => void): TrialOutcome {
  const { calm, probed, alone, longest, rest, most, endings } = measured;
  const [worst] = slowestOf(alone);
  const facts = {
    'health p50/p99/max': timesOf(probed.health.times),
    'without attack': timesOf(calm.health.times),
    'search p50/p99/max': timesOf(probed.search.times),
    'searches without attack': timesOf(calm.search.times),
    'longest block': blockOf(longest),
    'longest of one request': worst === undefined ? 'none' : blockOf(worst.block),
    'MB at rest': Math.round(rest),
    'MB at most': `${Math.round(most)} (${(most / rest).toFixed(2)} times)`,
    endings: Object.entries(endings)
      .map(([ending, count]) => `${count} ${ending}`)
      .join(' '),
  };
  for (const [name, value] of Object.entries(facts)) say(`${name}: ${value}`);
  const faults: string[] = [];
  for (const [name, { faults: unanswered }] of Object.entries(probed) as [string, Probed['health']][]) {
    if (unanswered.length > 0) faults.push(`${unanswered.length} of others' ${name} requests failed: ${unanswered[0]}`);
  }
  const health = quantile(probed.health.times, 0.99);
  const usual = quantile(calm.health.times, 0.99);
  if (health > goal.health + usual) faults.push(`others wait ${ms(health)} for health, ${ms(usual)} without attack`);
  for (const one of slowestOf(alone)) {
    if (one.block.cpu > (one.isFirst ? goal.firstBlock : goal.block)) faults.push(told(one));
  }
  if (longest.cpu > goal.block) faults.push(`a block of ${blockOf(longest)} in the flood`);
  if (most > Math.max(goal.memory * rest, rest + goal.freeMemory)) {
    faults.push(`${Math.round(most)} MB, ${Math.round(rest)} at rest`);
  }
  if (faults.length > 0) throw new Error(faults.join('; '));
  const attempts = Object.values(endings).reduce((sum, count) => sum + count, alone.length);
  return { attempts, facts };
}

/** What is made or read for all requests of a kind: those of one path, and of one method and tool. */
function kindOf({ method = 'GET', path, body = '' }: Asked): string {
  const place = path.replace(/\?.*$/, '').replace(/^(\/skills\/)[^/]+/, '$1');
  return `${method} ${place} ${/"method":"([^"]+)"/.exec(body)?.[1]} ${/"name":"([^"]+)"/.exec(body)?.[1]}`;
}

/** The requests with the longest blocks: of those that were the first of their kind, and of the others. */
function slowestOf(alone: readonly AloneBlock[]): readonly AloneBlock[] {
  const slowest = [...alone].sort((a, b) => b.block.cpu - a.block.cpu);
  const first = slowest.filter(({ isFirst }) => isFirst).slice(0, TOLD);
  const again = slowest.filter(({ isFirst }) => !isFirst).slice(0, TOLD);
  return [...first, ...again].sort((a, b) => b.block.cpu - a.block.cpu);
}

function told({ asked, isFirst, ending, block, memory }: AloneBlock): string {
  return `${blockOf(block)}, ${Math.round(memory)} MB, ${isFirst ? 'first' : 'again'} (${ending}): ${requestOf(asked)}`;
}

function requestOf({ method = 'GET', path, body = '' }: Asked): string {
  return `${method} ${path.slice(0, 100)}${body === '' ? '' : ` ${body.slice(0, 160)}`}`;
}

function blockOf({ clock, cpu, collecting }: Block): string {
  return `${ms(cpu)} of the processor (${ms(clock)} by the clock, ${ms(collecting)} collecting garbage)`;
}

function timesOf(times: readonly number[]): string {
  return `${[0.5, 0.99, 1].map((share) => ms(quantile(times, share))).join(' / ')} of ${times.length}`;
}

function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function ms(milliseconds: number): string {
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}

/** A trial for each attack. */
export const ATTACK_TRIALS: readonly Trial[] = ATTACKS.map((attack) => ({
  name: `attack-${attack.name}`,
  promise: `Under ${attack.what}, another address has its answers, no turn of the event loop takes long, and memory is bounded.`,
  missing: () =>
    process.platform === 'linux' ? undefined : 'it reads /proc and comes from several addresses 127.x.x.x',
  begin: async (context) => {
    const facts = {};
    const attempt = async (): Promise<number> => {
      const outcome = await runAttack(attack, context);
      Object.assign(facts, outcome.facts);
      return outcome.attempts;
    };
    return { facts, attempt };
  },
}));

/** The command of the sources. */
export const SOURCES: string = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const WATCH = new URL('../programs/watch-blocks.mjs', import.meta.url).href;
/** Milliseconds until a server has started: it may have a large catalogue to open, and look which skills it publishes. */
const LONGEST_START = 120_000;
/** Milliseconds until a server tells its blocks. One that has not told by then stands still. */
const LONGEST_SILENCE = 60_000;

/** A time without a turn of the event loop, in milliseconds. */
interface Block {
  readonly clock: number;
  /** What the main thread itself ran in it: the rest was waiting for a processor. */
  readonly cpu: number;
  /** How much of it was collecting garbage. */
  readonly collecting: number;
}

/** `serve` as a process of its own, whose blocks and memory can be read. */
class AttackedServer {
  readonly #child: ChildProcess;
  #errors = '';
  readonly port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    child.stderr!.on('data', (data: Buffer) => (this.#errors = (this.#errors + data).slice(-500)));
  }

  /**
   * @param program the built command; undefined for the sources
   * @param words what follows `serve`
   * @throws Error if it does not start
   */
  static async start(program: string | undefined, words: readonly string[]): Promise<AttackedServer> {
    const execArgv = [...(program === undefined ? ['--import', 'tsx'] : []), '--import', WATCH];
    const child = fork(program ?? SOURCES, ['serve', '--port', '0', '--log-level', 'silent', ...words], {
      execArgv,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let errors = '';
    child.stderr!.on('data', (data: Buffer) => (errors = (errors + data).slice(-2000)));
    const told = new Promise<number>((resolve, reject) => {
      let text = '';
      child.stdout!.on('data', (data: Buffer) => {
        if (text.length < 10_000) text += data;
        const [, port] = / at http:\/\/[^:]+:(\d+),/.exec(text) ?? [];
        if (port !== undefined) resolve(Number(port));
      });
      child.once('exit', (status, signal) => reject(new Error(`the server ended by ${signal ?? status}: ${errors}`)));
      setTimeout(() => reject(new Error(`no start within ${LONGEST_START / 1000} s`)), LONGEST_START).unref();
    });
    try {
      return new AttackedServer(child, await told);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Whether the process is there. */
  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Megabytes of physical memory now, and the most since {@link AttackedServer.forget}. */
  memory(): { readonly now: number; readonly most: number } {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    const [now, most] = ['VmRSS', 'VmHWM'].map((name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]));
    return { now: now! / 1024, most: most! / 1024 };
  }

  /** Begins to look anew for the longest block and the most memory. */
  async forget(): Promise<void> {
    await this.#ask('forget');
    // The mark of the most memory is set to what is taken now.
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, '5');
  }

  /** The longest blocks since {@link AttackedServer.forget}, the longest first. */
  blocks(): Promise<readonly Block[]> {
    return this.#ask('tell') as Promise<readonly Block[]>;
  }

  async end(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  #ask(message: 'forget' | 'tell'): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const child = this.#child;
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', onExit);
        act();
      };
      const onMessage = (answer: unknown): void => settle(() => resolve(answer));
      const onExit = (status: number | null, signal: string | null): void =>
        settle(() => reject(new Error(`the server ended by ${signal ?? `status ${status}`}: ${this.#errors}`)));
      const timer = setTimeout(
        () => settle(() => reject(new Error(`the server has stood still for ${LONGEST_SILENCE / 1000} s`))),
        LONGEST_SILENCE,
      );
      child.on('message', onMessage).on('exit', onExit);
      if (!this.isRunning) onExit(child.exitCode, child.signalCode);
      else child.send(message);
    });
  }
}
