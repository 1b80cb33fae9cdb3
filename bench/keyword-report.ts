import { atLeast, atMost, type Bar, round } from './bars.js';
import type { Spread } from './engine.js';
import type { ClassFigures, KeywordResult, PeerClassFigures, PeerResult } from './keyword-rounds.js';
import { markdownTable } from './markdown-table.js';
import { PEER_LIMITS, PEER_TITLES } from './peers/names.js';

/** The tables of keyword search, with the peers beside us. */
export function keywordTables({ classes, explained, peers }: KeywordResult): string[] {
  const head = ['questions', 'order', 'number', 'p50 / p99 ms', 'answered by', ...peers.map(titleOf)];
  const rows = classes.map((row, i) => [
    row.name,
    row.sortBy,
    String(row.questions),
    spread(row),
    Object.entries(row.steps)
      .map(([step, count]) => `${step} ${count}`)
      .join(', '),
    ...peers.map((peer) => peerCell(peer.classes[i] as PeerClassFigures)),
  ]);
  const parts = [markdownTable(head, rows)];
  if (peers.length > 0) {
    parts.push(
      'In brackets: a peer that does not answer all questions of the class with the same skills, order and total; n/m says of how many it does.\n' +
        'All peers have the same documents, fields and terms (ours, stemmed), numbers in order of date, and records from the same SQLite file.',
      peers.map(({ name }) => `- ${PEER_TITLES[name]}: ${PEER_LIMITS[name]}.`).join('\n'),
      aheadTable(peers),
      markdownTable(
        ['peer', 'making our terms s', 'adding s', 'read back from JSON s', 'JSON MB', 'memory (RSS) MB'],
        peers.map(({ name, built: { seconds, stored }, rss }) => [
          PEER_TITLES[name],
          round(seconds.terms),
          round(seconds.adding),
          stored === undefined ? '' : 'refused' in stored ? `no: ${stored.refused}` : round(stored.seconds),
          stored === undefined || 'refused' in stored ? '' : round(stored.bytes / 1e6),
          round(rss / 1e6),
        ]),
      ),
    );
  }
  parts.push(
    markdownTable(
      ['with matches and snippets read', 'order', 'p50 / p99 ms'],
      explained.map((row) => [row.name, row.sortBy, spread(row)]),
    ),
  );
  return parts;
}

/** Of fewer questions the 99th percentile is one question's time. */
const LEAST_QUESTIONS = 10;

export function keywordBars({ classes, peers }: KeywordResult): Bar[] {
  const large = classes.filter(({ questions }) => questions >= LEAST_QUESTIONS);
  const dated = large.filter(({ sortBy }) => sortBy !== 'relevance');
  const scored = large.filter(({ sortBy }) => sortBy === 'relevance');
  return [
    worst('keyword by date and stars, p50 of every class', dated, 'p50', 0.4),
    worst('keyword by date and stars, p99 of every class', dated, 'p99', 4),
    worst('keyword by relevance, p50 of every class', scored, 'p50', 2),
    worst('keyword by relevance, p99 of every class', scored, 'p99', 15),
    ...commonWordBar(classes, peers),
    ...(peers.length === 0 ? [] : [aheadBar(peers)]),
  ];
}

function worst(what: string, rows: readonly ClassFigures[], figure: 'p50' | 'p99', most: number): Bar {
  const [slowest] = rows.toSorted((a, b) => b[figure] - a[figure]);
  const over = rows.filter((row) => row[figure] > most).length;
  const where = `: ${slowest?.name}, ${slowest?.sortBy}; ${over} of ${rows.length} over it`;
  return atMost(what, slowest?.[figure] ?? 0, most, ' ms', where);
}

/** How many times as long MiniSearch takes for a common word, in the order in which it does best. */
function commonWordBar(classes: readonly ClassFigures[], peers: readonly PeerResult[]): Bar[] {
  const theirs = peers.find(({ name }) => name === 'minisearch')?.classes;
  if (theirs === undefined) return [];
  const ratios = classes.flatMap(({ name, sortBy, p50 }, i) => {
    return name === 'one common word' ? [{ sortBy, ratio: (theirs[i]?.p50 ?? 0) / p50 }] : [];
  });
  const more = ` (${ratios.map(({ sortBy, ratio }) => `${sortBy} ${round(ratio)}`).join(', ')})`;
  return [atLeast('common words, times MiniSearch', Math.min(...ratios.map(({ ratio }) => ratio)), 50, '', more)];
}

/** A class can be compared where a peer answers nearly all of its questions as we do. */
const COMPARED_SHARE = 0.9;

interface Comparison extends PeerClassFigures {
  readonly peer: string;
  readonly ours: Spread;
  readonly theirs: Spread;
}

/** Every class that a peer shares questions with us in, where it is ahead in them. */
function aheadOf(peers: readonly PeerResult[]): { readonly all: Comparison[]; readonly ahead: Comparison[] } {
  const all = peers.flatMap(({ name, classes }) => {
    return classes.flatMap((row) => (row.compared === undefined ? [] : [{ peer: name, ...row, ...row.compared }]));
  });
  return { all, ahead: all.filter(({ theirs, ours }) => theirs.p50 < ours.p50) };
}

function isComparable({ same, questions }: PeerClassFigures): boolean {
  return same >= questions * COMPARED_SHARE;
}

function aheadBar(peers: readonly PeerResult[]): Bar {
  const { all, ahead } = aheadOf(peers);
  const [comparable, counted] = [all, ahead].map((rows) => rows.filter(isComparable).length);
  return {
    what: 'peers ahead of us, p50, in a class they can be compared in',
    toReach: 'none',
    measured: `${counted} of ${comparable}`,
    reached: counted === 0,
  };
}

/** Where peers are ahead in the questions that both answer the same, comparable classes first. */
function aheadTable(peers: readonly PeerResult[]): string {
  const rows = aheadOf(peers).ahead.toSorted((a, b) => Number(isComparable(b)) - Number(isComparable(a)));
  return markdownTable(
    ['ahead of us, where both answer the same', 'questions', 'order', 'answered the same', 'its p50 / p99 ms', 'ours'],
    rows.map(({ peer, name, sortBy, same, questions, theirs, ours }) => {
      return [peer, name, sortBy, `${same}/${questions}`, spread(theirs), spread(ours)];
    }),
  );
}

function titleOf({ name }: PeerResult): string {
  return PEER_TITLES[name];
}

function peerCell(figures: PeerClassFigures): string {
  if (figures.questions === 0) return '-';
  if (figures.difference === '') return spread(figures);
  return `(${spread(figures)}) ${figures.same}/${figures.questions}`;
}

function spread({ p50, p99 }: { readonly p50: number; readonly p99: number }): string {
  return `${round(p50)} / ${round(p99)}`;
}
