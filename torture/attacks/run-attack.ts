import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openAccess } from '../../src/access/index.js';
import { ChildProgram } from '../child-program.js';
import type { AttackerMessage, Endings } from '../programs/attacker.js';
import type { Probed, ProberMessage } from '../programs/prober.js';
import type { Trial, TrialContext, TrialOutcome } from '../trial.js';
import { AttackedServer, type Block } from './attacked-server.js';
import { ATTACKS, type Attack } from './attacks.js';
import { catalogueOf, hostileCatalogue } from './hostile-catalogues.js';
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
  const database =
    attack.catalogue === 'given'
      ? await catalogueOf(context.catalogue!)
      : await hostileCatalogue(attack.catalogue, isLong ? 'long' : 'short');
  const state = join(folder, 'access.db');
  const keys = makeKeys(state);
  const attacker = new ChildProgram('attacker', []);
  const prober = new ChildProgram('prober', []);
  const words = ['--database', database, '--state', state, '--mcp', ...(attack.serve ?? [])];
  let server: AttackedServer | undefined;
  try {
    server = await AttackedServer.start(program, words);
    await Promise.all([attacker.ready, prober.ready]);
    const line = (from: string): Line => ({ port: server!.port, from, keys, patience: PATIENCE });
    const probe = (milliseconds: number): Promise<Probed> =>
      prober.ask({ line: line(PROBER), milliseconds } satisfies ProberMessage, milliseconds + 10 * PATIENCE);

    const calm = await probe(isLong ? CALM_LONG : CALM_SHORT);
    // So much is taken by whoever serves anybody at all.
    for (let i = 0; i < WARMING; i++) {
      await attacker.ask<Ending>({ line: line(PROBER), asked: SEARCH } satisfies AttackerMessage);
    }
    await server.forget();
    let rest = server.memory().now;

    const all = typeof attack.alone === 'function' ? await attack.alone(server.port) : attack.alone;
    const asked = isLong ? all : someOf(all, random);
    const alone: AloneBlock[] = [];
    const kinds = new Set<string>();
    for (const [i, one] of [...asked, ...asked].entries()) {
      // What ordinary use keeps in memory is no fault.
      if (i === asked.length && attack.catalogue === 'given') rest = server.memory().now;
      await server.forget();
      const message: AttackerMessage = { line: line(ATTACKER), asked: one };
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
    const flood: AttackerMessage = {
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
  missing: ({ catalogue }) => {
    if (process.platform !== 'linux') return 'it reads /proc and comes from several addresses 127.x.x.x';
    return attack.catalogue === 'given' && catalogue === undefined ? 'no --catalogue is given' : undefined;
  },
  run: (context) => runAttack(attack, context),
}));
