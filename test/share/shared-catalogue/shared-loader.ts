import { copyFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import type { Revision } from '../../../src/share/shared-catalogue/catalogue-tables.js';
import { Replica, replicaFiles } from '../../../src/share/shared-catalogue/replica.js';
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
  #revision: Revision | undefined;

  private constructor(address: string, store: SharedStore, former: SharedLoader | undefined) {
    this.address = address;
    this.store = store;
    this.database = former?.database ?? scratchFile('skills.db');
    this.#published = scratchFile('published.db');
    if (former !== undefined) {
      this.#revision = former.#revision;
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
  async publish(): Promise<Revision> {
    const changes = differenceOf(this.#revision === undefined ? undefined : this.#published, this.database);
    try {
      const revision = await this.store.publish(changes, this.#revision ?? (await this.store.head()));
      if (revision === undefined) throw new Error('nothing was published');
      this.#revision = revision;
      copyFileSync(this.database, this.#published);
      return revision;
    } finally {
      changes.close();
    }
  }

  /** A copy in a folder. */
  copyIn(folder: string): Replica {
    return new Replica(replicaFiles(readPostgresAddress('database', this.address), folder), this.store);
  }

  /** Stores a snapshot of what is published. */
  async snapshot(): Promise<void> {
    const copy = this.copyIn(scratchFolder());
    await copy.bringUp();
    await copy.storeSnapshot(scratchFolder());
  }
}
