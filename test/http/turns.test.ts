import { expect, test } from 'vitest';
import { Turns } from '../../src/http/turns.js';

function busy(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('work that comes all at once is spread over turns of the event loop, in its order', async () => {
  const turns = new Turns();
  const done: number[] = [];
  for (let i = 0; i < 30; i++) {
    turns.run(() => {
      busy(3);
      done.push(i);
    });
  }
  // 3 ms, and as much again before the 5 ms of a turn are used.
  expect(done.length).toBeLessThanOrEqual(2);
  let before = done.length;
  while (done.length < 30) {
    await new Promise(setImmediate);
    expect(done.length - before).toBeLessThanOrEqual(2);
    before = done.length;
  }
  expect(done).toEqual(Array.from({ length: 30 }, (_, i) => i));
});

test('work is done in the turn in which it comes where there is time', async () => {
  const turns = new Turns();
  for (let round = 0; round < 10; round++) {
    let isDone = false;
    turns.run(() => {
      isDone = true;
    });
    await new Promise(setImmediate);
    expect(isDone).toBe(true);
  }
});
