import { Index } from 'flexsearch';
import { addDocuments, type BuiltPeer, type Peer, type PeerFolder } from './peer.js';

/**
 * Its README: numeric ids, `tokenize: 'strict'` for whole words, an `encode` function of one's own. A `Document` would
 * ask for all words in one field, so there are two flat indexes: of what the first step reads, and of everything. It
 * gives no total: whoever wants one asks for all results. The second index alone could not tell the steps apart.
 */
export async function buildFlexSearch({ catalogue }: PeerFolder): Promise<BuiltPeer> {
  const encode = (text: string): string[] => text.split(' ').filter((term) => term !== '');
  const [core, everything] = [new Index({ tokenize: 'strict', encode }), new Index({ tokenize: 'strict', encode })];
  const seconds = await addDocuments(catalogue, (documents) => {
    for (const { id, name, labels, description, files } of documents) {
      core.add(id, `${name} ${labels} ${description}`);
      everything.add(id, `${name} ${labels} ${description} ${files}`);
    }
  });

  const search: Peer['search'] = ({ words, required, everywhere }, { sortBy, category, limit }) => {
    if (words.some(({ by }) => by !== 'term')) return undefined;
    const query = words.map((word) => word.terms[0]).join(' ');
    const index = everywhere ? everything : core;
    const found = index.search(query, { limit: catalogue.size, suggest: required === 'any' }) as number[];
    const places = category === undefined ? found : found.filter((place) => catalogue.hasCategory(place, category));
    const sorted = sortBy === 'relevance' ? places : catalogue.sort(places, sortBy);
    return { places: sorted.slice(0, limit), total: places.length };
  };
  return { peer: { search }, seconds };
}
