import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { followCopy } from '../../src/share/follow-copy.js';
import { Origin } from '../../src/share/snapshot/origin.js';
import { scratchFolder } from '../scratch-folder.js';

vi.mock('../../src/core/index.js', async (original) => ({
  ...(await original<object>()),
  startWorker: () => new Worker('throw new Error("no memory")', { eval: true }),
}));

afterEach(() => vi.useRealTimers());

const address = 'http://127.0.0.1:1/manifest.json';
const DIED = 'the thread that follows the catalogue has ended: no memory';

test('a thread that dies is reported once, fails those who wait for it, and is started again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: false });
  const cache = scratchFolder();
  writeFileSync(join(cache, 'skills.db'), '');
  writeFileSync(join(cache, 'skills.db.snapshot-of'), new Origin(address).key);
  const reported: unknown[] = [];
  const onProblem = (problem: unknown): void => void reported.push(problem);
  const follower = await followCopy({
    ...{ address, cache, passwordFile: undefined, interval: 1000, signal: undefined, onProblem },
  });
  await expect(follower.look()).rejects.toThrow(DIED);
  const former = await follower.look().catch((error: unknown) => error);
  expect(reported).toMatchObject([{ message: DIED }]);
  await vi.advanceTimersByTimeAsync(5000);
  // Another thread, which dies as well.
  const later = await follower.look().catch((error: unknown) => error);
  expect(later).toMatchObject({ message: DIED });
  expect(later).not.toBe(former);
  expect(reported).toHaveLength(1);
  await follower.close();
});

test('a first look that fails is thrown, and reported nowhere else', async () => {
  const onProblem = vi.fn();
  const options = { address, cache: scratchFolder(), passwordFile: undefined, interval: 1000, signal: undefined };
  await expect(followCopy({ ...options, onProblem })).rejects.toThrow(DIED);
  expect(onProblem).not.toHaveBeenCalled();
});
