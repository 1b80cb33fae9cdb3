/** Bytes of UTF-8 for a token: about four letters of English, or one Chinese character. */
const BYTES_PER_TOKEN = 4;
/** Tokens of a text that are read at most. The rest of a long text costs nothing. */
const MOST_TOKENS = 256;
/** What each text costs beside its tokens, in tokens. */
const COST_OF_TEXT = 16;

/** Before anything was measured. */
const FIRST_GUESS = 0.15;
/** How much of each measurement goes into the average: the last thirty or so count. */
const WEIGHT_OF_NEWEST = 1 / 16;
/**
 * A measurement counts as this many times the average at most: one stall must not last for the next fifty questions.
 */
const MOST_SURPRISE = 4;

/** Estimates how long a model takes for texts, from how long it took for others. */
export class EmbeddingTimes {
  /** Milliseconds for a token. */
  #perToken = FIRST_GUESS;

  /** Notes that texts took so many milliseconds. */
  note(texts: readonly string[], milliseconds: number): void {
    if (texts.length === 0) return;
    const measured = Math.min(milliseconds / tokensOf(texts), this.#perToken * MOST_SURPRISE);
    this.#perToken += (measured - this.#perToken) * WEIGHT_OF_NEWEST;
  }

  /** Milliseconds that texts will take. */
  estimate(texts: readonly string[]): number {
    return tokensOf(texts) * this.#perToken;
  }
}

function tokensOf(texts: readonly string[]): number {
  let tokens = 0;
  for (const text of texts) tokens += COST_OF_TEXT + Math.min(MOST_TOKENS, Buffer.byteLength(text) / BYTES_PER_TOKEN);
  return tokens;
}
