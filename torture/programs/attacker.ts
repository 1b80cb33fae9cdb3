import { connect } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { randomNumbers } from '../../src/evaluation/compare.js';
import { ATTACKS } from '../attacks/attacks.js';
import { type Asked, bytesOf, type Ending, type Line, send } from '../attacks/requests.js';
import { answerMessages } from '../child-program.js';

/** A request to send alone, or a flood by its name. */
export type AttackerMessage = { readonly line: Line } & (
  | { readonly asked: Asked }
  | { readonly attack: string; readonly seed: number; readonly milliseconds: number }
);

/** How often requests ended in each way. */
export type Endings = Readonly<Record<string, number>>;

// An attacker has a machine of its own: this one must not keep the server from the processors.
setPriority(10);

answerMessages(async (message) => {
  const given = message as AttackerMessage;
  const { line } = given;
  if ('asked' in given) return send(line, bytesOf(given.asked, line.keys));
  const endings: Record<string, number> = {};
  const count = (ending: Ending): Ending => {
    endings[ending] = (endings[ending] ?? 0) + 1;
    return ending;
  };
  const until = performance.now() + given.milliseconds;
  const isOver = (): boolean => performance.now() > until;
  const attack = ATTACKS.find(({ name }) => name === given.attack)!;
  await attack.flood({
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
