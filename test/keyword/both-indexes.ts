import type { KeywordDocument, KeywordIndex } from '../../src/keyword/keyword-index.js';
import { MiniSearchIndex } from '../../src/keyword/minisearch/minisearch-index.js';
import { buildPackedIndex } from '../../src/keyword/packed/build/build-packed-index.js';
import { sourceOf } from './arbitrary-catalogue.js';

type Build = (documents: readonly Partial<KeywordDocument>[]) => Promise<KeywordIndex>;

/** Builds each kind of index, of documents that are given in part. */
export const INDEXES: readonly [name: string, build: Build][] = [
  ['PackedIndex', (documents) => buildPackedIndex(sourceOf(documents.map(documentOf)))],
  ['MiniSearchIndex', (documents) => MiniSearchIndex.build(sourceOf(documents.map(documentOf)))],
];

function documentOf(fields: Partial<KeywordDocument>): KeywordDocument {
  return { name: 'x', author: 'somebody', labels: [], description: '', files: [], ...fields };
}
