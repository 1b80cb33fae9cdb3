/** Outputs that are known of models, each for texts: vectors of their tokens, or one vector for each. */
export const OUTPUTS = ['last_hidden_state', 'token_embeddings', 'sentence_embedding'] as const;
export type OutputName = (typeof OUTPUTS)[number];

/** Numbers that a model gives. */
export interface ModelOutput {
  readonly data: Float32Array;
  /** How many there are along each axis. The first axis are the texts, the last the values of a vector. */
  readonly dims: readonly number[];
}

export type ModelOutputs = Readonly<Partial<Record<OutputName, ModelOutput>>>;

/** A model that is loaded. */
export interface TextModel {
  readonly inputNames: readonly string[];
  readonly outputs: readonly OutputName[];
  /** Whether it says itself that it takes one text at a time only. */
  readonly alone: boolean;
  /** Most tokens of a text. The model may have no position behind them. */
  readonly most: number;
  /** The tokens of a text, cut at {@link most}. */
  tokensOf(text: string): readonly number[];
  /**
   * Runs the model.
   *
   * @param texts the tokens of texts
   * @param length tokens that each text is filled up to; the model is told not to read these
   * @throws {Error} if the model needs something else, or gives something else than single-precision numbers
   */
  run(texts: readonly (readonly number[])[], length: number): Promise<ModelOutputs>;
}
