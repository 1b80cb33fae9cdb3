import { onTestFinished } from 'vitest';
import { readPostgresAddress } from '../../../src/share/postgres/postgres-address.js';
import type { PublishOutcome } from '../../../src/share/shared-catalogue/publish-changes.js';
import type { SharedState } from '../../../src/share/shared-catalogue/shared-state.js';
import { SharedStore, type SharedStoreOptions } from '../../../src/share/shared-catalogue/shared-store.js';

/** A shared catalogue at an address, closed when the test ends. */
export async function openStore(address: string, options: SharedStoreOptions = {}): Promise<SharedStore> {
  const store = await SharedStore.open(readPostgresAddress('database', address), options);
  onTestFinished(() => store.close());
  return store;
}

/** The state that something was published as. */
export function publishedState(outcome: PublishOutcome): SharedState {
  if (outcome.kind !== 'published') throw new Error(`not published: ${JSON.stringify(outcome)}`);
  return outcome.state;
}
