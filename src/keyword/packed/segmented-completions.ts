import type { CompletedWord, CompletionOptions, CountedText } from '../keyword-index.js';
import type { Completions } from './completion-reader.js';
import type { OpenSegment } from './open-segments.js';
import { SegmentedNames } from './segmented-names.js';
import { SegmentedWords } from './segmented-words.js';
import type { TogetherCounter } from './together.js';

/** Completes what somebody types by the words and the names of several segments. */
export class SegmentedCompletions implements Completions {
  readonly #words: SegmentedWords;
  readonly #names: SegmentedNames;

  /** @returns undefined if there is no segment */
  static over(segments: readonly OpenSegment[], together: TogetherCounter): SegmentedCompletions | undefined {
    // Most words and names are in the largest segment only, so that one is looked through, and the others are added.
    const [largest, ...others] = [...segments].sort((a, b) => b.keywords.size - a.keywords.size);
    return largest === undefined ? undefined : new SegmentedCompletions(largest, others, together);
  }

  private constructor(largest: OpenSegment, others: readonly OpenSegment[], together: TogetherCounter) {
    this.#words = new SegmentedWords(largest, others, together);
    this.#names = new SegmentedNames(largest, others);
  }

  wordsBeginning(letters: string, options: CompletionOptions): CompletedWord[] {
    return this.#words.beginning(letters, options);
  }

  namesBeginning(text: string, limit: number): CountedText[] {
    return this.#names.beginning(text, limit);
  }
}
