import { connect } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { randomNumbers } from '../../src/evaluation/compare.js';
import { ATTACKS, flood } from '../attacks/attacks.js';
import { type Asked, bytesOf, type Ending, type Line, send } from '../attacks/requests.js';
import { answerMessages } from '../child-program.js';

/** What a client is told: a request to send alone, a flood by its name, or how long to ask at a steady rate. */
export type ClientMessage = { readonly line: Line } & (
  | { readonly asked: Asked }
  | { readonly attack: string; readonly seed: number; readonly milliseconds: number }
  | { readonly probeFor: number }
);

/** How often requests ended in each way. */
export type Endings = Readonly<Record<string, number>>;

/** Of the answers to one path; times in milliseconds from when each request was due. */
export interface Probes {
  readonly times: readonly number[];
  /** How requests ended that were not answered 200, with when they were due. */
  readonly faults: readonly string[];
}

export interface Probed {
  readonly health: Probes;
  readonly search: Probes;
}

/** Milliseconds between two requests. Few enough that no limit of an address stands in the way. */
const [HEALTH_EVERY, SEARCH_EVERY] = [200, 500];

// Clients have machines of their own: these must not keep the server from the processors.
setPriority(10);

answerMessages(async (message) => {
  const given = message as ClientMessage;
  const { line } = given;
  if ('asked' in given) return send(line, bytesOf(given.asked, line.keys));
  if ('probeFor' in given) return probeAll(line, given.probeFor);
  const endings: Record<string, number> = {};
  const count = (ending: Ending): Ending => {
    endings[ending] = (endings[ending] ?? 0) + 1;
    return ending;
  };
  const until = performance.now() + given.milliseconds;
  const isOver = (): boolean => performance.now() > until;
  const attack = ATTACKS.find(({ name }) => name === given.attack)!;
  await flood(attack, {
    random: randomNumbers(given.seed),
    keys: line.keys,
    isOver,
    ask: (asked) => send(line, bytesOf(asked, line.keys)).then(count),
    send: (bytes, patience = line.patience) => send({ ...line, patience }, bytes).then(count),
    abandon: async (parts, pause) => {
      const socket = connect({ port: line.port, host: '127.0.0.1', localAddress: line.from });
      socket.on('error', () => {}).resume();
      for (const part of parts) {
        if (socket.destroyed || isOver()) break;
        socket.write(part, 'latin1');
        await wait(pause);
      }
      if (parts.length === 0) await wait(pause);
      socket.destroy();
      return count('closed');
    },
  });
  return endings;
});

async function probeAll(line: Line, milliseconds: number): Promise<Probed> {
  const [health, search] = await Promise.all([
    probe(line, { path: '/api/health' }, HEALTH_EVERY, milliseconds),
    probe(line, { path: '/api/v1/skills/search?q=release', key: 'unlimited' }, SEARCH_EVERY, milliseconds),
  ]);
  return { health, search };
}

/** Asks on a new connection each time, at a steady rate, whether the requests before have been answered or not. */
async function probe(line: Line, asked: Asked, interval: number, milliseconds: number): Promise<Probes> {
  const times: number[] = [];
  const faults: string[] = [];
  const running: Promise<void>[] = [];
  const began = performance.now();
  for (let at = 0; at < milliseconds; at += interval) {
    await wait(Math.max(0, began + at - performance.now()));
    const one = send(line, bytesOf(asked, line.keys)).then((ending) => {
      if (ending === 200) times.push(performance.now() - began - at);
      else faults.push(`${ending} at ${(at / 1000).toFixed(1)} s`);
    });
    running.push(one);
  }
  await Promise.all(running);
  return { times, faults };
}
