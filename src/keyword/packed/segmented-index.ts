import type { DocumentNumber } from '../../core/index.js';
import { DamagedArrayFileError } from '../../core/index.js';
import type { DocumentSource } from '../keyword-index.js';
import { documentsOfKey, GONE, type KeywordSegment } from '../packed-keywords.js';
import { openSegments } from './open-segments.js';
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
   * @throws {DamagedArrayFileError} if the numbers of the segments are not those of the whole
   */
  constructor(segments: readonly KeywordSegment[], documents: DocumentSource) {
    super(partsOf(segments, documents));
  }
}

function partsOf(segments: readonly KeywordSegment[], documents: DocumentSource): IndexParts {
  const { size } = documents;
  checkNumbers(segments, size);
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

/** The numbers may come from a file: whoever made it, they are indexes into arrays of the whole. */
function checkNumbers(segments: readonly KeywordSegment[], size: number): void {
  const isTaken = new Uint8Array(size);
  let count = 0;
  for (const { keywords, numbers } of segments) {
    let least = 0;
    let wrong = numbers.length === keywords.size ? 0 : 1;
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i]!;
      if (number === GONE) continue;
      if (number < least || number >= size || isTaken[number] === 1) wrong += 1;
      isTaken[number] = 1;
      least = number + 1;
      count += 1;
    }
    if (wrong > 0) throw new DamagedArrayFileError('a segment has impossible numbers of documents');
  }
  if (count !== size) throw new DamagedArrayFileError(`the segments have ${count} of ${size} documents`);
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
