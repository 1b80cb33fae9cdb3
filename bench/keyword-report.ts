import { atMost, type Bar, round } from './bars.js';
import type { Spread } from './engine.js';
import type { ClassFigures, FirstAndAgain, KeywordResult, PeerClassFigures, PeerResult } from './keyword-rounds.js';
import { markdownTable } from './markdown-table.js';
import { PEER_LIMITS, PEER_TITLES, type PeerName } from './peers/names.js';

/** The tables of keyword search, with the peers beside us. */
export function keywordTables({ classes, peers }: KeywordResult): string[] {
  const head = ['questions', 'order', 'number', 'first: p50 / p99 ms', 'again', 'explained', 'answered by'];
  const rows = classes.map((row) => [
    row.name,
    row.sortBy,
    String(row.questions),
    spread(row.first),
    spread(row.again),
    spread(row.explained),
    Object.entries(row.steps)
      .map(([step, count]) => `${step} ${count}`)
      .join(', '),
  ]);
  const parts = [markdownTable(head, rows)];
  if (peers.length === 0) return parts;
  const peerRows = classes.map(({ name, sortBy }, i) => [
    name,
    sortBy,
    ...peers.map((peer) => peerCell(peer.classes[i] as PeerClassFigures)),
  ]);
  return [
    ...parts,
    markdownTable(['p50 ms: first, again', 'order', ...peers.map(titleOf)], peerRows),
    'In brackets: a peer that does not give the same skills and total for all questions of the class, by date and stars in\n' +
      'the same order; n/m says for how many it does. A dash: it cannot be asked.',
    peers.map(({ name }) => `- ${PEER_TITLES[name]}: ${PEER_LIMITS[name]}.`).join('\n'),
    aheadTable(peers),
    markdownTable(
      ['peer', 'making our terms s', 'adding s', 'read back from JSON s', 'JSON MB', 'memory (RSS) MB'],
      peers.map(({ name, built: { seconds, stored }, rss }) => [
        PEER_TITLES[name],
        seconds.terms === undefined ? '' : round(seconds.terms),
        round(seconds.adding),
        stored === undefined ? '' : 'refused' in stored ? `no: ${stored.refused}` : round(stored.seconds),
        stored === undefined || 'refused' in stored ? '' : round(stored.bytes / 1e6),
        round(rss / 1e6),
      ]),
    ),
  ];
}

/** Of fewer questions the 99th percentile is one question's time. */
const LEAST_QUESTIONS = 10;

const PASSES = ['first', 'again'] as const;
type Pass = (typeof PASSES)[number];
const PASS_NAMES: Record<Pass, string> = { first: 'asked for the first time', again: 'asked again' };

export function keywordBars({ classes, peers }: KeywordResult): Bar[] {
  const large = classes.filter(({ questions }) => questions >= LEAST_QUESTIONS);
  const dated = large.filter(({ sortBy }) => sortBy !== 'relevance');
  const scored = large.filter(({ sortBy }) => sortBy === 'relevance');
  return [
    ...PASSES.flatMap((pass) => [
      worst('keyword by date and stars, p50 of every class', dated, pass, 'p50', 0.4),
      worst('keyword by date and stars, p99 of every class', dated, pass, 'p99', 4),
      worst('keyword by relevance, p50 of every class', scored, pass, 'p50', 2),
      worst('keyword by relevance, p99 of every class', scored, pass, 'p99', 15),
    ]),
    ...leanBars(peers),
    ...(peers.length === 0 ? [] : PASSES.map((pass) => aheadBar(peers, pass))),
  ];
}

function worst(what: string, rows: readonly ClassFigures[], pass: Pass, figure: 'p50' | 'p99', most: number): Bar {
  const figureOf = (row: ClassFigures): number => row[pass][figure];
  const [slowest] = rows.toSorted((a, b) => figureOf(b) - figureOf(a));
  const over = rows.filter((row) => figureOf(row) > most).length;
  const where = `: ${slowest?.name}, ${slowest?.sortBy}; ${over} of ${rows.length} over it`;
  return atMost(`${what}, ${PASS_NAMES[pass]}`, slowest === undefined ? 0 : figureOf(slowest), most, ' ms', where);
}

/** What share of lean MiniSearch's time by relevance a class may take that is asked for the first time. */
const LEAN_SHARES: Readonly<Record<string, number>> = { 'one common word': 0.07, 'two words': 0.04 };

function leanBars(peers: readonly PeerResult[]): Bar[] {
  const lean = peers.find(({ name }) => name === 'minisearch-lean')?.classes ?? [];
  return Object.entries(LEAN_SHARES).flatMap(([name, most]) => {
    const row = lean.find((one) => one.name === name && one.sortBy === 'relevance');
    if (row === undefined) return [];
    const [ours, theirs] = [row.ours.first.p50, row.first.p50];
    const what = `${name} by relevance, ${PASS_NAMES.first}, p50, share of lean MiniSearch's`;
    return [atMost(what, ours / theirs, most, '', ` (${round(ours)} to ${round(theirs)} ms)`)];
  });
}

interface Comparison extends PeerClassFigures {
  readonly peer: PeerName;
  readonly compared: NonNullable<PeerClassFigures['compared']>;
}

/** Every class that a peer shares enough questions with us in. */
function comparisons(peers: readonly PeerResult[]): Comparison[] {
  return peers.flatMap(({ name, classes }) =>
    classes.flatMap((row) => (row.compared === undefined ? [] : [{ ...row, peer: name, compared: row.compared }])),
  );
}

function isAhead({ compared: { ours, theirs } }: Comparison, pass: Pass): boolean {
  return theirs[pass].p50 < ours[pass].p50;
}

function aheadBar(peers: readonly PeerResult[], pass: Pass): Bar {
  const all = comparisons(peers);
  const ahead = all.filter((one) => isAhead(one, pass)).length;
  return {
    what: `peers ahead of us, p50, ${PASS_NAMES[pass]}, where both answer the same`,
    toReach: 'none',
    measured: `${ahead} of ${all.length} classes`,
    reached: ahead === 0,
  };
}

/** Where peers are ahead in the questions that both answer the same, those with most of these first. */
function aheadTable(peers: readonly PeerResult[]): string {
  const rows = comparisons(peers)
    .filter((one) => PASSES.some((pass) => isAhead(one, pass)))
    .toSorted((a, b) => b.same / b.questions - a.same / a.questions);
  if (rows.length === 0) return 'No peer is ahead of us in the questions of a class that both answer the same.';
  return markdownTable(
    ['ahead of us at p50, where both answer the same', 'questions', 'order', 'the same', 'its first, again ms', 'ours'],
    rows.map(({ peer, name, sortBy, same, questions, compared: { ours, theirs } }) => {
      return [PEER_TITLES[peer], name, sortBy, `${same}/${questions}`, medians(theirs), medians(ours)];
    }),
  );
}

function titleOf({ name }: PeerResult): string {
  return PEER_TITLES[name];
}

function peerCell(figures: PeerClassFigures): string {
  const { questions, same } = figures;
  if (questions === 0) return '-';
  return same === questions ? medians(figures) : `(${medians(figures)}) ${same}/${questions}`;
}

function medians({ first, again }: FirstAndAgain): string {
  return `${round(first.p50)}, ${round(again.p50)}`;
}

function spread({ p50, p99 }: Spread): string {
  return `${round(p50)} / ${round(p99)}`;
}
