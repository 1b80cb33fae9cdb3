import type { TermNumber } from '../../core/index.js';
import type { KeywordSegment, PackedCompletions } from '../packed-keywords.js';
import { TermDictionary } from '../term-dictionary.js';
import { MappedEntries } from './mapped-entries.js';
import { StoredLists } from './stored-lists.js';

/** A segment that is open. Its terms are numbered behind those of the segments before it. */
export interface OpenSegment extends KeywordSegment {
  readonly completions: PackedCompletions;
  /** Number of its first term among those of all segments. */
  readonly firstTerm: TermNumber;
  /** Behind the number of its last term. */
  readonly behindTerm: TermNumber;
  /** Its terms, by their numbers in the segment. */
  readonly terms: TermDictionary;
  /** Lists by terms of the segment, with documents of the whole. */
  readonly lists: StoredLists;
  /** Whether no document of the segment is gone. */
  readonly hasAll: boolean;
}

/** Opens segments. Reads nothing of their arrays. */
export function openSegments(segments: readonly KeywordSegment[]): readonly OpenSegment[] {
  let firstTerm = 0;
  return segments.map((segment) => {
    const { keywords, pager, numbers } = segment;
    const terms = new TermDictionary(keywords.dictionary, pager);
    const mapped = new MappedEntries(keywords.postings, numbers);
    const lists = new StoredLists(keywords.postings, pager, mapped);
    const behindTerm = firstTerm + terms.size;
    const { completions } = keywords;
    const opened = { ...segment, completions, firstTerm, behindTerm, terms, lists, hasAll: mapped.hasAll };
    firstTerm = behindTerm;
    return opened;
  });
}
