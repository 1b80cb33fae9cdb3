import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type RunningServer, type ServerOptions, startServer } from '../../src/http/index.js';
import { buildCatalogue, openSkillSearch, type SkillSearch } from '../../src/index.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';

/** A server with pages over a catalogue in a file. */
export interface Site {
  /** Of its first page, without a slash at its end. */
  readonly url: string;
  readonly search: SkillSearch;
  readonly server: RunningServer;
  close(): Promise<void>;
}

interface SiteOptions extends ServerOptions {
  /** Whether skills get vectors, made by the stand-in. @default true */
  readonly vectors?: boolean;
}

/** Serves these rows at a free port. Nobody is counted, except where a test is about that. */
export async function startSite(rows: readonly unknown[], options: SiteOptions = {}): Promise<Site> {
  const { vectors = true, ...serverOptions } = options;
  const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-'));
  const database = join(folder, 'skills.db');
  const embedder = new StandInEmbedder();
  await buildCatalogue({
    database,
    sources: [{ name: 'rows', rows }],
    ...(vectors ? { embedder } : { semantic: false }),
  });
  const search = await openSkillSearch({ database, embedder });
  const server = await startServer(search, { port: 0, pages: true, access: false, ...serverOptions });
  return {
    ...{ url: server.url, search, server },
    async close() {
      await server.close(0);
      await search.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One site for all tests of a `describe`; read it in tests only. */
export function serving(rows: readonly unknown[], options: SiteOptions = {}): () => Site {
  let site: Site | undefined;
  beforeAll(async () => {
    site = await startSite(rows, options);
  });
  afterAll(() => site?.close());
  return () => site!;
}
