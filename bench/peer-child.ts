// Builds another search engine over the catalogue and answers rounds of questions. A process of its own.
import { answerParent } from './child.js';
import { type Answer, type ClassTimes, type Engine, measureRound, PAGE, type RoundOptions } from './engine.js';
import { attemptsOf } from './peers/attempts.js';
import { PeerCatalogue } from './peers/catalogue.js';
import { buildFlexSearch } from './peers/flexsearch.js';
import { buildFts5 } from './peers/fts5.js';
import { buildMiniSearch } from './peers/minisearch.js';
import type { PeerName } from './peers/names.js';
import { buildOrama } from './peers/orama.js';
import type { BuiltPeer, Peer, PeerFolder } from './peers/peer.js';

export interface PeerJob {
  readonly name: PeerName;
  readonly database: string;
  readonly folder: string;
}

export type PeerRequest = PeerJob | RoundOptions;

export interface PeerFigures {
  readonly seconds: BuiltPeer['seconds'];
  readonly stored: BuiltPeer['stored'];
}

export interface PeerReply {
  readonly built?: PeerFigures;
  readonly rows: readonly ClassTimes[];
  readonly rss: number;
}

const BUILDERS: Record<PeerName, (folder: PeerFolder) => Promise<BuiltPeer>> = {
  minisearch: buildMiniSearch,
  orama: buildOrama,
  flexsearch: buildFlexSearch,
  fts5: buildFts5,
};

let engine: Engine;

answerParent(async (request: PeerRequest): Promise<PeerReply> => {
  if (!('database' in request)) {
    const rows = measureRound(engine, request);
    return { rows, rss: process.memoryUsage.rss() };
  }
  const { name, database, folder } = request;
  const catalogue = new PeerCatalogue(database);
  const { peer, seconds, stored } = await BUILDERS[name]({ catalogue, folder });
  engine = engineOf(peer, catalogue);
  globalThis.gc?.();
  return { built: { seconds, stored }, rows: [], rss: process.memoryUsage.rss() };
});

/** Asks a peer step by step, as our own search goes. */
function engineOf(peer: Peer, catalogue: PeerCatalogue): Engine {
  return {
    ask(q, sortBy, category): Answer | undefined {
      let able = true;
      for (const attempt of attemptsOf(q)) {
        const page = peer.search(attempt, { sortBy, category, limit: PAGE });
        able = page !== undefined;
        if (page !== undefined && page.total > 0) {
          return { ids: catalogue.idsOf(page.places), total: page.total, step: attempt.step };
        }
      }
      return able ? { ids: [], total: 0 } : undefined;
    },
  };
}
