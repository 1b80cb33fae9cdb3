import { buildPackedIndex } from '../../src/keyword/build/collect-keywords.js';
import type { KeywordDocument, KeywordIndex } from '../../src/keyword/keyword-index.js';
import { MiniSearchIndex } from '../../src/keyword/minisearch/minisearch-index.js';
import { SegmentedIndex } from '../../src/keyword/packed/segmented-index.js';
import { sourceOf } from './arbitrary-catalogue.js';
import { splitIntoSegments } from './packed/split-into-segments.js';

type Build = (documents: readonly Partial<KeywordDocument>[]) => Promise<KeywordIndex>;

/** Every third document is in a second segment, and documents around them are gone. */
function buildSegmented(documents: readonly KeywordDocument[]): KeywordIndex {
  const gone = [undefined, documents[0], undefined, documents.at(-1)];
  return new SegmentedIndex(splitIntoSegments(documents, { count: 2, owners: [0, 0, 1], gone }), sourceOf(documents));
}

/** Builds each kind of index, of documents that are given in part. */
export const INDEXES: readonly [name: string, build: Build][] = [
  ['PackedIndex', (documents) => buildPackedIndex(sourceOf(documents.map(documentOf)))],
  ['MiniSearchIndex', (documents) => MiniSearchIndex.build(sourceOf(documents.map(documentOf)))],
  ['SegmentedIndex', async (documents) => buildSegmented(documents.map(documentOf))],
];

function documentOf(fields: Partial<KeywordDocument>): KeywordDocument {
  return { name: 'x', author: 'somebody', labels: [], description: '', files: [], ...fields };
}
