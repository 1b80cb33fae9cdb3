import type { SkillNumber } from '../../core/index.js';

/** The text of a skill that is to be embedded: its name and description, and the hash its vector is stored under. */
export interface TextToEmbed {
  readonly textHash: Buffer;
  readonly name: string;
  readonly description: string;
}

/** A vector and the hash of its text. */
export interface EmbeddedText {
  readonly textHash: Buffer;
  readonly vector: Float32Array;
}

/** Where vectors are stored. */
export interface EmbeddingSink {
  /**
   * Names the model whose vectors the catalogue is to have from now on.
   *
   * @returns one skill for each text that has no vector of this model yet
   */
  useModel(model: string): SkillNumber[];
  /** Length of the vectors of the model in use; undefined if there are none yet. */
  readonly dimensions: number | undefined;
  /** The text of a skill that {@link useModel} returned. */
  textToEmbed(skill: SkillNumber): TextToEmbed;
  /** Stores vectors of the model in use. When it returns, a kill can no longer lose them. */
  putVectors(vectors: Iterable<EmbeddedText>): void;
}
