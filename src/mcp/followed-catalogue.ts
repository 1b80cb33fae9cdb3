import type { FollowedSearch, ReloadEvent } from '../index.js';

/** How often a catalogue that could not be opened is tried again when nobody asks, in milliseconds. */
const RETRY_INTERVAL = 2000;

export interface CatalogueListeners {
  /** Called when another state of the catalogue answers, or the first one after a failure. */
  readonly onChange: () => void;
  /** Called with the error of each attempt to open the catalogue that failed otherwise than the one before. */
  readonly onFailure: (error: unknown) => void;
  readonly onReload: (event: ReloadEvent) => void;
}

/**
 * A catalogue that is followed, and that may be missing or damaged at first: each call tries again, and so does a
 * timer, until it can be opened. From then on it is followed.
 */
export class FollowedCatalogue {
  readonly #open: (onReload: (event: ReloadEvent) => void) => Promise<FollowedSearch>;
  readonly #listeners: CatalogueListeners;
  #search: FollowedSearch | undefined;
  #attempt: Promise<FollowedSearch> | undefined;
  #failure: string | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    open: (onReload: (event: ReloadEvent) => void) => Promise<FollowedSearch>,
    listeners: CatalogueListeners,
  ) {
    this.#open = open;
    this.#listeners = listeners;
  }

  /**
   * The search over the newest state.
   *
   * @throws as `followCatalogue`, while the catalogue cannot be opened
   */
  readonly search = async (): Promise<FollowedSearch> => {
    if (this.#search !== undefined) return this.#search;
    // Calls that come together share an attempt.
    this.#attempt ??= this.#tryOpen().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  };

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#retry);
    await this.#attempt?.catch(() => {});
    await this.#search?.close();
  }

  async #tryOpen(): Promise<FollowedSearch> {
    try {
      const search = await this.#open((event) => {
        this.#listeners.onReload(event);
        if (event.kind === 'reloaded') this.#listeners.onChange();
      });
      clearInterval(this.#retry);
      this.#search = search;
      if (this.#failure !== undefined) this.#listeners.onChange();
      return search;
    } catch (error) {
      const failure = String(error);
      if (failure !== this.#failure) this.#listeners.onFailure(error);
      this.#failure = failure;
      if (this.#retry === undefined && !this.#closed) {
        this.#retry = setInterval(() => void this.search().catch(() => {}), RETRY_INTERVAL).unref();
      }
      throw error;
    }
  }
}
