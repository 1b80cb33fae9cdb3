// What loading is compared with: MiniSearch's `addAll` of the same text, with its own terms. Prints seconds as JSON. A
// process of its own.
import { readFileSync } from 'node:fs';
import MiniSearch from 'minisearch';
import { ALL_FIELDS, PeerCatalogue, type PeerDocument } from './peers/catalogue.js';
import { timed } from './peers/peer.js';

const { database } = JSON.parse(readFileSync(0, 'utf8')) as { database: string };
const documents = [...new PeerCatalogue(database).plainDocuments()];
const index = new MiniSearch<PeerDocument>({ fields: [...ALL_FIELDS] });
const { seconds } = timed(() => index.addAll(documents));
console.log(JSON.stringify({ seconds }));
