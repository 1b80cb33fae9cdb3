import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { KnownReplica, ThreadFollower } from '../../../src/share/shared-catalogue/follow-shared.js';
import { LocalCopy } from '../../../src/share/snapshot/local-copy.js';
import { scratchFolder } from '../../scratch-folder.js';

afterEach(() => vi.useRealTimers());

/** A follower whose thread dies at its start: nothing checks its address before. */
function dying(told: unknown[]): ThreadFollower {
  const folder = scratchFolder();
  const known = new KnownReplica(new LocalCopy(folder, { key: 'key', shown: 'shown' }), undefined);
  const data = { address: 'no address', passwordFile: undefined, folder: join(folder, 'copy'), interval: 1000 };
  return new ThreadFollower(data, known, { onProblem: (problem) => void told.push(problem) });
}

test('a thread that dies is told once, fails who waits for it, and is started again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: false });
  const told: unknown[] = [];
  const follower = dying(told);
  const message = expect.stringMatching(/^the thread that follows the catalogue has ended: .*must be an address/);
  await expect(follower.look()).rejects.toMatchObject({ message });
  const former = await follower.look().catch((error: unknown) => error);
  expect(told).toMatchObject([{ message }]);
  await vi.advanceTimersByTimeAsync(5000);
  // Another thread, which dies as well.
  const later = await follower.look().catch((error: unknown) => error);
  expect(later).toMatchObject({ message });
  expect(later).not.toBe(former);
  expect(told).toHaveLength(1);
  await follower.close();
});

test('a first look that fails closes it', async () => {
  const told: unknown[] = [];
  const follower = dying(told);
  await expect(follower.usable(undefined)).rejects.toMatchObject({ message: expect.stringMatching(/has ended/) });
  await expect(follower.look()).rejects.toBeDefined();
  expect(told).toEqual([]);
});
