// The server of shared-copies.ts: it follows a catalogue in PostgreSQL, as built, and tells when it answers.
import { setTimeout as wait } from 'node:timers/promises';
import type { FollowedSearch } from '../src/index.js';

/** What is to be followed. */
export interface CopyJob {
  readonly address: string;
  /** Folder of the local copy. */
  readonly cache: string;
}

export type CopyNews = 'started' | 'answered' | 'found';

/** Milliseconds between two looks for a skill. */
const LOOK = 5;

const built = new URL('../dist/index.js', import.meta.url).href;
const { followCatalogue } = (await import(built)) as typeof import('../src/index.js');

let search: FollowedSearch | undefined;
const tell = (news: CopyNews): void => void process.send!(news);

process.on('message', async (message: CopyJob | { readonly id: string }) => {
  if ('id' in message) {
    while (search?.get(message.id) === undefined) await wait(LOOK);
    tell('found');
    return;
  }
  search = await followCatalogue({ database: message.address, cache: message.cache });
  search.keyword({ q: 'pdf table' });
  tell('answered');
});
process.on('disconnect', () => void search?.close());
tell('started');
