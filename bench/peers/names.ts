/** The peers, in the order in which they take part: lean is what people build, the others have our fields and terms. */
export const PEERS = [
  'minisearch-lean',
  'orama-lean',
  'fts5-lean',
  'minisearch',
  'orama',
  'flexsearch',
  'fts5',
] as const;

export type PeerName = (typeof PEERS)[number];

export const PEER_TITLES: Record<PeerName, string> = {
  'minisearch-lean': 'MiniSearch 7.2, lean',
  'orama-lean': 'Orama 3.1, lean',
  'fts5-lean': 'SQLite FTS5, lean',
  minisearch: 'MiniSearch 7.2',
  orama: 'Orama 3.1',
  flexsearch: 'FlexSearch 0.8',
  fts5: 'SQLite FTS5',
};

/** Why each does not answer some classes as we do. All have scores of their own, so another order of relevance. */
export const PEER_LIMITS: Record<PeerName, string> = {
  'minisearch-lean':
    'name and description alone, whole words without stems, any word; sorts all it finds by date or stars',
  'orama-lean': 'name and description alone, beginnings of words, any word; by relevance alone',
  'fts5-lean': 'name and description alone, whole words without stems, all words; by relevance and date alone',
  minisearch:
    'no phrases (asked for the words); beginnings and edits of stems, not of words; any word, not half of the weight',
  orama:
    'all words must stand in one field; no phrases; no terms in the place of another; beginnings and edits of stems',
  flexsearch: 'no phrases; no terms in the place of another; with whole words no beginnings and no edits',
  fts5: 'no edits; beginnings of stems, not of words; any word, not half of the weight',
};

/** @throws where it names something else than peers */
export function peersNamed(list: string): PeerName[] {
  return list.split(',').map((name) => {
    const peer = PEERS.find((one) => one === name);
    if (peer === undefined) throw new Error(`--peers takes ${PEERS.join(', ')} with commas between them, got ${name}`);
    return peer;
  });
}
