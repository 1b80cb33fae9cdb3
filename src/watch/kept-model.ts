import { availableParallelism } from 'node:os';
import { untilAborted } from '../core/index.js';
import { type ChosenModel, type Embedder, type EmbedOptions, embedChecked } from '../semantic/index.js';

/** Milliseconds without a text after which the model is closed. It takes some 100 MB, and a second to load. */
const IDLE = 60_000;

/** Texts that are embedded at a time beforehand: what an abort loses. */
const PART = 128;

/** Texts of one call for which a thread on every core pays. */
const MANY = 100;

/**
 * The model of a watch, which is loaded with the first text, and stays while there are changes: to load it for each
 * would take longer than all else. Loading it, and reading texts, ends at once for a caller that is aborted.
 */
export class KeptModel implements Embedder {
  readonly model: string;
  readonly #chosen: ChosenModel;
  #started: { readonly embedder: Promise<Embedder>; readonly threads: number } | undefined;
  #idle: NodeJS.Timeout | undefined;
  #uses = 0;
  /** Vectors of texts that a load will ask for. */
  #prepared = new Map<string, Float32Array>();

  constructor(chosen: ChosenModel) {
    this.model = chosen.id;
    this.#chosen = chosen;
  }

  /**
   * Embeds texts before a load asks for them: a load keeps others from loading, and this takes longest. What was
   * prepared is kept when the signal is aborted, until {@link forget}.
   *
   * @throws the signal's reason when aborted, and what the model throws
   */
  async prepare(texts: readonly string[], signal: AbortSignal): Promise<void> {
    const left = texts.filter((text) => !this.#prepared.has(text));
    // Otherwise the parts, which are small, would never start more than one thread.
    if (left.length > MANY) await untilAborted(this.#start(left.length), signal);
    for (let start = 0; start < left.length; start += PART) {
      signal.throwIfAborted();
      const part = left.slice(start, start + PART);
      const vectors = await embedChecked(this, part, { signal, purpose: 'document' });
      for (const [i, text] of part.entries()) this.#prepared.set(text, vectors[i]!);
    }
  }

  forget(): void {
    this.#prepared = new Map();
  }

  async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<readonly Float32Array[]> {
    const left = texts.filter((text) => !this.#prepared.has(text));
    const vectors = left.length === 0 ? [] : await this.#embedNow(left, options);
    let next = 0;
    return texts.map((text) => this.#prepared.get(text) ?? vectors[next++]!);
  }

  async #embedNow(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    clearTimeout(this.#idle);
    this.#uses += 1;
    try {
      const embedder = await untilAborted(this.#start(texts.length), options.signal);
      return await embedder.embed(texts, options);
    } finally {
      this.#uses -= 1;
      if (this.#uses === 0) this.#idle = setTimeout(() => void this.close(), IDLE).unref();
    }
  }

  /** Ends the threads of the model. The next text starts it again. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const started = this.#started;
    this.#started = undefined;
    const embedder = await started?.embedder.catch(() => undefined);
    if (embedder !== undefined) await this.#chosen.stop(embedder);
  }

  #start(texts: number): Promise<Embedder> {
    const threads = texts > MANY ? availableParallelism() : 1;
    const former = this.#started;
    if (former !== undefined && former.threads >= threads) return former.embedder;
    // At once, so that a call that comes meanwhile waits for the same.
    const embedder = former === undefined ? this.#chosen.start(threads) : this.#replace(former.embedder, threads);
    const started = { embedder, threads };
    this.#started = started;
    embedder.catch(() => {
      if (this.#started === started) this.#started = undefined;
    });
    return embedder;
  }

  async #replace(former: Promise<Embedder>, threads: number): Promise<Embedder> {
    await this.#chosen.stop(await former);
    return this.#chosen.start(threads);
  }
}
