import { copyFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import { SharedCopy } from '../../../src/share/shared-catalogue/shared-copy.js';
import type { SharedState } from '../../../src/share/shared-catalogue/shared-state.js';
import { SharedStore } from '../../../src/share/shared-catalogue/shared-store.js';
import { differenceOf } from '../../../src/store/transfer/difference.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';

/** Publishes what a catalogue of its own has become, as a load does. */
export class SharedLoader {
  readonly address: string;
  readonly store: SharedStore;
  /** The catalogue. It is loaded by the ordinary functions. */
  readonly database: string;
  readonly #published: string;
  #state: SharedState | undefined;

  private constructor(address: string, store: SharedStore, former: SharedLoader | undefined) {
    this.address = address;
    this.store = store;
    this.database = former?.database ?? scratchFile('skills.db');
    this.#published = scratchFile('published.db');
    if (former !== undefined) {
      this.#state = former.#state;
      copyFileSync(former.#published, this.#published);
    }
  }

  /** @param former goes on with what that loader has published, by another connection */
  static async open(address: string, former?: SharedLoader): Promise<SharedLoader> {
    const store = await SharedStore.open(readPostgresAddress('database', address), {});
    onTestFinished(() => store.close());
    return new SharedLoader(address, store, former);
  }

  /** Publishes what has changed since it was published last. */
  async publish(): Promise<SharedState> {
    const changes = differenceOf(this.#state === undefined ? undefined : this.#published, this.database);
    try {
      const outcome = await this.store.publish(changes, this.#state ?? (await this.store.head()));
      if (outcome.kind !== 'published') throw new Error(`nothing was published: ${outcome.kind}`);
      this.#state = outcome.state;
      copyFileSync(this.database, this.#published);
      return outcome.state;
    } finally {
      changes.close();
    }
  }

  /** A copy in a folder. */
  copyIn(folder: string): SharedCopy {
    return new SharedCopy(folder, readPostgresAddress('database', this.address), this.store);
  }

  /** Writes a checkpoint of what is published. */
  async checkpoint(): Promise<void> {
    const copy = this.copyIn(scratchFolder());
    await copy.bringUp();
    await copy.writeCheckpoint();
  }
}
