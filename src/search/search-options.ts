import type { ModelOptions } from '../semantic/model-options.js';

export interface OpenOptions extends ModelOptions {
  /** A catalogue's file, made by `buildCatalogue`. */
  readonly database?: string | undefined;
  /** Instead of a file: skills to hold in memory. Each is checked like a row of a file. */
  readonly skills?: Iterable<unknown> | AsyncIterable<unknown> | undefined;
  /**
   * The index behind `keyword()`: `packed` is opened from the file that a load leaves beside the catalogue, `minisearch` is
   * built over MiniSearch each time. `false` leaves it out, for who only reads skills.
   *
   * @default 'packed'
   */
  readonly keywordIndex?: 'packed' | 'minisearch' | false | undefined;
  /**
   * Words that are required only where a question has nothing else, and count for nothing where it has: instead of
   * `STOP_WORDS`. Case and accents aside; none (`[]`) makes all words count.
   *
   * @default STOP_WORDS
   */
  readonly stopWords?: Iterable<string> | undefined;
  /**
   * Whether semantic search is made ready while the catalogue is opened, as by `warmUp()`; what it lacks is an error then.
   *
   * @default false
   */
  readonly warmUp?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}
