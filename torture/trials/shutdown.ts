import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { buildCatalogue } from '../../src/index.js';
import { startCommand } from '../child-program.js';
import type { Trial, TrialContext } from '../trial.js';

const SKILLS = 200;
/** Three of four ask once on a connection and make the next; the fourth asks on and on. */
const CLIENTS = 40;
const PATH = '/api/v1/skills/search?q=alpha';

/** How a request ended: wholly answered, not taken (the connection was refused), or lost, and how. */
type Ending = 'answered' | 'refused' | { readonly lost: string };

export const SHUTDOWN: Trial = {
  name: 'shutdown',
  promise: 'A server that is told to stop under load answers each request in full, or refuses its connection.',
  begin: async ({ random, folder }: TrialContext) => {
    const database = join(folder, 'skills.db');
    const rows = Array.from({ length: SKILLS }, (_, i) => ({ id: `s${i}`, name: `s${i}`, description: `alpha ${i}` }));
    await buildCatalogue({ database, sources: [rows], semantic: false });
    const facts = { answered: 0, refused: 0 };
    const attempt = async (): Promise<undefined> => {
      const endings = await stopUnderLoad(database, 100 + Math.floor(random() * 500));
      const lost = endings.filter((ending) => typeof ending === 'object');
      if (lost.length > 0) {
        const how = lost.map((ending) => (ending as { lost: string }).lost);
        throw new Error(`${lost.length} of ${endings.length} requests were lost: ${how[0]}`);
      }
      facts.answered += endings.filter((ending) => ending === 'answered').length;
      facts.refused += endings.filter((ending) => ending === 'refused').length;
    };
    return { facts, attempt };
  },
};

/** @param after so many answers comes the signal */
async function stopUnderLoad(database: string, after: number): Promise<Ending[]> {
  const limits = ['anonymous-daily', 'anonymous-per-minute', 'connections-per-second', 'requests-per-second'];
  const words = [...limits.flatMap((limit) => [`--${limit}`, '0']), '--log-level', 'silent'];
  const child = startCommand(['serve', '--port', '0', '--database', database, ...words]);
  try {
    const ended = once(child, 'exit');
    const port = await portOf(child.stdout);
    const endings: Ending[] = [];
    const told = (ending: Ending): boolean => {
      if (endings.push(ending) === after) child.kill('SIGTERM');
      return ending === 'answered';
    };
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, i) => {
        // A client whose connection is refused knows that the server is gone.
        while (await askOnOne(port, i % 4 === 0 ? Number.POSITIVE_INFINITY : 1, told));
      }),
    );
    const [status] = await ended;
    if (status !== 0) throw new Error(`the server ended with ${status}`);
    return endings;
  } finally {
    child.kill('SIGKILL');
  }
}

/** The port of a server that the command line has started. */
async function portOf(out: NodeJS.ReadableStream): Promise<number> {
  let text = '';
  for await (const chunk of out) {
    text += String(chunk);
    const [, port] = / at http:\/\/[^:]+:(\d+),/.exec(text) ?? [];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`the server ended instead of starting: ${text}`);
}

/**
 * Asks on one connection, so many times or until the server tells to close it.
 *
 * @param told is told how each request ended
 * @returns whether all were answered
 */
function askOnOne(port: number, times: number, told: (ending: Ending) => boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port, host: '127.0.0.1' });
    let [isConnected, isDone] = [false, false];
    let answer = '';
    const ask = (): void => {
      answer = '';
      times -= 1;
      socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\n${times > 0 ? '' : 'Connection: close\r\n'}\r\n`);
    };
    const done = (ending: Ending): void => {
      if (isDone) return;
      isDone = true;
      resolve(told(ending));
    };
    socket.setEncoding('latin1');
    socket.once('connect', () => {
      isConnected = true;
      ask();
    });
    socket.on('data', (text: string) => {
      answer += text;
      const end = answer.indexOf('\r\n\r\n');
      if (end === -1) return;
      const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(answer) ?? [];
      if (!answer.startsWith('HTTP/1.1 200 ') || answer.length - end - 4 < Number(length)) return;
      if (/\r\nconnection: close\r\n/i.test(answer.slice(0, end + 2))) {
        done('answered');
        socket.destroy();
      } else {
        told('answered');
        ask();
      }
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      done(isConnected ? { lost: `${error.code} after ${answer.length} bytes` } : 'refused');
    });
    socket.once('close', () => done({ lost: `closed after ${answer.length} bytes` }));
  });
}
