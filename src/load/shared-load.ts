import { SkillSearchError } from '../core/index.js';
import type { VectorExchange } from '../indexing/index.js';
import type { PublishOutcome, SharedCopy, SharedState, SharedStore } from '../share/index.js';
import type { CatalogueChanges } from '../store/index.js';
import { openForReading } from '../store/index.js';
import { Overtaken } from './load-again.js';
import type { IndexingProgress } from './reports.js';
import { SharedVectors } from './shared-vectors.js';

type Published = Extract<PublishOutcome, { readonly kind: 'published' }>;

/** Share of the skills after whose change a new server has a checkpoint to fetch that is worth it, and the least. */
const CHECKPOINT_SHARE = 0.05;
const CHECKPOINT_LEAST = 1000;

/** What a load into a shared catalogue does with the database and with the local copy. */
export class SharedLoad {
  readonly copy: SharedCopy;
  readonly signal: AbortSignal | undefined;
  readonly #store: SharedStore;
  readonly #pruned: readonly string[] | undefined;

  /** @param pruned keys of the sources that the load prunes */
  constructor(
    store: SharedStore,
    copy: SharedCopy,
    pruned: readonly string[] | undefined,
    signal: AbortSignal | undefined,
  ) {
    this.#store = store;
    this.copy = copy;
    this.#pruned = pruned;
    this.signal = signal;
  }

  /** What messages call the catalogue. */
  get shown(): string {
    return this.#store.shown;
  }

  /** The vectors of the catalogue, for one run of the load. */
  vectors(): VectorExchange {
    return new SharedVectors(this.#store, this.signal);
  }

  /**
   * Brings the copy to the newest state.
   *
   * @param needsCatalogue whether it is an error if nothing was ever published
   * @param anew whether to make the copy of nothing that is here
   * @returns that state; its version is 0 if nothing was ever published
   */
  async present(needsCatalogue: boolean, anew: boolean): Promise<SharedState> {
    const head = await this.#store.head();
    if (head.version === 0 && !needsCatalogue) return head;
    return this.copy.bringUp({ signal: this.signal, index: 'nothing', anew });
  }

  /**
   * Publishes what differs from a state, if anything does.
   *
   * @throws Overtaken if others have changed the same skills since
   */
  async publish(changes: CatalogueChanges, state: SharedState): Promise<Published | undefined> {
    if (state.version > 0 && changes.changed.length + changes.removed.length === 0) return undefined;
    const outcome = await this.#store.publish(changes, state, { signal: this.signal, pruned: this.#pruned });
    if (outcome.kind !== 'published') throw new Overtaken();
    return outcome;
  }

  /** Makes a catalogue the copy. It is published: what stands in the way is told when the copy is brought further. */
  async adopt(database: string, state: SharedState): Promise<void> {
    try {
      await this.copy.adopt(database, state, this.signal);
    } catch (error) {
      if (!(error instanceof SkillSearchError)) throw error;
    }
  }

  /**
   * Brings the local copy and its derived files up to date, and stores them for new servers if that is due. The load
   * has succeeded: whatever fails here is only told.
   *
   * @param inTurn whether to wait for another process that is indexing
   */
  async index({ signal, onProgress, onWarning }: IndexingProgress, inTurn: boolean): Promise<void> {
    const orWarn = async (origin: string, work: () => Promise<unknown>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (signal?.aborted === true || !(error instanceof SkillSearchError)) throw error;
        onWarning({ origin, message: error.message });
      }
    };
    await orWarn('local copy', () => this.copy.bringUp({ signal, onProgress, onWarning, inTurn }));
    await orWarn('checkpoint', async () => {
      if (await this.#isCheckpointDue(signal)) await this.copy.writeCheckpoint(signal);
    });
  }

  async #isCheckpointDue(signal: AbortSignal | undefined): Promise<boolean> {
    const changed = await this.#store.changedSinceCheckpoint(signal);
    if (changed === undefined) return true;
    return changed > CHECKPOINT_LEAST && changed > CHECKPOINT_SHARE * countSkills(this.copy.database);
  }
}

function countSkills(database: string): number {
  const catalogue = openForReading(database);
  try {
    return catalogue.prepare<[], number>('SELECT count(*) FROM skill').pluck().get()!;
  } finally {
    catalogue.close();
  }
}
