import type { TermNumber } from '../../core/index.js';
import { compareCodePoints, foldAccents } from '../../core/index.js';
import type { Lookup } from '../plan-steps.js';
import { RecentlyUsed } from '../recently-used.js';
import type { TermSource } from '../term-dictionary.js';
import { LOOKUP_COST, letterGroupOf, lettersOf, TERM_COST } from '../term-dictionary.js';
import { Work } from '../work.js';
import type { OpenSegment } from './open-segments.js';

/** Number of words whose terms are remembered, and number of their terms in all. */
const WORDS_REMEMBERED = 20_000;
const TERMS_REMEMBERED = 500_000;

/**
 * The terms of several segments. A look-up may find terms that only documents have which are gone: they have no lists.
 * Work is counted for each segment, but for that of looking one word up: all segments but one are small.
 */
export class SegmentedTerms implements TermSource {
  readonly #segments: readonly OpenSegment[];
  readonly #termsOfWord = new RecentlyUsed<readonly TermNumber[]>(
    WORDS_REMEMBERED,
    TERMS_REMEMBERED,
    ({ length }) => length,
  );

  constructor(segments: readonly OpenSegment[]) {
    this.#segments = segments;
  }

  find(lookup: Lookup, work: Work = new Work()): readonly TermNumber[] | undefined {
    if (!work.affords(LOOKUP_COST)) return undefined;
    switch (lookup.kind) {
      case 'stem':
        return this.#termsOfWord.get(lookup.term, () => this.#withSameStem(lookup.term));
      case 'character':
      case 'prefix':
        return this.#beginningWith(lookup.term, work);
      case 'edits':
        return this.#withinEdits(foldAccents(lookup.term), lookup.edits, work);
    }
  }

  occurs(lookup: Lookup, work: Work): boolean {
    return (this.find(lookup, work) ?? []).some((term) => {
      const { lists, firstTerm } = this.#segmentOf(term);
      return lists.hasDocument(term - firstTerm);
    });
  }

  termAt(term: TermNumber): string {
    const { terms, firstTerm } = this.#segmentOf(term);
    return terms.termAt(term - firstTerm);
  }

  isAccented(term: TermNumber): boolean {
    const { terms, firstTerm } = this.#segmentOf(term);
    return terms.isAccented(term - firstTerm);
  }

  #segmentOf(term: TermNumber): OpenSegment {
    return this.#segments.find(({ behindTerm }) => term < behindTerm)!;
  }

  #withSameStem(text: string): readonly TermNumber[] {
    return this.#segments.flatMap(({ terms, firstTerm }) => terms.withSameStem(text).map((term) => firstTerm + term));
  }

  #beginningWith(text: string, work: Work): readonly TermNumber[] | undefined {
    const found: TermNumber[] = [];
    for (const { terms, firstTerm } of this.#segments) {
      const [from, to] = terms.rangeOfPrefix(text);
      if (!work.affords((to - from) * TERM_COST)) return undefined;
      for (let term = from; term < to; term++) found.push(firstTerm + term);
    }
    return found;
  }

  /**
   * A form that is near may be in one segment, and terms of its stem in another. A form that only documents have which
   * are gone leads to none. Forms come in the order that one dictionary of all segments would have them in: scores then
   * do not differ by rounding.
   *
   * @returns undefined if the work is not afforded
   */
  #withinEdits(form: string, edits: number, work: Work): readonly TermNumber[] | undefined {
    const near = new Set<string>();
    for (const { terms, lists } of this.#segments) {
      const found = terms.nearTerms(form, edits, work);
      if (found === undefined) return undefined;
      for (const term of found) if (lists.hasDocument(term)) near.add(terms.formAt(term));
    }
    const found = new Set<TermNumber>();
    for (const one of [...near].sort(compareNear)) {
      if (!work.affords(LOOKUP_COST)) return undefined;
      for (const term of this.#withSameStem(one)) found.add(term);
    }
    return [...found];
  }
}

/** The order of `TermDictionary.nearTerms`. */
function compareNear(a: string, b: string): number {
  return a.length - b.length || letterGroupOf(lettersOf(a)) - letterGroupOf(lettersOf(b)) || compareCodePoints(a, b);
}
