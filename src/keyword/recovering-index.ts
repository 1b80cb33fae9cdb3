import { DamagedArrayFileError, type DocumentNumber, type Pieces } from '../core/index.js';
import { collectKeywords } from './build/collect-keywords.js';
import type {
  CompletedWord,
  CompletionOptions,
  CountedText,
  DocumentSource,
  KeywordIndex,
  KeywordMatches,
  MatchOptions,
  RankedDocuments,
  RankOptions,
} from './keyword-index.js';
import { PackedIndex } from './packed-index.js';
import type { Question } from './question.js';
import { Work } from './work.js';

/**
 * An index over a file that may turn out to be damaged. A block of the file is checked when a question first needs it.
 * If it is damaged, this index reads all documents again, builds another index in memory, and answers the question and
 * all later ones from that. Building it blocks the event loop, once, but no answer is wrong or missing.
 */
export class RecoveringIndex implements KeywordIndex {
  readonly #documents: DocumentSource;
  /** The index over the file; after damage was found, the one in memory. */
  #index: KeywordIndex;

  /** @param index throws `DamagedArrayFileError` if it needs a damaged block */
  constructor(index: KeywordIndex, documents: DocumentSource) {
    this.#index = index;
    this.#documents = documents;
  }

  get size(): number {
    return this.#documents.size;
  }

  match(question: Question, options?: MatchOptions): KeywordMatches {
    const matches = this.#answer((index) => index.match(question, options), options?.work);
    const matchedIndex = this.#index;
    const again = (index: KeywordIndex): KeywordMatches =>
      index.match(question, { ...options, work: new Work(options?.work?.limit) });
    // All of these read from the file, too. If the index was replaced since, the question is matched again.
    const late = <Answer>(ask: (matches: KeywordMatches) => Answer): Answer =>
      this.#answer((index) => ask(index === matchedIndex ? matches : again(index)));
    return {
      ...matches,
      best: matches.best === undefined ? undefined : (wanted) => late((found) => found.best!(wanted)),
      accepting: () => late((found) => found.accepting()),
      corrected: () => late((found) => found.corrected()),
    };
  }

  *rank(question: Question, options: RankOptions): Pieces<RankedDocuments> {
    const { work } = options;
    const [spent, truncated] = [work?.spent ?? 0, work?.truncated ?? false];
    const index = this.#index;
    try {
      return yield* index.rank(question, options);
    } catch (error) {
      // Another question may have found the damage meanwhile.
      if (this.#index === index) this.#recoverFrom(error);
      else if (!(error instanceof DamagedArrayFileError)) throw error;
      work?.goBack(spent, truncated);
      return yield* this.#index.rank(question, options);
    }
  }

  named(question: Question): readonly DocumentNumber[] {
    return this.#answer((index) => index.named(question));
  }

  beginning(question: Question): readonly DocumentNumber[] {
    return this.#answer((index) => index.beginning(question));
  }

  wordsBeginning(letters: string, options: CompletionOptions): readonly CompletedWord[] {
    return this.#answer((index) => index.wordsBeginning(letters, options));
  }

  namesBeginning(text: string, limit: number): readonly CountedText[] {
    return this.#answer((index) => index.namesBeginning(text, limit));
  }

  /** Calls a method of the index. If the file is damaged, replaces the index and calls the method again. */
  #answer<Answer>(call: (index: KeywordIndex) => Answer, work?: Work): Answer {
    const spent = work?.spent ?? 0;
    const truncated = work?.truncated ?? false;
    try {
      return call(this.#index);
    } catch (error) {
      this.#recoverFrom(error);
      work?.goBack(spent, truncated);
      return call(this.#index);
    }
  }

  /** Makes an index in memory, if the file is damaged. */
  #recoverFrom(error: unknown): void {
    if (!(error instanceof DamagedArrayFileError)) throw error;
    this.#index = new PackedIndex([{ keywords: collectKeywords(this.#documents) }], this.#documents);
  }
}
