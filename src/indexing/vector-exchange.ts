import type { EmbeddedText } from '../store/index.js';

/** Vectors that several loads share, so that each text is embedded once. */
export interface VectorExchange {
  /**
   * Vectors of a model that others have made of texts with these hashes. Those that nobody has made are left out.
   *
   * @throws {SkillSearchError} `SERVICE_UNAVAILABLE`
   */
  take(model: string, textHashes: readonly Buffer[]): Promise<readonly EmbeddedText[]>;
  /**
   * Hands vectors on. Does not wait until they are stored, unless many wait already.
   *
   * @throws {SkillSearchError} `SERVICE_UNAVAILABLE` if those of an earlier call could not be stored
   */
  offer(model: string, vectors: readonly EmbeddedText[]): Promise<void>;
  /**
   * Waits until all that was offered is stored.
   *
   * @throws {SkillSearchError} `SERVICE_UNAVAILABLE`
   */
  settle(): Promise<void>;
}
