import { expect, test } from 'vitest';
import { inTurns } from '../../src/threads/in-turns.js';

/** Steps that take some milliseconds each. */
function* slowSteps(count: number, done: string[]): Generator<undefined, string, undefined> {
  for (let step = 1; step <= count; step++) {
    for (const began = performance.now(); performance.now() - began < 7; );
    done.push(`step ${step}`);
    yield;
  }
  return 'all';
}

test('does all steps, and other work of the process between two that take long', async () => {
  const done: string[] = [];
  setImmediate(() => done.push('other work'));
  expect(await inTurns(slowSteps(3, done))).toBe('all');
  expect(done).toEqual(['step 1', 'other work', 'step 2', 'step 3']);
});

test('does steps that take no time in one turn', async () => {
  const done: string[] = [];
  setImmediate(() => done.push('other work'));
  const steps = function* (): Generator<undefined, number, undefined> {
    for (let step = 0; step < 100; step++) yield;
    done.push('steps');
    return 7;
  };
  expect(await inTurns(steps())).toBe(7);
  expect(done).toEqual(['steps']);
});

test('does no further step once it is aborted', async () => {
  const done: string[] = [];
  const stop = new AbortController();
  setImmediate(() => stop.abort(new Error('nobody waits any more')));
  await expect(inTurns(slowSteps(100, done), stop.signal)).rejects.toThrow('nobody waits any more');
  expect(done).toEqual(['step 1']);
});

test('tells what went wrong in a step', async () => {
  const steps = function* (): Generator<undefined, number, undefined> {
    yield;
    throw new RangeError('a mistake');
  };
  await expect(inTurns(steps())).rejects.toThrow('a mistake');
});
