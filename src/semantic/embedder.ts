/**
 * Turns texts into vectors. The library uses its bundled model by default; a caller may pass an embedder instead.
 *
 * Vectors must be in the order of the texts, all with the same number of values and of unit length. The vector of a
 * text must depend neither on the other texts of a call nor on earlier calls. `test/semantic/embedder-contract.ts`
 * tests this.
 *
 * @example
 * const embedder: Embedder = {
 *   model: 'my-model@1',
 *   embed: async (texts, { purpose } = {}) =>
 *     Promise.all(texts.map((text) => myModel.vectorOf(purpose === 'question' ? `query: ${text}` : text))),
 * };
 * await buildCatalogue({ database: 'skills.db', sources: ['./skills'], embedder });
 * await using search = await openSkillSearch({ database: 'skills.db', embedder });
 */
export interface Embedder {
  /**
   * Name of the model, in one line. Vectors are stored under it and never compared with those of another name, so every
   * change of the vectors needs a new name.
   */
  readonly model: string;
  /**
   * Embeds texts: one vector for each, in the same order.
   *
   * @throws the signal's reason when aborted
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
  /**
   * The share of a question that the model can read, 0 to 1. The vector of a text in a script that the model has not
   * learnt says nothing, so the smaller this is the less `hybrid` counts it. Without this method it is 1.
   */
  readableShare?(question: string): number;
  /**
   * Whether the model was made for texts in a language. This is not {@link readableShare}, because a model may read the
   * letters of a language and not the language. Without this method it is true.
   *
   * @param language ISO 639-1
   */
  readsLanguage?(language: string): boolean;
  /**
   * Milliseconds until a text that is given now would be begun, as far as is known. A search that may not wait so long
   * fails with `BUSY` before any work is done for it. Without this method a text is begun at once.
   *
   * @param text that would be given; where several models embed, it tells which of them
   */
  expectedWait?(text?: string): number;
  /** Releases what the embedder holds. The library never calls it on an embedder that a caller passes. */
  close?(): Promise<void>;
}

export interface EmbedOptions {
  readonly signal?: AbortSignal | undefined;
  /** What all the texts are. @default 'document' */
  readonly purpose?: EmbeddingPurpose | undefined;
}

/**
 * What a text is: a question, or what questions are compared with. Many models put another prefix before each. An
 * embedder whose vectors do not depend on it may ignore it.
 */
export type EmbeddingPurpose = 'question' | 'document';
