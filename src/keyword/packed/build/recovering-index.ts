import { DamagedImageError } from '../../../arrays/paged-image.js';
import type {
  DocumentSource,
  KeywordIndex,
  KeywordMatches,
  MatchOptions,
  RankedDocuments,
  RankOptions,
} from '../../keyword-index.js';
import type { Question } from '../../question.js';
import { PackedIndex } from '../packed-index.js';
import { collectKeywords } from './collect-keywords.js';

/**
 * An index whose file is read bit by bit, so that damage may be found late. The words are then collected anew from the
 * documents, here and at once: that takes its time, once, but no answer is wrong or missing.
 */
export class RecoveringIndex implements KeywordIndex {
  readonly #documents: DocumentSource;
  #index: KeywordIndex;

  constructor(index: KeywordIndex, documents: DocumentSource) {
    this.#index = index;
    this.#documents = documents;
  }

  get size(): number {
    return this.#documents.size;
  }

  match(question: Question, options?: MatchOptions): KeywordMatches {
    const matches = this.#ask((index) => index.match(question, options));
    const asked = this.#index;
    const again = (index: KeywordIndex): KeywordMatches => (index === asked ? matches : index.match(question, options));
    return { ...matches, accepting: () => this.#ask((index) => again(index).accepting()) };
  }

  rank(question: Question, options: RankOptions): RankedDocuments {
    return this.#ask((index) => index.rank(question, options));
  }

  named(question: Question): readonly number[] {
    return this.#ask((index) => index.named(question));
  }

  beginning(question: Question): readonly number[] {
    return this.#ask((index) => index.beginning(question));
  }

  #ask<T>(question: (index: KeywordIndex) => T): T {
    try {
      return question(this.#index);
    } catch (error) {
      if (!(error instanceof DamagedImageError)) throw error;
      return question(this.#recovered());
    }
  }

  #recovered(): KeywordIndex {
    this.#index = new PackedIndex(collectKeywords(this.#documents), this.#documents);
    return this.#index;
  }
}
