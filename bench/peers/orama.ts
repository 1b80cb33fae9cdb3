import { create, insertMultiple, search as searchOrama } from '@orama/orama';
import { ALL_FIELDS, CORE_FIELDS } from './catalogue.js';
import { addDocuments, type BuiltPeer, type Peer, type PeerFolder } from './peer.js';

/**
 * Its documentation: a schema, `insertMultiple`, a tokenizer of one's own, `threshold: 0` for all words, `exact` for
 * whole words, `tolerance` for typos, `sortBy` a property, `where` for an enum. All words must stand in one field.
 */
export async function buildOrama({ catalogue }: PeerFolder): Promise<BuiltPeer> {
  const database = create({
    schema: {
      name: 'string',
      labels: 'string',
      description: 'string',
      files: 'string',
      place: 'number',
      stars: 'number',
      category: 'enum[]',
    } as const,
    sort: { unsortableProperties: [...ALL_FIELDS] },
    components: {
      tokenizer: {
        language: 'english',
        normalizationCache: new Map(),
        tokenize: (text: string) => text.split(' ').filter((term) => term !== ''),
      },
    },
  });
  const seconds = await addDocuments(catalogue, async (documents) => {
    const rows = documents.map(({ id, ...texts }) => {
      return { ...texts, place: id, stars: catalogue.starRank(id), category: catalogue.categoriesOf(id) };
    });
    await insertMultiple(database, rows, 1000);
  });

  const search: Peer['search'] = ({ words, required, everywhere }, { sortBy, category, limit }) => {
    const [beginning, edits] = ['beginning', 'edits'].map((by) => words.some((word) => word.by === by));
    const result = searchOrama(database, {
      term: words.map((word) => word.terms[0]).join(' '),
      properties: everywhere ? [...ALL_FIELDS] : [...CORE_FIELDS],
      threshold: required === 'all' ? 0 : 1,
      exact: beginning !== true && edits !== true,
      ...(edits === true ? { tolerance: 1 } : {}),
      ...(category === undefined ? {} : { where: { category: { containsAny: [category] } } }),
      ...(sortBy === 'relevance'
        ? {}
        : { sortBy: { property: sortBy === 'recent' ? 'place' : 'stars', order: 'ASC' as const } }),
      limit,
    });
    if (result instanceof Promise) throw new Error('Orama searches at once where it has no hooks');
    return { places: result.hits.map(({ document }) => document.place), total: result.count };
  };
  return { peer: { search }, seconds };
}
