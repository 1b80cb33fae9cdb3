import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openAccess } from '../../src/access/index.js';
import { startServer } from '../../src/http/index.js';
import { openSkillSearch } from '../../src/index.js';
import type { Trial, TrialContext } from '../trial.js';

/** Answers of some hundred kilobytes, so that who does not read them costs memory. */
const SKILLS = 60;
const CLIENTS_AT_A_TIME = 60;
const CONNECTIONS_PER_ADDRESS = 40;
const SEARCH = 'GET /api/v1/skills/search?q=alpha&limit=50 HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** Nobody else asks by HEAD, so that the log shows the order of these answers. */
const SEARCHES_BEFORE_HEALTH = 60;
const HEALTH = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** Memory that may be left when all clients have gone, in bytes. */
const MOST_LEFT = 150 * 1024 * 1024;
/** Memory that may be taken meanwhile: twice what is held for clients, buffers, and the clients themselves. */
const MOST_TAKEN = 900 * 1024 * 1024;

type Client = (socket: Socket, random: () => number) => Promise<void>;

/** What clients do, well or ill. Each ends by itself; its connection is cut afterwards. */
const CLIENTS: Readonly<Record<string, Client>> = {
  'asks and leaves at once': async (socket) => {
    socket.write(SEARCH.repeat(4));
  },
  'reads nothing': async (socket, random) => {
    socket.pause();
    socket.write(SEARCH.repeat(1 + Math.floor(random() * 40)));
    await wait(500 * random());
  },
  'reads slowly': async (socket, random) => {
    socket.write(SEARCH.repeat(8));
    for (let i = 0; i < 10; i++) {
      socket.pause();
      await wait(30 * random());
      socket.resume();
      await wait(5);
    }
  },
  'writes slowly': async (socket, random) => {
    for (const letter of SEARCH.slice(0, 20 + random() * 60)) {
      socket.write(letter);
      await wait(5);
    }
  },
  'says nothing': async (_, random) => {
    await wait(500 * random());
  },
  'keeps its connection': async (socket, random) => {
    socket.write(HEALTH);
    await wait(500 * random());
  },
  'sends nonsense': async (socket, random) => {
    socket.write(randomBytes(Math.floor(random() * 5000)));
    await wait(20);
  },
  'sends a broken request': async (socket, random) => {
    const bytes = Buffer.from(SEARCH);
    for (let i = 0; i < 3; i++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    socket.write(bytes);
    await wait(20);
  },
  'asks for more than anybody reads': async (socket) => {
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3000));
    await wait(50);
  },
};

