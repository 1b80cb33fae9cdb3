import type { TermNumber } from '../../core/index.js';
import { compareCodePoints, foldAccents } from '../../core/index.js';
import type { CompletedWord, CompletionOptions } from '../keyword-index.js';
import { firstOf } from './first-of.js';
import type { OpenSegment } from './open-segments.js';
import { TermCounts } from './term-counts.js';
import type { TogetherCounter } from './together.js';

/** A term that may complete a word. */
interface Candidate {
  readonly text: string;
  /** Its number in the largest segment, or that of the first term behind it there. */
  readonly place: TermNumber;
  /** Whether the largest segment has it. */
  readonly isThere: boolean;
  /** Its numbers among the terms of all segments. */
  readonly numbers: TermNumber[];
  /** Number of documents of the other segments that have it. */
  others: number;
  /** Whether it completes a word by what is in the other segments. */
  completes: boolean;
}

/** A candidate with the number of its documents, or at least so many. */
interface Counted {
  readonly candidate: Candidate;
  readonly count: number;
}

/** A small segment, with what is known of its terms. */
interface OtherSegment {
  readonly segment: OpenSegment;
  readonly counts: TermCounts;
  readonly places: Map<TermNumber, Pick<Candidate, 'text' | 'place' | 'isThere'>>;
}

/** Words of several segments that begin with some letters, see `KeywordIndex.wordsBeginning`. */
export class SegmentedWords {
  readonly #largest: OpenSegment;
  readonly #counts: TermCounts;
  readonly #others: readonly OtherSegment[];
  readonly #together: TogetherCounter;

  constructor(largest: OpenSegment, others: readonly OpenSegment[], together: TogetherCounter) {
    this.#largest = largest;
    this.#counts = new TermCounts(largest);
    this.#others = others.map((segment) => ({ segment, counts: new TermCounts(segment), places: new Map() }));
    this.#together = together;
  }

  beginning(letters: string, { limit, isLeftOut, words }: CompletionOptions): CompletedWord[] {
    const found = this.#first(letters, limit).filter(({ candidate }) => !isLeftOut(candidate.text));
    const together =
      words.length === 0
        ? undefined
        : this.#together.count(
            words,
            found.map(({ candidate }) => candidate.numbers),
          );
    return found.map(({ candidate: { text }, count }, i) => ({ text, count, together: together?.[i] }));
  }

  /**
   * The first terms by their number of documents. What the largest segment has stored counts its gone documents, too.
   * So a few more terms are looked at than are wanted, and counted, until no other can come before those.
   */
  #first(letters: string, limit: number): Counted[] {
    const { terms: dictionary, completions, pager } = this.#largest;
    const { terms, termCounts } = completions;
    const touched = this.#inOthers(letters);
    const [first, behind] = dictionary.rangeOfPrefix(letters);
    const [from, to] = [this.#counts.firstEntry(first), this.#counts.firstEntry(behind)];
    pager.need(terms, from, to);
    pager.need(termCounts, from, to);
    const atMost = [...touched.values()].map((candidate) => ({ candidate, count: this.#atMost(candidate) }));
    atMost.sort(compareCounted);
    for (let looked = limit; ; looked *= 2) {
      const stored = firstOf(from, to, (a, b) => termCounts[b]! - termCounts[a]! || a - b, looked).map((i) => ({
        candidate: this.#candidateAt(terms[i]!),
        count: termCounts[i]!,
      }));
      const alone = stored.filter(({ candidate }) => !touched.has(candidate.text));
      const counted = [...alone, ...atMost.slice(0, looked)].map(({ candidate }) => this.#count(candidate));
      const best = counted.filter(({ count }) => count > 0).sort(compareCounted);
      // No term that was not looked at comes before the last of those that were.
      const bounds = [stored, atMost].flatMap((list) => (list.length < looked ? [] : [list[looked - 1]!]));
      const last = best[limit - 1];
      const isDone =
        last === undefined ? bounds.length === 0 : bounds.every((bound) => compareCounted(last, bound) <= 0);
      if (isDone) return best.slice(0, limit);
    }
  }

  /** The terms of the other segments that begin with some letters, by text. */
  #inOthers(letters: string): ReadonlyMap<string, Candidate> {
    const found = new Map<string, Candidate>();
    for (const { segment, counts, places } of this.#others) {
      const [from, to] = segment.terms.rangeOfPrefix(letters);
      for (let term = from; term < to; term++) {
        const { count, completes } = counts.of(term);
        if (count === 0) continue;
        let known = places.get(term);
        if (known === undefined) {
          known = this.#placeOf(segment.terms.termAt(term));
          places.set(term, known);
        }
        let candidate = found.get(known.text);
        if (candidate === undefined) {
          const numbers = known.isThere ? [this.#largest.firstTerm + known.place] : [];
          candidate = { ...known, numbers, others: 0, completes: false };
          found.set(known.text, candidate);
        }
        candidate.numbers.push(segment.firstTerm + term);
        candidate.others += count;
        candidate.completes ||= completes;
      }
    }
    return found;
  }

  #placeOf(text: string): Pick<Candidate, 'text' | 'place' | 'isThere'> {
    const { terms } = this.#largest;
    const place = terms.placeOf(text);
    return { text, place, isThere: place < terms.size && terms.termAt(place) === text };
  }

  /** A term that only the largest segment has. */
  #candidateAt(term: TermNumber): Candidate {
    const { terms, firstTerm } = this.#largest;
    const numbers = [firstTerm + term];
    return { text: terms.termAt(term), place: term, isThere: true, numbers, others: 0, completes: false };
  }

  /** At least the number of documents that have a term. */
  #atMost({ place, isThere, others }: Candidate): number {
    if (!isThere) return others;
    const { completions, pager } = this.#largest;
    const entry = this.#counts.firstEntry(place);
    if (entry === completions.terms.length || completions.terms[entry] !== place) {
      return others + this.#counts.of(place).count;
    }
    pager.need(completions.termCounts, entry, entry + 1);
    return others + completions.termCounts[entry]!;
  }

  /** Counts the documents that have a term; 0 if it completes no word. */
  #count(candidate: Candidate): Counted {
    const { place, isThere, others, completes } = candidate;
    const inLargest = isThere ? this.#counts.of(place) : { count: 0, completes: false };
    return { candidate, count: completes || inLargest.completes ? others + inLargest.count : 0 };
  }
}

/** The order of words: those that more documents have first, then the order of terms. */
function compareCounted(a: Counted, b: Counted): number {
  return b.count - a.count || compareTerms(a.candidate, b.candidate);
}

function compareTerms(a: Candidate, b: Candidate): number {
  if (a.place !== b.place) return a.place - b.place;
  if (a.isThere !== b.isThere) return a.isThere ? 1 : -1;
  return compareCodePoints(foldAccents(a.text), foldAccents(b.text)) || compareCodePoints(a.text, b.text);
}
