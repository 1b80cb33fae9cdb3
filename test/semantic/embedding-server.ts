import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StandInEmbedder } from './stand-in-embedder.js';

/** Answers a request otherwise than with vectors, or returns false. */
type Fault = (request: number, response: ServerResponse, texts: readonly string[]) => boolean;

/** A service that speaks as those of OpenAI do, on a port of this machine. */
export interface EmbeddingServer {
  readonly url: string;
  /** The texts of each request, in the order in which they came. */
  readonly requests: (readonly string[])[];
  /** The most requests that were being answered at a time. */
  readonly mostAtOnce: number;
  close(): Promise<void>;
}

export async function startEmbeddingServer(fault: Fault = () => false): Promise<EmbeddingServer> {
  const embedder = new StandInEmbedder();
  const requests: (readonly string[])[] = [];
  let [running, mostAtOnce] = [0, 0];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    running += 1;
    mostAtOnce = Math.max(mostAtOnce, running);
    response.once('close', () => {
      running -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly input: readonly string[] };
    requests.push(input);
    if (fault(requests.length, response, input)) return;
    const vectors = await embedder.embed(input);
    // Not of unit length, as of some services.
    const data = vectors.map((vector, index) => ({ index, embedding: [...vector].map((value) => 3 * value) }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/embeddings`,
    requests,
    get mostAtOnce() {
      return mostAtOnce;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
