import { ALL_IN_MEMORY, type Pager } from '../../core/index.js';
import { SCORED_FIELDS } from '../../result.js';
import { LengthNorms } from '../bm25.js';
import type { DocumentSource } from '../keyword-index.js';
import type { PackedKeywords } from '../packed-keywords.js';
import { documentsOfKey } from '../packed-keywords.js';
import { TermDictionary } from '../term-dictionary.js';
import { CompletionReader } from './completion-reader.js';
import { type IndexParts, PostingIndex } from './posting-index.js';
import { StoredLists } from './stored-lists.js';

/** The index over one {@link PackedKeywords}, which has all documents. */
export class PackedIndex extends PostingIndex {
  /** @param pager reads the parts of arrays that are needed, for an index in a file */
  constructor(packed: PackedKeywords, documents: DocumentSource, pager: Pager = ALL_IN_MEMORY) {
    super(partsOf(packed, documents, pager));
  }
}

function partsOf(packed: PackedKeywords, documents: DocumentSource, pager: Pager): IndexParts {
  const { size, names, beginnings, completions } = packed;
  const terms = new TermDictionary(packed.dictionary, pager);
  return {
    size,
    documents,
    terms,
    lists: new StoredLists(packed.postings, pager),
    readNorms: () => readNorms(packed, pager),
    documentsOfName: (key) => documentsOfKey(names, key, pager),
    documentsOfBeginning: (key) => documentsOfKey(beginnings, key, pager),
    completionsWith: (together) => new CompletionReader(completions, terms, together, pager),
  };
}

function readNorms({ size, lengths, totalLengths, greatestLengths }: PackedKeywords, pager: Pager): LengthNorms[] {
  for (const array of [lengths, totalLengths, greatestLengths]) pager.need(array);
  return SCORED_FIELDS.map((_, field) => {
    const ofField = lengths.subarray(field * size, (field + 1) * size);
    return new LengthNorms(ofField, totalLengths[field]!, greatestLengths[field]!);
  });
}
