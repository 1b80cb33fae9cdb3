import { setTimeout as wait } from 'node:timers/promises';
import { bytesOf, type Line, send } from '../attacks/requests.js';
import { answerMessages } from '../child-program.js';

export interface ProberMessage {
  readonly line: Line;
  readonly milliseconds: number;
}

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

answerMessages(async (message) => {
  const { line, milliseconds } = message as ProberMessage;
  const [health, search] = await Promise.all([
    probe(line, bytesOf({ path: '/api/health' }, line.keys), HEALTH_EVERY, milliseconds),
    probe(
      line,
      bytesOf({ path: '/api/v1/skills/search?q=release', key: 'unlimited' }, line.keys),
      SEARCH_EVERY,
      milliseconds,
    ),
  ]);
  return { health, search } satisfies Probed;
});

/** Asks on a new connection each time, at a steady rate, whether the requests before have been answered or not. */
async function probe(line: Line, bytes: string, interval: number, milliseconds: number): Promise<Probes> {
  const times: number[] = [];
  const faults: string[] = [];
  const running: Promise<void>[] = [];
  const began = performance.now();
  for (let at = 0; at < milliseconds; at += interval) {
    await wait(Math.max(0, began + at - performance.now()));
    const one = send(line, bytes).then((ending) => {
      if (ending === 200) times.push(performance.now() - began - at);
      else faults.push(`${ending} at ${(at / 1000).toFixed(1)} s`);
    });
    running.push(one);
  }
  await Promise.all(running);
  return { times, faults };
}
