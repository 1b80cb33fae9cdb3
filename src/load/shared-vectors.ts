import type { VectorExchange } from '../indexing/index.js';
import type { SharedStore } from '../share/index.js';
import type { EmbeddedText } from '../store/index.js';
import { decodeVector, encodeVector, hasUnitLength } from '../store/index.js';

/** Batches that may wait to be stored: some tens of megabytes. */
const WAITING_BATCHES = 16;

/** The vectors of a shared catalogue, which all loads into it share. */
export class SharedVectors implements VectorExchange {
  readonly #store: Pick<SharedStore, 'fetchVectors' | 'offerVectors'>;
  readonly #signal: AbortSignal | undefined;
  /** Batches are stored one after the other. */
  #storing: Promise<void> = Promise.resolve();
  #waiting = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(store: Pick<SharedStore, 'fetchVectors' | 'offerVectors'>, signal: AbortSignal | undefined) {
    this.#store = store;
    this.#signal = signal;
  }

  async take(model: string, textHashes: readonly Buffer[]): Promise<readonly EmbeddedText[]> {
    const found = await this.#store.fetchVectors(model, textHashes, this.#signal);
    const dimensions = (found[0]?.embedding.length ?? 0) / 4;
    return found
      .filter(({ embedding }) => hasUnitLength(embedding, dimensions))
      .map(({ textHash, embedding }) => {
        const vector = new Float32Array(dimensions);
        decodeVector(embedding, vector, 0);
        return { textHash, vector };
      });
  }

  async offer(model: string, vectors: readonly EmbeddedText[]): Promise<void> {
    if (this.#waiting >= WAITING_BATCHES) await this.#storing;
    this.#throwFailure();
    const dimensions = vectors[0]?.vector.length;
    if (dimensions === undefined) return;
    const stored = vectors.map(({ textHash, vector }) => ({ textHash, embedding: encodeVector(vector) }));
    this.#waiting += 1;
    this.#storing = this.#storing
      .then(async () => {
        if (this.#failure === undefined)
          await this.#store.offerVectors({ id: model, dimensions }, stored, this.#signal);
      })
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async settle(): Promise<void> {
    await this.#storing;
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
