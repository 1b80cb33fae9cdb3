/**
 * Turns texts into vectors. The library's own is the bundled model; a caller may bring another.
 *
 * Every implementation must pass `test/semantic/embedder-contract.ts`: the vectors come in the order of the texts, all of
 * one length and of unit norm; the vector of a text does not depend on the texts beside it, nor on when it is asked for.
 */
export interface Embedder {
  /**
   * Names the model. Vectors are stored under it and never compared with those of another: whatever changes the
   * vectors must change it.
   */
  readonly model: string;
  /**
   * One vector a text, in their order.
   *
   * @throws the signal's reason when aborted
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
  /**
   * How much of a question the model can read, 0 to 1: a vector of text in a script that it knows no words of says nothing,
   * so that words count the more. Without this it reads everything.
   */
  readableShare?(question: string): number;
  /** Gives back what the embedder holds. Called by whoever made it. */
  close?(): Promise<void>;
}

export interface EmbedOptions {
  readonly signal?: AbortSignal | undefined;
}
