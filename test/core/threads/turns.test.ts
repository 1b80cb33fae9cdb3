import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { beforeEach, describe, expect, test } from 'vitest';
import { giveWay, inTurns, nextTurn } from '../../../src/core/index.js';

describe('turns', () => {
  /** Longer than a turn should take. */
  function workLong(): void {
    for (const began = performance.now(); performance.now() - began < 7; );
  }

  test('work that took long gives way to timers, messages and other calls', async () => {
    const done: string[] = [];
    const { port1, port2 } = new MessageChannel();
    const message = once(port1, 'message').then(() => done.push('message'));
    await giveWay();
    port2.postMessage('a message');
    setTimeout(() => done.push('timer'), 1);
    setImmediate(() => done.push('other work'));
    workLong();
    await giveWay();
    done.push('went on');
    await message;
    port1.close();
    expect(done.at(-1)).toBe('went on');
    expect(done.slice(0, 3).sort()).toEqual(['message', 'other work', 'timer']);
  });

  test('work that took no time goes on at once', async () => {
    const done: string[] = [];
    await new Promise(setImmediate);
    setImmediate(() => done.push('other work'));
    await giveWay();
    await giveWay();
    expect(done).toEqual([]);
  });

  test('of several that work at the same time, events come after each', async () => {
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    const seen: number[] = [];
    const work = async (): Promise<void> => {
      for (let piece = 0; piece < 3; piece++) {
        await giveWay();
        seen.push(turns);
        workLong();
      }
    };
    await giveWay();
    workLong();
    await Promise.all([work(), work(), work()]);
    clearInterval(counting);
    expect(new Set(seen).size).toBe(9);
  });

  test('who waits for a turn gets one of its own, also where nothing was done before', async () => {
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    let turn = 0;
    let next: NodeJS.Immediate | undefined;
    const count = (): void => {
      turn += 1;
      next = setImmediate(count);
    };
    count();
    const turns = await Promise.all(Array.from({ length: 5 }, () => nextTurn().then(() => turn)));
    clearImmediate(next);
    expect(new Set(turns).size).toBe(5);
  });

  test('each that waits gets its turn, in the order in which they came', async () => {
    const done: string[] = [];
    const work = async (name: string): Promise<void> => {
      for (let piece = 0; piece < 3; piece++) {
        await giveWay();
        done.push(name);
        workLong();
      }
    };
    await Promise.all(['a', 'b', 'c'].map(work));
    expect(done.join('')).toBe('abcabcabc');
  });

  test('whoever is aborted while waiting does not go on', async () => {
    const stop = new AbortController();
    await giveWay();
    workLong();
    setImmediate(() => stop.abort(new Error('nobody waits any more')));
    await expect(giveWay(stop.signal)).rejects.toThrow('nobody waits any more');
  });

  test('work goes on where a program has put another `setImmediate` in the place of that of Node', async () => {
    const real = globalThis.setImmediate;
    globalThis.setImmediate = (() => undefined) as unknown as typeof setImmediate;
    try {
      await giveWay();
      workLong();
      await giveWay();
    } finally {
      globalThis.setImmediate = real;
    }
  });
});

describe('in turns', () => {
  // The time of a turn is that of the process: what ran before has used up some.
  beforeEach(() => new Promise((done) => setImmediate(done)));

  /** Pieces that take some milliseconds each. */
  function* slowPieces(count: number, done: string[]): Generator<undefined, string, undefined> {
    for (let piece = 1; piece <= count; piece++) {
      for (const began = performance.now(); performance.now() - began < 7; );
      done.push(`piece ${piece}`);
      yield;
    }
    return 'all';
  }

  test('does all pieces, and other work of the process between two that take long', async () => {
    const done: string[] = [];
    setImmediate(() => done.push('other work'));
    expect(await inTurns(slowPieces(3, done))).toBe('all');
    expect(done).toEqual(['piece 1', 'other work', 'piece 2', 'piece 3']);
  });

  test('does pieces that take no time in one turn', async () => {
    const done: string[] = [];
    setImmediate(() => done.push('other work'));
    const pieces = function* (): Generator<undefined, number, undefined> {
      for (let piece = 0; piece < 100; piece++) yield;
      done.push('pieces');
      return 7;
    };
    expect(await inTurns(pieces())).toBe(7);
    expect(done).toEqual(['pieces']);
  });

  test('does no further piece once it is aborted', async () => {
    const done: string[] = [];
    const stop = new AbortController();
    setImmediate(() => stop.abort(new Error('nobody waits any more')));
    await expect(inTurns(slowPieces(100, done), stop.signal)).rejects.toThrow('nobody waits any more');
    expect(done).toEqual(['piece 1']);
  });

  test('tells what went wrong in a piece', async () => {
    const pieces = function* (): Generator<undefined, number, undefined> {
      yield;
      throw new RangeError('a mistake');
    };
    await expect(inTurns(pieces())).rejects.toThrow('a mistake');
  });
});
