import { expect, test } from 'vitest';
import { inTurns } from '../../../src/core/index.js';

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
