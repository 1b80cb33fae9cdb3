import { SORT_ORDERS, type SortOrder } from '../src/index.js';
import { AskedChild, LARGE_HEAP } from './child.js';
import { differenceOf, sameQuestions } from './compare-answers.js';
import { type Answer, type ClassTimes, type Spread, spreadOf } from './engine.js';
import type { PeerFigures, PeerReply, PeerRequest } from './peer-child.js';
import type { PeerName } from './peers/names.js';
import type { QuestionClass } from './questions.js';
import type { SearchReply, SearchRequest } from './search-child.js';
import { median } from './statistics.js';

/** A class of questions in one order; times are medians over the rounds. */
export interface ClassFigures extends Spread {
  readonly name: string;
  readonly sortBy: SortOrder;
  readonly questions: number;
  /** How many questions each step answered. */
  readonly steps: Readonly<Record<string, number>>;
}

/** The same class asked of a peer. */
export interface PeerClassFigures extends Spread {
  readonly name: string;
  readonly sortBy: SortOrder;
  /** Asked: less than the class has where the time for it was over, none where the peer cannot be asked. */
  readonly questions: number;
  /** Answered as we do: same skills, order and total. */
  readonly same: number;
  /** Empty where all were. */
  readonly difference: string;
  /** Times of the questions that were answered the same, measured in turns; absent where there are too few. */
  readonly compared?: { readonly ours: Spread; readonly theirs: Spread };
}

export interface PeerResult {
  readonly name: PeerName;
  readonly built: PeerFigures;
  readonly rss: number;
  readonly classes: readonly PeerClassFigures[];
}

export interface KeywordResult {
  readonly classes: readonly ClassFigures[];
  /** The same with matches and snippet of every hit read. */
  readonly explained: readonly ClassFigures[];
  readonly peers: readonly PeerResult[];
}

export interface KeywordOptions {
  readonly database: string;
  readonly classes: readonly QuestionClass[];
  readonly rounds: number;
  readonly peers: readonly PeerName[];
  /** For files of the peers. */
  readonly folder: string;
  readonly say: (what: string) => void;
}

/** Questions that both must have answered the same for times to be compared. */
const LEAST_COMPARED = 10;
const SECONDS_A_CLASS = 60;
/** Peers can take a hundred times as long: what they do not get to is left out of both sides. */
const SECONDS_A_CLASS_OF_PEER = 4;
const PEER_FLAGS = [...LARGE_HEAP, '--expose-gc'];

/** How matches are found is the same in all orders by date and stars. */
const EXPLAINED_ORDERS: readonly SortOrder[] = ['relevance', 'recent'];

type Round = readonly ClassTimes[];

/** Asks every class in every order, in rounds in which we and each peer take turns. */
export async function measureKeyword(options: KeywordOptions): Promise<KeywordResult> {
  const { database, classes, rounds, peers, folder, say } = options;
  const ours = new AskedChild<SearchRequest, SearchReply>('search-child.ts');
  try {
    await ours.ask({ database });
    const ask = async (answers: boolean, explained = false): Promise<Round> => {
      const orders = explained ? EXPLAINED_ORDERS : SORT_ORDERS;
      const { rows } = await ours.ask({ classes, orders, answers, explained, secondsAClass: SECONDS_A_CLASS });
      return rows;
    };
    const first = await ask(true);
    const all: Round[] = [first];
    for (let i = 1; i < rounds; i++) all.push(await ask(false));

    const results: PeerResult[] = [];
    for (const name of peers) {
      say(`building ${name}`);
      const peer = new AskedChild<PeerRequest, PeerReply>('peer-child.ts', PEER_FLAGS);
      try {
        const { built, rss } = await peer.ask({ name, database, folder });
        say(`asking ${name}`);
        const pairs: [ours: Round, theirs: Round][] = [];
        for (let i = 0; i < rounds; i++) {
          const mine = await ask(false);
          const round = { classes, orders: SORT_ORDERS, answers: i === 0, secondsAClass: SECONDS_A_CLASS_OF_PEER };
          pairs.push([mine, (await peer.ask(round)).rows]);
          all.push(mine);
        }
        const compared = first.map((_, row) => comparePeer(row, first, pairs));
        results.push({ name, built: built as PeerFigures, rss, classes: compared });
      } finally {
        await peer.end();
      }
    }
    const explained: Round[] = [];
    for (let i = 0; i < rounds; i++) explained.push(await ask(false, true));
    return { classes: figuresOf(all, first), explained: figuresOf(explained, explained[0] as Round), peers: results };
  } finally {
    await ours.end();
  }
}

function figuresOf(rounds: readonly Round[], answered: Round): ClassFigures[] {
  return answered.map(({ name, sortBy, times, answers = [] }, row) => {
    const steps: Record<string, number> = {};
    for (const { step = 'nothing' } of answers) steps[step] = (steps[step] ?? 0) + 1;
    const spread = middleOf(rounds.map((round) => spreadOf(round[row]?.times ?? [])));
    return { name, sortBy, questions: times.length, steps, ...spread };
  });
}

function comparePeer(row: number, first: Round, pairs: readonly [ours: Round, theirs: Round][]): PeerClassFigures {
  const { name, sortBy, answers: ours = [] } = first[row] as ClassTimes;
  const theirs: readonly Answer[] = pairs[0]?.[1][row]?.answers ?? [];
  const same = sameQuestions(ours, theirs);
  const timesOf = (round: Round): readonly number[] => round[row]?.times ?? [];
  const compare = (side: 0 | 1): Spread => middleOf(pairs.map((pair) => spreadOf(timesAt(timesOf(pair[side]), same))));
  return {
    name,
    sortBy,
    questions: theirs.length,
    same: same.length,
    difference: differenceOf(ours, theirs),
    ...middleOf(pairs.map(([, round]) => spreadOf(timesOf(round)))),
    ...(same.length < LEAST_COMPARED ? {} : { compared: { ours: compare(0), theirs: compare(1) } }),
  };
}

/** Of a round in which the time was over sooner there are fewer. */
function timesAt(times: readonly number[], places: readonly number[]): number[] {
  return places.flatMap((place) => times[place] ?? []);
}

function middleOf(spreads: readonly Spread[]): Spread {
  return { p50: median(spreads.map(({ p50 }) => p50)), p99: median(spreads.map(({ p99 }) => p99)) };
}
