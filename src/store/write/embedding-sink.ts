/** The text of a skill that is to be embedded: its name and description, and what its vector is stored under. */
export interface TextToEmbed {
  readonly textHash: Buffer;
  readonly name: string;
  readonly description: string;
}

/** A vector and what it is stored under. */
export interface EmbeddedText {
  readonly textHash: Buffer;
  readonly vector: Float32Array;
}

/** Where vectors are kept. */
export interface EmbeddingSink {
  /**
   * Names the model of the vectors that the catalogue is to have from now on.
   *
   * @returns one skill number for each text that has no vector of this model yet
   */
  useModel(model: string): number[];
  /** Length of the vectors of the model in use; undefined where there are none yet. */
  readonly dimensions: number | undefined;
  /** The text of a skill that {@link useModel} gave. */
  textToEmbed(number: number): TextToEmbed;
  /** Stores vectors of the model in use; nothing that happens later loses them. */
  putVectors(vectors: Iterable<EmbeddedText>): void;
}
