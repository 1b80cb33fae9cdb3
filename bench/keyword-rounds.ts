import { SORT_ORDERS, type SortOrder } from '../src/index.js';
import { AskedChild, LARGE_HEAP } from './child.js';
import { sameQuestions } from './compare-answers.js';
import { type ClassRequest, type ClassTimes, type Spread, spreadOf } from './engine.js';
import { otherQuestions } from './other-questions.js';
import type { PeerFigures, PeerReply, PeerRequest } from './peer-child.js';
import type { PeerName } from './peers/names.js';
import type { QuestionClass } from './questions.js';
import type { SearchRequest } from './search-child.js';
import { median } from './statistics.js';

/** Milliseconds of questions that are asked for the first time and again, medians over the rounds. */
export interface FirstAndAgain {
  readonly first: Spread;
  readonly again: Spread;
}

/** A class of questions in one order. */
export interface ClassFigures extends FirstAndAgain {
  readonly name: string;
  readonly sortBy: SortOrder;
  readonly questions: number;
  /** Asked once more with matches and snippet of every hit read. */
  readonly explained: Spread;
  /** How many questions each step answered. */
  readonly steps: Readonly<Record<string, number>>;
}

/** The same class asked of a peer. */
export interface PeerClassFigures extends FirstAndAgain {
  readonly name: string;
  readonly sortBy: SortOrder;
  /** Asked: less than the class has where the time for it was over, none where the peer cannot be asked. */
  readonly questions: number;
  /** Our times over the questions that the peer was asked as well. */
  readonly ours: FirstAndAgain;
  /** Answered as we do. */
  readonly same: number;
  /** Times of the questions that were answered the same, measured in turns; absent where there are too few. */
  readonly compared?: { readonly ours: FirstAndAgain; readonly theirs: FirstAndAgain };
}

export interface PeerResult {
  readonly name: PeerName;
  readonly built: PeerFigures;
  /** Resident memory once it is built, in bytes. */
  readonly rss: number;
  readonly classes: readonly PeerClassFigures[];
}

export interface KeywordResult {
  readonly classes: readonly ClassFigures[];
  readonly peers: readonly PeerResult[];
}

export interface KeywordOptions {
  readonly database: string;
  readonly classes: readonly QuestionClass[];
  /** Texts that other questions are made of, which each process answers before a class. */
  readonly descriptions: readonly string[];
  readonly rounds: number;
  readonly peers: readonly PeerName[];
  /** For files of the peers. */
  readonly folder: string;
  readonly say: (what: string) => void;
}

/** Questions that a process has answered before it is asked for the first time. */
const OTHER_QUESTIONS = 1000;
/** Questions that both must have answered the same for times to be compared. */
const LEAST_COMPARED = 10;
const SECONDS_A_CLASS = 60;
/** Peers can take a hundred times as long: what they do not get to is left out of both sides. */
const SECONDS_A_CLASS_OF_PEER = 2;
/** A peer remembers no question: the others are there so that its code is compiled. */
const SECONDS_OF_OTHERS_OF_PEER = 1;
const PEER_FLAGS = [...LARGE_HEAP, '--expose-gc'];

interface AskedPeer {
  readonly name: PeerName;
  readonly built: PeerFigures;
  readonly rss: number;
  readonly child: AskedChild<PeerRequest, PeerReply>;
}

