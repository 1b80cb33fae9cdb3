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
    }, 'client');
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
    }, 'client');
    await new Promise(setImmediate);
    expect(isDone).toBe(true);
  }
});

test('clients take turns, however much work one of them has', async () => {
  const turns = new Turns();
  const done: string[] = [];
  for (let i = 0; i < 50; i++) turns.run(() => done.push(`a${i}`), 'a');
  for (let i = 0; i < 3; i++) turns.run(() => done.push(`b${i}`), 'b');
  turns.run(() => done.push('c0'), 'c');
  while (done.length < 54) await new Promise(setImmediate);
  expect(done.slice(0, 8)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'b2', 'a3']);
  expect(done.slice(8)).toEqual(Array.from({ length: 46 }, (_, i) => `a${i + 4}`));
});

test('clients take turns with urgent work, too', async () => {
  const turns = new Turns();
  const done: string[] = [];
  for (let i = 0; i < 50; i++) turns.runFirst(() => done.push(`a${i}`), 'a');
  turns.runFirst(() => done.push('b0'), 'b');
  while (done.length < 51) await new Promise(setImmediate);
  expect(done.slice(0, 4)).toEqual(['a0', 'b0', 'a1', 'a2']);
});

test('urgent work goes first, and leaves one piece of other work in each turn', async () => {
  const turns = new Turns();
  const done: string[] = [];
  for (let i = 0; i < 3; i++) turns.run(() => done.push('other'), 'a');
  for (let i = 0; i < 20; i++) {
    turns.runFirst(() => {
      busy(3);
      done.push('urgent');
    }, 'b');
  }
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(done[0]).toBe('urgent');
  expect(done.filter((one) => one === 'other').length).toBeGreaterThan(0);
  while (done.length < 23) await new Promise(setImmediate);
  expect(done.lastIndexOf('other')).toBeLessThan(22);
});

test('nothing is done while it is held, and all afterwards', async () => {
  const turns = new Turns();
  const done: number[] = [];
  turns.run(() => done.push(0), 'a');
  turns.hold();
  for (let i = 1; i < 300; i++) turns.run(() => done.push(i), 'a');
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  expect(done).toEqual([]);
  turns.release();
  while (done.length < 300) await new Promise(setImmediate);
  expect(done).toEqual(Array.from({ length: 300 }, (_, i) => i));
});

test('a turn in which a connection came is left to the next connection, eight times in a row at most', async () => {
  const turns = new Turns();
  let done = 0;
  for (let i = 0; i < 40; i++) {
    turns.run(() => {
      busy(6);
      done += 1;
    }, 'a');
  }
  for (let turn = 0; turn < 27; turn++) {
    turns.connected();
    await new Promise(setImmediate);
  }
  // Of nine turns one does work.
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThanOrEqual(4);
  const from = done;
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(done).toBeGreaterThan(from);
  while (done < 40) await new Promise(setImmediate);
});

test('clients that connect one after another, with one long piece of work each, do not keep an urgent one waiting', async () => {
  const turns = new Turns();
  const done: string[] = [];
  // In each turn one connection is accepted, with what its client has sent. The last of them is urgent.
  for (let i = 0; i < 26; i++) {
    turns.connected();
    turns.run(() => {
      busy(6);
      done.push('other');
    }, i);
    await new Promise(setImmediate);
  }
  turns.connected();
  turns.runFirst(() => done.push('urgent'), 'a');
  while (done.length < 27) await new Promise(setImmediate);
  expect(done.indexOf('urgent')).toBeGreaterThan(0);
  expect(done.indexOf('urgent')).toBeLessThanOrEqual(4);
});
