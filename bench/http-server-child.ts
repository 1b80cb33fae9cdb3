// A server to put under load, in a process of its own: ours, ours over a search that takes no time, or a bare one of
// `node:http` that serialises the same skills. Tells its address by a message, and what it took when asked.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openAccess } from '../src/access/index.js';
import { startServer } from '../src/http/index.js';
import { followCatalogue, type SkillSearch } from '../src/index.js';

/** What the parent sends first. */
export interface ServerJob {
  readonly kind: 'ours' | 'unsearched' | 'bare';
  readonly database: string;
  /** Where the key of the load is found. */
  readonly state: string;
  /** Paths with a query, each with the skills that ours answers. Other paths are answered by one of these. */
  readonly answers: Readonly<Record<string, readonly unknown[]>>;
}

/** What the server took since it was last asked. */
export interface ServerFigures {
  /** Memory (RSS) in bytes, once a second. */
  readonly rss: readonly number[];
  /** 99th percentile of how late the event loop was, in milliseconds. */
  readonly delay: number;
}

let rss: number[] = [];
const measureMemory = (): unknown => rss.push(process.memoryUsage.rss());
setInterval(measureMemory, 1000).unref();
const delay = monitorEventLoopDelay({ resolution: 10 });

process.on('message', async (message: ServerJob | 'figures') => {
  if (message === 'figures') {
    // The histogram measures the time between two ticks, of which the resolution itself is no delay.
    measureMemory();
    process.send?.({ rss, delay: Math.max(0, delay.percentile(99) / 1e6 - 10) } satisfies ServerFigures);
    rss = [];
    delay.reset();
    return;
  }
  const url = await SERVERS[message.kind](message);
  delay.enable();
  process.send?.({ url });
});
process.on('disconnect', () => process.exit());

const SERVERS: Readonly<Record<ServerJob['kind'], (job: ServerJob) => Promise<string>>> = {
  ours: async (job) => serveOurs(await followCatalogue({ database: job.database }), job),
  unsearched: (job) => serveOurs(knowing(job.answers), job),
  bare: serveBare,
};

async function serveOurs(search: SkillSearch, { state }: ServerJob): Promise<string> {
  const limits = { connectionsPerSecond: 0, requestsPerSecond: 0 };
  const server = await startServer(search, { access: openAccess({ state }), port: 0, ...limits });
  return server.url;
}

/** A search that knows these answers and nothing else. */
function knowing(answers: ServerJob['answers']): SkillSearch {
  const known = Object.entries(answers).map(([path, skills]) => {
    const pagination = { page: 1, limit: 20, total: skills.length, totalPages: 1 };
    const q = new URL(path, 'http://localhost').searchParams.get('q') ?? '';
    return [q, { records: skills.map((skill) => JSON.stringify(skill)), pagination }] as const;
  });
  const answerTo = answering(known);
  const keywordRecords = ({ q }: { q: string }): unknown => answerTo(q);
  // A server takes nothing for a search that has no `keyword`; it asks for records.
  return { keyword: keywordRecords, keywordRecords } as unknown as SkillSearch;
}

/** The answer to a question that is held; to any other one of these, always the same. */
function answering<Held>(held: readonly (readonly [asked: string, answer: Held])[]): (asked: string) => Held {
  const byQuestion = new Map(held);
  return (asked) => {
    const known = byQuestion.get(asked);
    if (known !== undefined) return known;
    let sum = 0;
    for (let i = 0; i < asked.length; i++) sum = (sum * 31 + asked.charCodeAt(i)) % 1_000_003;
    return (held[sum % held.length] as readonly [string, Held])[1];
  };
}

async function serveBare({ answers }: ServerJob): Promise<string> {
  const answerTo = answering(Object.entries(answers));
  const server = createServer((request, response) => {
    const body = JSON.stringify({ success: true, data: { skills: answerTo(request.url ?? '') } });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