/** Asks every class in every order, in rounds in which we and each peer take turns class by class. */
export async function measureKeyword(options: KeywordOptions): Promise<KeywordResult> {
  const { classes, descriptions, rounds, say } = options;
  const peers: AskedPeer[] = [];
  try {
    for (const name of options.peers) peers.push(await buildPeer(name, options));
    // By class: rounds of rows, a row an order.
    const ours: ClassTimes[][][] = classes.map(() => []);
    const theirs: ClassTimes[][][][] = peers.map(() => classes.map(() => []));
    for (let round = 1; round <= rounds; round++) {
      for (const [c, questionClass] of classes.entries()) {
        say(`round ${round} of ${rounds}: ${questionClass.name}`);
        const others = otherQuestions(descriptions, questionClass.questions, OTHER_QUESTIONS);
        const request = { questionClass, orders: SORT_ORDERS, others };
        ours[c]?.push(await askOurs(options.database, request));
        for (const [p, { child }] of peers.entries()) {
          const limits = { secondsOfOthers: SECONDS_OF_OTHERS_OF_PEER, secondsAClass: SECONDS_A_CLASS_OF_PEER };
          theirs[p]?.[c]?.push((await child.ask({ ...request, ...limits })).rows);
        }
      }
    }
    const mine = ours.flatMap(roundsByRow);
    return {
      classes: mine.map(figuresOf),
      peers: peers.map(({ name, built, rss }, p) => {
        const rows = (theirs[p] ?? []).flatMap(roundsByRow);
        return { name, built, rss, classes: rows.map((row, i) => comparePeer(mine[i] as ClassTimes[], row)) };
      }),
    };
  } finally {
    for (const { child } of peers) await child.end();
  }
}

async function buildPeer(name: PeerName, { database, folder, say }: KeywordOptions): Promise<AskedPeer> {
  say(`building ${name}`);
  const child = new AskedChild<PeerRequest, PeerReply>('peer-child.ts', PEER_FLAGS);
  try {
    const { built, rss } = await child.ask({ name, database, folder });
    return { name, built: built as PeerFigures, rss, child };
  } catch (error) {
    await child.end();
    throw error;
  }
}

/** In a process that has answered nothing but other questions. */
async function askOurs(
  database: string,
  request: Omit<ClassRequest, 'secondsOfOthers' | 'secondsAClass'>,
): Promise<ClassTimes[]> {
  const child = new AskedChild<SearchRequest, ClassTimes[]>('search-child.ts');
  try {
    return await child.ask({ database, ...request, secondsOfOthers: SECONDS_A_CLASS, secondsAClass: SECONDS_A_CLASS });
  } finally {
    await child.end();
  }
}

/** By order what each round has of it. */
function roundsByRow(rounds: readonly (readonly ClassTimes[])[]): ClassTimes[][] {
  return (rounds[0] ?? []).map((_, row) => rounds.map((round) => round[row] as ClassTimes));
}

function figuresOf(rounds: readonly ClassTimes[]): ClassFigures {
  const { name, sortBy, first, answers } = rounds[0] as ClassTimes;
  const steps: Record<string, number> = {};
  for (const { step = 'nothing' } of answers) steps[step] = (steps[step] ?? 0) + 1;
  const explained = middleOf(rounds.map((round) => spreadOf(round.explained)));
  return { name, sortBy, questions: first.length, steps, explained, ...timesOf(rounds) };
}

function comparePeer(ours: readonly ClassTimes[], theirs: readonly ClassTimes[]): PeerClassFigures {
  const { name, sortBy, answers } = ours[0] as ClassTimes;
  const asked = theirs[0]?.answers ?? [];
  const same = sameQuestions(answers, asked, sortBy);
  const figures = {
    name,
    sortBy,
    questions: asked.length,
    ours: timesOf(ours, [...asked.keys()]),
    same: same.length,
    ...timesOf(theirs),
  };
  if (same.length < LEAST_COMPARED) return figures;
  return { ...figures, compared: { ours: timesOf(ours, same), theirs: timesOf(theirs, same) } };
}

/** @param places of the questions that count; all without */
function timesOf(rounds: readonly ClassTimes[], places?: readonly number[]): FirstAndAgain {
  const spread = (of: 'first' | 'again'): Spread =>
    middleOf(
      rounds.map((round) => {
        // Of a round in which the time was over sooner there are fewer.
        const times = places === undefined ? round[of] : places.flatMap((place) => round[of][place] ?? []);
        return spreadOf(times);
      }),
    );
  return { first: spread('first'), again: spread('again') };
}

function middleOf(spreads: readonly Spread[]): Spread {
  return { p50: median(spreads.map(({ p50 }) => p50)), p99: median(spreads.map(({ p99 }) => p99)) };
}
