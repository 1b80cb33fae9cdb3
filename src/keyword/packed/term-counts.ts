import type { TermNumber } from '../../core/index.js';
import { lowerBoundBy } from '../../core/index.js';
import { countDocuments } from '../document-sets.js';
import { COMPLETED_FIELDS, INNER } from '../index-fields.js';
import { AloneReader } from '../posting-list.js';
import type { OpenSegment } from './open-segments.js';

/** What a segment knows of a term that may complete a word. */
export interface TermCount {
  /** Number of documents that are left and have it in name, labels or description. */
  readonly count: number;
  /** Whether it completes a word: it does, and stands by itself in any of them. */
  readonly completes: boolean;
}

/** Counts the documents of terms in one segment. Remembers what it counted. */
export class TermCounts {
  readonly #segment: OpenSegment;
  readonly #known = new Map<TermNumber, TermCount>();
  readonly #reader: AloneReader;

  constructor(segment: OpenSegment) {
    this.#segment = segment;
    this.#reader = new AloneReader(segment.keywords.postings);
  }

  /** @param term by its number in the segment */
  of(term: TermNumber): TermCount {
    let count = this.#known.get(term);
    if (count === undefined) {
      count = this.#read(term);
      this.#known.set(term, count);
    }
    return count;
  }

  /** The first entry of the segment's completions whose term is not less than a given one. */
  firstEntry(term: TermNumber): number {
    const { completions, pager } = this.#segment;
    const { terms } = completions;
    return lowerBoundBy(terms.length, (i) => {
      pager.need(terms, i, i + 1);
      return terms[i]! < term;
    });
  }

  #read(term: TermNumber): TermCount {
    const { completions, pager, hasAll, lists: reader } = this.#segment;
    const { terms, termCounts } = completions;
    const entry = this.firstEntry(term);
    pager.need(terms, entry, Math.min(entry + 1, terms.length));
    const completes = terms[entry] === term;
    if (completes && hasAll) {
      pager.need(termCounts, entry, entry + 1);
      return { count: termCounts[entry]!, completes };
    }
    const lists = reader.listsOf(term, INNER - 1).filter(({ field }) => COMPLETED_FIELDS.includes(field));
    const count = countDocuments(lists);
    if (!completes || hasAll) return { count, completes };
    // It may have stood by itself only where it is gone.
    reader.needPositions(lists);
    return { count, completes: lists.some((list) => this.#reader.standsAlone(list)) };
  }
}
