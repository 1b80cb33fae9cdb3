// Builds another search engine over the catalogue and answers rounds of questions. A process of its own.
import { answerParent } from './child.js';
import { type Answer, type ClassRequest, type ClassTimes, type Engine, measureClass, PAGE } from './engine.js';
import { attemptsOf } from './peers/attempts.js';
import { PeerCatalogue } from './peers/catalogue.js';
import { buildFlexSearch } from './peers/flexsearch.js';
import { buildFts5 } from './peers/fts5.js';
import { buildLeanFts5, buildLeanMiniSearch, buildLeanOrama, type LeanPeer } from './peers/lean.js';
import { buildMiniSearch } from './peers/minisearch.js';
import type { PeerName } from './peers/names.js';
import { buildOrama } from './peers/orama.js';
import type { BuiltPeer, Peer, PeerFolder } from './peers/peer.js';

export interface PeerJob {
  readonly name: PeerName;
  readonly database: string;
  readonly folder: string;
}

export type PeerRequest = PeerJob | ClassRequest;

export interface PeerFigures {
  /** Seconds: making our terms, where the peer takes them, and giving it the texts. */
  readonly seconds: { readonly terms?: number; readonly adding: number };
  readonly stored?: BuiltPeer['stored'];
}

export interface PeerReply {
  readonly built?: PeerFigures;
  readonly rows: ClassTimes[];
  readonly rss: number;
}

type Builder<Built> = (folder: PeerFolder) => Promise<Built>;

const LEAN_BUILDERS: Partial<Record<PeerName, Builder<LeanPeer>>> = {
  'minisearch-lean': buildLeanMiniSearch,
  'orama-lean': buildLeanOrama,
  'fts5-lean': buildLeanFts5,
};

const BUILDERS: Partial<Record<PeerName, Builder<BuiltPeer>>> = {
  minisearch: buildMiniSearch,
  orama: buildOrama,
  flexsearch: buildFlexSearch,
  fts5: buildFts5,
};

let engine: Engine;

answerParent(async (request: PeerRequest): Promise<PeerReply> => {
  if (!('database' in request)) {
    const rows = await measureClass(() => engine, request);
    return { rows, rss: process.memoryUsage.rss() };
  }
  const { name, database, folder } = request;
  const catalogue = new PeerCatalogue(database);
  const built = await build(name, catalogue, folder);
  globalThis.gc?.();
  return { built, rows: [], rss: process.memoryUsage.rss() };
});

async function build(name: PeerName, catalogue: PeerCatalogue, folder: string): Promise<PeerFigures> {
  const lean = await LEAN_BUILDERS[name]?.({ catalogue, folder });
  if (lean !== undefined) {
    engine = leanEngineOf(lean, catalogue);
    return { seconds: { adding: lean.seconds } };
  }
  const { peer, seconds, stored } = await (BUILDERS[name] as Builder<BuiltPeer>)({ catalogue, folder });
  engine = engineOf(peer, catalogue);
  return { seconds, stored };
}

/** Asks once, with the question as it is. */
function leanEngineOf(peer: LeanPeer, catalogue: PeerCatalogue): Engine {
  return {
    ask(q, sortBy, category) {
      const page = peer.search(q, { sortBy, category, limit: PAGE });
      return page && { ids: catalogue.idsOf(page.places), total: page.total };
    },
  };
}

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
