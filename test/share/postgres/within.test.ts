import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { AnswerTimeout } from '../../../src/share/postgres/postgres-error.js';
import { within } from '../../../src/share/postgres/postgres-session.js';

const never = new Promise<never>(() => {});

test('what takes longer is given up, with an error of choice', async () => {
  await expect(within(5, never)).rejects.toBeInstanceOf(AnswerTimeout);
  await expect(within(5, never, undefined, () => new Error('busy'))).rejects.toThrow('busy');
});

test('what is aborted fails with the reason', async () => {
  const stop = new AbortController();
  const waiting = within(60_000, never, stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});

test('an answer that came while this process stood still has come in time', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const client = connect((server.address() as { readonly port: number }).port, '127.0.0.1');
  const [other] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => void client.destroy());
  const answering = within(50, once(client, 'data'));
  other.end('answer');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  expect(String((await answering)[0])).toBe('answer');
});
