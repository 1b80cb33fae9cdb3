import type { ModelFolder } from './model-folder.js';
import { type EmbeddedTexts, ModelThread } from './model-thread-handle.js';

/** Milliseconds without an attempt after a thread could not be started, and the most that this grows to. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/**
 * A model thread that is started again when it has died, of too little memory say. The question that it died with
 * fails, the next one is answered. Where the model cannot be loaded any more, attempts become rare, and all questions
 * in between fail at once.
 */
export class LastingModelThread {
  readonly #folder: ModelFolder;
  #thread: ModelThread;
  /** Threads that died one after the other without an answer. */
  #deaths = 0;
  /** The last of them. */
  #dead: ModelThread | undefined;
  /** No thread is started before, by `performance.now()`. */
  #pauseEnds = 0;

  /** @param thread the first one, of the same folder */
  constructor(folder: ModelFolder, thread: ModelThread) {
    this.#folder = folder;
    this.#thread = thread;
  }

  /** As `embed` of {@link ModelThread}. */
  async embed(texts: readonly string[]): Promise<EmbeddedTexts> {
    if (this.#thread.ended && performance.now() >= this.#pauseEnds) this.#thread = new ModelThread(this.#folder);
    const thread = this.#thread;
    try {
      const answer = await thread.embed(texts);
      this.#deaths = 0;
      return answer;
    } catch (error) {
      if (thread.ended && thread !== this.#dead) this.#noteDeath(thread);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  /** The first death is followed by a new thread at once, the others after pauses. */
  #noteDeath(thread: ModelThread): void {
    this.#dead = thread;
    this.#deaths += 1;
    if (this.#deaths === 1) return;
    this.#pauseEnds = performance.now() + Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.#deaths - 1));
  }
}
