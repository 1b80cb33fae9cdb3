import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { median, quantile } from './statistics.js';

/** Milliseconds in which the event loop is looked at, and so what it says too much. */
const RESOLUTION = 1;

/** Something that is asked, and waits for its answer. */
export type Ask = (question: string) => Promise<unknown>;

/** The times of one of those that take turns. */
export interface TurnFigures {
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Its time as a multiple of what the first of those in turn took for the same question, in the middle. */
  readonly timesFirst: number;
  /** Longest that the event loop was blocked, in milliseconds, and by which question. */
  readonly longestBlock: number;
  readonly blockedBy: string;
}

/** Figures of questions asked for the first time, and of the same asked again. */
export interface FirstAndAgain {
  readonly first: TurnFigures;
  /** The median of each figure over the rounds. */
  readonly again: TurnFigures;
}

interface Time {
  readonly ms: number;
  readonly block: number;
}

/**
 * Asks each question of all in turn: what slows the machine for a while slows all of them. Who comes first changes from
 * question to question, because the second finds in memory what the first has read.
 *
 * @param asks the first of them is what the others are compared with
 * @param rounds how often the questions are asked again
 */
export async function askInTurns<Name extends string>(
  asks: Readonly<Record<Name, Ask>>,
  questions: readonly string[],
  rounds: number,
): Promise<Record<Name, FirstAndAgain>> {
  const names = Object.keys(asks) as Name[];
  const passes: Record<Name, TurnFigures>[] = [];
  for (let pass = 0; pass <= rounds; pass++) {
    const times = Object.fromEntries(names.map((name) => [name, [] as Time[]])) as Record<Name, Time[]>;
    for (const [i, question] of questions.entries()) {
      const from = (i + pass) % names.length;
      for (const name of [...names.slice(from), ...names.slice(0, from)]) {
        times[name].push(await timeOf(() => asks[name](question)));
      }
    }
    passes.push(figuresOf(names, times, questions));
  }
  const [first, ...again] = passes as [Record<Name, TurnFigures>, ...Record<Name, TurnFigures>[]];
  return Object.fromEntries(
    names.map((name) => [name, { first: first[name], again: middleOf(again.map((pass) => pass[name])) }]),
  ) as Record<Name, FirstAndAgain>;
}

async function timeOf(run: () => Promise<unknown>): Promise<Time> {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  delays.enable();
  await setTimeout(2 * RESOLUTION);
  delays.reset();
  // The first look after that only says from when on to count.
  await setTimeout(2 * RESOLUTION);
  const before = performance.now();
  await run();
  const ms = performance.now() - before;
  // A block is seen when the next look comes.
  await setTimeout(2 * RESOLUTION);
  delays.disable();
  return { ms, block: Math.max(0, delays.max / 1e6 - RESOLUTION) };
}

function figuresOf<Name extends string>(
  names: readonly Name[],
  times: Readonly<Record<Name, readonly Time[]>>,
  questions: readonly string[],
): Record<Name, TurnFigures> {
  const compared = times[names[0] as Name];
  return Object.fromEntries(
    names.map((name) => {
      const own = times[name];
      const ms = own.map((time) => time.ms);
      const longestBlock = Math.max(...own.map(({ block }) => block));
      const figures: TurnFigures = {
        p50: quantile(ms, 0.5),
        p95: quantile(ms, 0.95),
        p99: quantile(ms, 0.99),
        timesFirst: median(ms.map((time, i) => time / (compared[i] as Time).ms)),
        longestBlock,
        blockedBy: questions[own.findIndex(({ block }) => block === longestBlock)] ?? '',
      };
      return [name, figures];
    }),
  ) as Record<Name, TurnFigures>;
}

function middleOf(all: readonly TurnFigures[]): TurnFigures {
  const of = (key: Exclude<keyof TurnFigures, 'blockedBy'>): number => median(all.map((one) => one[key]));
  const longest = all.toSorted((a, b) => b.longestBlock - a.longestBlock)[0];
  return {
    p50: of('p50'),
    p95: of('p95'),
    p99: of('p99'),
    timesFirst: of('timesFirst'),
    longestBlock: longest?.longestBlock ?? 0,
    blockedBy: longest?.blockedBy ?? '',
  };
}
