import type { DocumentNumber } from '../../numbers.js';
import type { DocumentSource } from '../keyword-index.js';
import { GONE, type KeywordSegment } from './keyword-segment.js';
import { documentsOfKey } from './name-table.js';
import { openSegments } from './open-segment.js';
import { type IndexParts, PostingIndex } from './posting-index.js';
import { SegmentedCompletions } from './segmented-completions.js';
import { SegmentedLists } from './segmented-lists.js';
import { segmentedNorms } from './segmented-norms.js';
import { SegmentedTerms } from './segmented-terms.js';

/**
 * The index over several segments: a large one, and small ones of documents that came later. Documents of any of them
 * may be gone. It answers as one `PackedIndex` over the documents that are left would: each document is in one segment,
 * so a word has the lists of all segments, and everything that is counted is counted over these. Only the work of a
 * question is another, so an answer that a bound cuts may be cut elsewhere.
 */
export class SegmentedIndex extends PostingIndex {
  /**
   * @param segments each document of the whole is in one of them
   * @param documents those that are left
   */
  constructor(segments: readonly KeywordSegment[], documents: DocumentSource) {
    super(partsOf(segments, documents));
  }
}

function partsOf(segments: readonly KeywordSegment[], documents: DocumentSource): IndexParts {
  const { size } = documents;
  const opened = openSegments(segments);
  const lists = new SegmentedLists(opened);
  return {
    size,
    documents,
    terms: new SegmentedTerms(opened),
    lists,
    readNorms: () => segmentedNorms(size, segments),
    documentsOfName: (key) => documentsNamed('names', key, segments),
    documentsOfBeginning: (key) => documentsNamed('beginnings', key, segments),
    completionsWith: (together) => SegmentedCompletions.over(opened, together),
  };
}

/** The documents of a key in any segment, ascending. */
function documentsNamed(
  table: 'names' | 'beginnings',
  key: string,
  segments: readonly KeywordSegment[],
): DocumentNumber[] {
  const found = segments.flatMap(({ keywords, pager, numbers }) =>
    documentsOfKey(keywords[table], key, pager)
      .map((document) => numbers[document]!)
      .filter((document) => document !== GONE),
  );
  return found.sort((a, b) => a - b);
}
