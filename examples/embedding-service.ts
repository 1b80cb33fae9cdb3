// Vectors from a service: in batches, few calls at a time, and again after a pause if a call fails for a while.
//
// The service of this example is a server of this machine that refuses every third call. With yours change `ask`.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import pLimit from 'p-limit';
import pRetry, { AbortError } from 'p-retry';
import { buildCatalogue, type Embedder, openSkillSearch } from 'skill-discovery';

let calls = 0;
const service = createServer(async (request, response) => {
  const { input } = (await json(request)) as { input: string[] };
  calls += 1;
  response.statusCode = calls % 3 === 0 ? 503 : 200;
  // Letters by their frequency: not what a model knows of a text.
  const vectorOf = (text: string) => Array.from('aeinorst', (letter) => 1 + text.split(letter).length);
  response.end(JSON.stringify({ data: input.map((text) => ({ embedding: vectorOf(text) })) }));
}).listen(0, '127.0.0.1');
await once(service, 'listening');
const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

const BATCH = 2;
/** All loads and searches of the process share these. */
const limit = pLimit(4);

async function ask(input: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ input }), signal });
  const mayPass = response.status === 408 || response.status === 429 || response.status >= 500;
  if (!response.ok) throw mayPass ? new Error(response.statusText) : new AbortError(response.statusText);
  const { data } = (await response.json()) as { data: { embedding: number[] }[] };
  return data.map(({ embedding }) => {
    // The library wants vectors of unit length.
    const norm = Math.hypot(...embedding);
    return Float32Array.from(embedding, (value) => value / norm);
  });
}

const embedder: Embedder = {
  model: 'letters@1',
  async embed(texts, { signal } = {}) {
    const batches = Array.from({ length: Math.ceil(texts.length / BATCH) }, (_, i) => {
      const batch = texts.slice(i * BATCH, (i + 1) * BATCH);
      const waits = AbortSignal.any([AbortSignal.timeout(60_000), ...(signal === undefined ? [] : [signal])]);
      return limit(() => pRetry(() => ask(batch, waits), { retries: 5, minTimeout: 50, signal: waits }));
    });
    return (await Promise.all(batches)).flat();
  },
};

const folder = await mkdtemp(join(tmpdir(), 'skill-discovery-service-'));
try {
  const rows = ['bread', 'plants', 'taxes', 'rota', 'trees'].map((name) => ({
    name,
    description: `Helps with ${name}.`,
  }));
  const database = join(folder, 'skills.db');
  const { embedded } = await buildCatalogue({ database, sources: [rows], embedder });
  console.log(`${embedded} texts embedded, though the service refuses some calls`);
  await using search = await openSkillSearch({ database, embedder });
  const { hits } = await search.semantic({ q: 'trees', limit: 1 });
  console.log(`trees: ${hits[0]?.skill.name}`);
} finally {
  service.close();
  await rm(folder, { recursive: true, force: true });
}
