import { onTestFinished } from 'vitest';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import type { Revision } from '../../../src/share/shared-catalogue/catalogue-tables.js';
import { SharedStore, type SharedStoreOptions } from '../../../src/share/shared-catalogue/shared-store.js';

/** A shared catalogue at an address, closed when the test ends. */
export async function openStore(address: string, options: SharedStoreOptions = {}): Promise<SharedStore> {
  const store = await SharedStore.open(readPostgresAddress('database', address), options);
  onTestFinished(() => store.close());
  return store;
}

/** The revision that something was published as. */
export function publishedAs(revision: Revision | undefined): Revision {
  if (revision === undefined) throw new Error('not published: there is a later revision');
  return revision;
}
