import { expect, test } from 'vitest';
import { OneAtATime } from '../../../src/core/index.js';

/** Work that ends when it is told to. */
function work(name: string, told: string[]): { run: () => Promise<string>; end: () => void } {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = async (): Promise<string> => {
    told.push(`${name} begins`);
    await ended;
    told.push(`${name} ends`);
    return name;
  };
  return { run, end };
}

test('begins a piece of work when the one before has ended, in the order of the calls', async () => {
  const told: string[] = [];
  const [one, two, three] = [work('one', told), work('two', told), work('three', told)];
  const queue = new OneAtATime();
  const answers = [one, two, three].map(({ run }) => queue.run(run));
  three.end();
  two.end();
  expect(told).toEqual(['one begins']);
  one.end();
  expect(await Promise.all(answers)).toEqual(['one', 'two', 'three']);
  expect(told).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends']);
});

test('goes on after a piece of work that failed', async () => {
  const queue = new OneAtATime();
  const failed = queue.run(() => Promise.reject(new RangeError('a mistake')));
  const next = queue.run(async () => 'done');
  await expect(failed).rejects.toThrow('a mistake');
  expect(await next).toBe('done');
});

test('begins at once where there is no other', async () => {
  const told: string[] = [];
  const queue = new OneAtATime();
  const { run, end } = work('one', told);
  const answer = queue.run(run);
  expect(told).toEqual(['one begins']);
  end();
  await answer;
  const second = work('two', told);
  void queue.run(second.run);
  expect(told.at(-1)).toBe('two begins');
  second.end();
});