export const SOAK: Trial = {
  name: 'soak',
  promise:
    'Clients that abort, read or write slowly, say nothing or send nonsense take no memory for long, cost others no answer, and never keep health waiting.',
  run: async ({ random, until, say }: TrialContext) => {
    const description = `alpha ${'語'.repeat(3500)}`;
    const skills = Array.from({ length: SKILLS }, (_, i) => ({ id: `s${i}`, name: `s${i}`, description }));
    await using search = await openSkillSearch({ skills });
    const access = openAccess({ state: ':memory:', anonymous: { daily: 0, perMinute: 0 } });
    let failures = 0;
    const heads: string[] = [];
    const server = await startServer(search, {
      access,
      port: 0,
      pages: true,
      // However slow the machine is, a good client has its answer.
      longestWait: 0,
      connectionsPerAddress: CONNECTIONS_PER_ADDRESS,
      // All of them come from few addresses, as often as they can.
      connectionsPerSecond: 0,
      requestsPerSecond: 0,
      log: (event) => {
        failures += event.kind === 'failure' ? 1 : 0;
        if (event.kind === 'request' && event.method === 'HEAD') heads.push(event.path);
      },
    });
    const handles = process.getActiveResourcesInfo().length;
    const before = memoryNow();
    let attempts = 0;
    let most = 0;
    const kinds = Object.entries(CLIENTS);
    const { port } = server;
    /** The good client counts, from an address of its own: each answer is whole and right. */
    let answered = 0;
    let late = 0;
    const good = async (): Promise<void> => {
      while (performance.now() < until || answered === 0) {
        const total = await askedFrom('127.0.0.3', port, '/api/v1/skills/search?q=alpha&limit=2');
        if (total !== `200 ${SKILLS}`) throw new Error(`a good client got ${total}`);
        // Asked while others wait, it is answered before those that were asked later; it never fails.
        const health = await askedFrom('127.0.0.3', port, '/api/health');
        if (health !== '200 ok') throw new Error(`health said ${health}`);
        if (answered % 10 === 0) late = Math.max(late, await searchesBeforeHealth(port, heads));
        if (late >= SEARCHES_BEFORE_HEALTH / 3) {
          throw new Error(
            `of ${SEARCHES_BEFORE_HEALTH} searches that came just before health, ${late} were answered first`,
          );
        }
        answered += 1;
      }
    };
    const bad = async (): Promise<void> => {
      do {
        const [kind, client] = kinds[Math.floor(random() * kinds.length)]!;
        const socket = connect({ port, host: '127.0.0.1' });
        socket.on('error', () => {});
        socket.on('data', () => {});
        await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {});
        await client(socket, random).catch((error) => {
          throw new Error(`the client that ${kind} failed`, { cause: error });
        });
        socket.destroy();
        attempts += 1;
        most = Math.max(most, process.memoryUsage.rss());
      } while (performance.now() < until);
    };
    try {
      await Promise.all([good(), ...Array.from({ length: CLIENTS_AT_A_TIME }, bad)]);
    } finally {
      await server.close(1000);
      access.close();
    }
    if (failures > 0) throw new Error(`${failures} requests failed inside the server`);
    // What still waits for its turn sees that its client has gone.
    for (let i = 0; i < 100 && process.getActiveResourcesInfo().length > handles; i++) await wait(50);
    const left = process.getActiveResourcesInfo().length;
    if (left > handles) throw new Error(`${left - handles} handles are left: ${process.getActiveResourcesInfo()}`);
    const grown = memoryNow() - before;
    if (grown > MOST_LEFT) throw new Error(`${megabytes(grown)} MB are left when all clients have gone`);
    if (most > MOST_TAKEN) throw new Error(`${megabytes(most)} MB were taken`);
    say(`${attempts} clients, ${answered} good answers`);
    return {
      attempts,
      facts: { answered, 'searches before health': late, 'most MB': megabytes(most), 'MB left': megabytes(grown) },
    };
  },
};

/** The status, and the total or the health, of an answer that came whole. */
async function askedFrom(localAddress: string, port: number, path: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  const answer = Buffer.concat(chunks).toString();
  const status = /^HTTP\/1\.1 (\d+) /.exec(answer)?.[1];
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
  return `${status} ${body.data?.pagination.total ?? body.status}`;
}

/**
 * Sends searches, and then asks for health on another connection.
 *
 * @param heads paths that were asked by HEAD, in the order of their answers
 * @returns how many of the searches were answered before health
 */
async function searchesBeforeHealth(port: number, heads: string[]): Promise<number> {
  heads.length = 0;
  const sockets = [1, 2, 3].map(() => connect({ port, host: '127.0.0.1', localAddress: '127.0.0.4' }));
  let isCut = false;
  for (const socket of sockets) socket.on('close', () => (isCut = true)).resume();
  try {
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const search = SEARCH.replace('GET', 'HEAD').repeat(SEARCHES_BEFORE_HEALTH / 2);
    for (const [i, socket] of sockets.entries()) socket.write(i < 2 ? search : HEALTH.replace('GET', 'HEAD'));
    while (heads.length <= SEARCHES_BEFORE_HEALTH && !isCut) await wait(5);
    if (isCut) throw new Error('the connection of a good client was cut');
    return heads.indexOf('/api/health');
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

setFlagsFromString('--expose-gc');
const freeMemory = runInNewContext('gc') as () => void;

/** Memory outside and inside the heap, after what is not used has been freed. */
function memoryNow(): number {
  freeMemory();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
