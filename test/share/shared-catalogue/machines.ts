import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { openSkillSearch, SkillSearchError } from '../../../src/index.js';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import type { Revision } from '../../../src/share/shared-catalogue/catalogue-tables.js';
import { Replica, replicaFiles } from '../../../src/share/shared-catalogue/replica.js';
import { SharedStore } from '../../../src/share/shared-catalogue/shared-store.js';
import { differenceOf } from '../../../src/store/transfer/difference.js';
import {
  type CataloguePlace,
  type CatalogueStore,
  type SharedPlace,
  skillsIn,
} from '../../load/contract/catalogue-under-test.js';
import { closing, scratchFile, scratchFolder } from '../../scratch-folder.js';
import type { PostgresServer } from '../postgres/postgres-cluster.js';

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
    const store = closing(await SharedStore.open(readPostgresAddress('database', address), {}));
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

/**
 * Catalogues in PostgreSQL, each in a database of its own. Two machines load them in turn, and a third one searches. In
 * the end of every third test that one has the same skills as one that has never been there before.
 */
export function catalogueInPostgres(server: PostgresServer): CatalogueStore {
  let places = 0;
  return {
    emptyPlace: async () => {
      const database = await server.database();
      const machine = (): CataloguePlace => ({ database, cache: scratchFolder() });
      const loaders = [machine(), machine()];
      const searching = machine();
      let loads = 0;
      const place: SharedPlace = { loading: () => loaders[loads++ % 2]!, searching };
      if (places++ % 3 > 0) return place;
      onTestFinished(async () => expect(await seenAt(searching)).toEqual(await seenAt(machine())));
      return place;
    },
  };
}

async function seenAt(place: CataloguePlace): Promise<unknown> {
  try {
    await using search = await openSkillSearch(place);
    return { stamp: search.stats().stamp, skills: skillsIn(search) };
  } catch (error) {
    if (error instanceof SkillSearchError && error.code === 'DATABASE_NOT_FOUND') return 'no catalogue';
    throw error;
  }
}

const PROGRAM = fileURLToPath(new URL('following-program.ts', import.meta.url));

/** A process that follows a catalogue; killed when the test ends. */
export interface FollowingProcess {
  /** Kills it without a warning. */
  kill(): Promise<void>;
  /** Its exit status, once it has ended by itself. */
  ended(): Promise<number | null>;
}

/** Starts `following-program.ts`, and waits until it answers. */
export async function startFollowing(
  address: string,
  cache: string,
  what: 'stay' | 'end' = 'stay',
): Promise<FollowingProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, address, cache, what], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => Promise.reject(new Error('the program ended instead of following'))),
  ]);
  return {
    kill,
    async ended() {
      await ended;
      return child.exitCode;
    },
  };
}
