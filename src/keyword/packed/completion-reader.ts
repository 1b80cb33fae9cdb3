import type { Pager, TermNumber } from '../../core/index.js';
import { compareCodePoints, lowerBoundBy, typedNameKey } from '../../core/index.js';
import type { CompletedWord, CompletionOptions, CountedText, KeywordIndex } from '../keyword-index.js';
import type { PackedCompletions } from '../packed-keywords.js';
import type { TermDictionary } from '../term-dictionary.js';
import { StringTable } from '../term-dictionary.js';
import { firstOf } from './first-of.js';
import type { TogetherCounter } from './together.js';

/** Completes what somebody types. */
export type Completions = Pick<KeywordIndex, 'wordsBeginning' | 'namesBeginning'>;

/** Looks completions up. If they are in a file, reads only the blocks it looks at. */
export class CompletionReader implements Completions {
  readonly #packed: PackedCompletions;
  readonly #dictionary: TermDictionary;
  readonly #together: TogetherCounter;
  readonly #pager: Pager;
  readonly #names: StringTable;

  constructor(packed: PackedCompletions, dictionary: TermDictionary, together: TogetherCounter, pager: Pager) {
    this.#packed = packed;
    this.#dictionary = dictionary;
    this.#together = together;
    this.#pager = pager;
    this.#names = new StringTable(packed.names, pager);
  }

  wordsBeginning(letters: string, { limit, isLeftOut, words }: CompletionOptions): CompletedWord[] {
    const { terms, termCounts } = this.#packed;
    const [first, behind] = this.#dictionary.rangeOfPrefix(letters);
    const [from, to] = [this.#firstTerm(first), this.#firstTerm(behind)];
    this.#pager.need(terms, from, to);
    this.#pager.need(termCounts, from, to);
    // Terms are numbered in the order that decides between equal counts.
    const found = firstOf(from, to, (a, b) => termCounts[b]! - termCounts[a]! || a - b, limit)
      .map((i) => ({ term: terms[i]!, text: this.#dictionary.termAt(terms[i]!), count: termCounts[i]! }))
      .filter(({ text }) => !isLeftOut(text));
    const together =
      words.length === 0
        ? undefined
        : this.#together.count(
            words,
            found.map(({ term }) => [term]),
          );
    return found.map(({ text, count }, i) => ({ text, count, together: together?.[i] }));
  }

  namesBeginning(text: string, limit: number): CountedText[] {
    const { names, nameCounts } = this.#packed;
    const key = typedNameKey(text);
    if (key === '') return [];
    const from = lowerBoundBy(this.#names.size, (i) => compareCodePoints(this.#keyAt(i), key) < 0);
    const to = lowerBoundBy(this.#names.size, (i) => {
      const other = this.#keyAt(i);
      return compareCodePoints(other, key) < 0 || other.startsWith(key);
    });
    this.#pager.need(nameCounts, from, to);
    this.#pager.need(names.starts, from, to + 1);
    const lengthOf = (i: number): number => names.starts[i + 1]! - names.starts[i]!;
    const compare = (a: number, b: number): number =>
      nameCounts[b]! - nameCounts[a]! || lengthOf(a) - lengthOf(b) || a - b;
    const best = firstOf(from, to, compare, limit).filter((i) => nameCounts[i]! > 0);
    return best.map((i) => ({ text: this.#names.at(i), count: nameCounts[i]! }));
  }

  #keyAt(i: number): string {
    return typedNameKey(this.#names.at(i));
  }

  /** The first entry whose term is not less than a given one. */
  #firstTerm(term: TermNumber): number {
    const { terms } = this.#packed;
    return lowerBoundBy(terms.length, (i) => {
      this.#pager.need(terms, i, i + 1);
      return terms[i]! < term;
    });
  }
}
