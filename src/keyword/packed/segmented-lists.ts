import type { TermNumber } from '../../core/index.js';
import type { PostingList } from '../posting-list.js';
import type { ListReader } from './list-reader.js';
import type { OpenSegment } from './open-segments.js';

/** The posting lists of several segments. Each list is of one of them. */
export class SegmentedLists implements ListReader {
  readonly #segments: readonly OpenSegment[];

  constructor(segments: readonly OpenSegment[]) {
    this.#segments = segments;
  }

  listsOf(term: TermNumber, lastField: number): PostingList[] {
    const { lists, firstTerm } = this.#segments.find(({ behindTerm }) => term < behindTerm)!;
    return lists.listsOf(term - firstTerm, lastField);
  }

  addLists(terms: readonly TermNumber[], lastField: number, lists: PostingList[], termOf: TermNumber[]): void {
    for (const { lists: reader, firstTerm, behindTerm } of this.#segments) {
      const own: TermNumber[] = [];
      for (const term of terms) if (term >= firstTerm && term < behindTerm) own.push(term - firstTerm);
      const before = termOf.length;
      if (own.length > 0) reader.addLists(own, lastField, lists, termOf);
      for (let l = before; l < termOf.length; l++) termOf[l] = firstTerm + termOf[l]!;
    }
  }

  needFrequencies(lists: readonly PostingList[]): void {
    for (const [reader, own] of this.#bySegment(lists)) reader.needFrequencies(own);
  }

  needPositions(lists: readonly PostingList[]): void {
    for (const [reader, own] of this.#bySegment(lists)) reader.needPositions(own);
  }

  #bySegment(lists: readonly PostingList[]): (readonly [reader: ListReader, own: readonly PostingList[]])[] {
    return this.#segments.map(({ keywords, lists: reader }) => [
      reader,
      lists.filter(({ stored }) => stored === keywords.postings),
    ]);
  }
}
