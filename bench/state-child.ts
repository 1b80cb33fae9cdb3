// One server's worth of requests to keys and quotas, for bench/state.ts: told by messages what to ask, it says how many
// requests were admitted, in which time, and what processor time that took.
import { connectAccess, isPostgresAddress, type KeysAndQuotas, openAccess } from '../src/access/index.js';

/** What is asked for in one round. */
export interface StateJob {
  readonly state: string;
  /** Requests under way at a time. */
  readonly inFlight: number;
  /** Clients that ask, one after the other. */
  readonly clients: number;
  readonly seconds: number;
}

/** What a round took. */
export interface StateFigures {
  readonly requests: number;
  /** Requests that failed, and are not among those. */
  readonly failed: number;
  readonly seconds: number;
  /** Seconds of processor time of this process. */
  readonly cpu: number;
  readonly p50: number;
  readonly p99: number;
}

process.on('message', async (job: StateJob) => process.send!(await ask(job)));
process.send!('ready');

async function ask({ state, inFlight, clients, seconds }: StateJob): Promise<StateFigures> {
  const options = { state, anonymous: { daily: 1_000_000_000, perMinute: 1_000_000_000 } };
  const access: KeysAndQuotas = isPostgresAddress(state) ? await connectAccess(options) : openAccess(options);
  const known = await Promise.all(
    Array.from({ length: clients }, (_, i) => access.identify(undefined, `10.0.${i >> 8}.${i & 255}`)),
  );
  await access.admit(known[0]!);
  const times: number[] = [];
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  const end = begun + seconds * 1000;
  let [next, failed] = [0, 0];
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let now = performance.now(); now < end; ) {
        const client = known[next++ % known.length]!;
        try {
          await access.admit(client);
        } catch {
          // A file that others had locked for too long.
          failed += 1;
        }
        const after = performance.now();
        times.push(after - now);
        now = after;
        // As a server would, which reads the next requests.
        if (times.length % 256 === 0) await new Promise(setImmediate);
      }
    }),
  );
  const took = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await access.close();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return {
    requests: times.length - failed,
    failed,
    seconds: took,
    cpu: (user + system) / 1e6,
    p50: at(0.5),
    p99: at(0.99),
  };
}
