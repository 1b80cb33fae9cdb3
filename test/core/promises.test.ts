import { getEventListeners } from 'node:events';
import { describe, expect, it, test } from 'vitest';
import { anyOf, OneAtATime, readAhead, withResolvers } from '../../src/core/index.js';

describe('a signal joined of others', () => {
  test('is aborted with the first of them, for its reason', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const { signal } = anyOf([one.signal, undefined, other.signal]);
    expect(signal.aborted).toBe(false);
    other.abort('gone');
    one.abort('late');
    expect([signal.aborted, signal.reason]).toEqual([true, 'gone']);
    expect(anyOf([one.signal]).signal.reason).toBe('late');
  });

  test('shares one listener with all others that are joined of the same', () => {
    const shared = new AbortController();
    const joined = Array.from({ length: 20 }, () => anyOf([shared.signal]));
    joined[0]?.end();
    expect(getEventListeners(shared.signal, 'abort')).toHaveLength(1);
    shared.abort('gone');
    expect(joined.map(({ signal }) => signal.reason)).toEqual([undefined, ...Array(19).fill('gone')]);
  });

  test('leaves nothing at them when its work has ended', () => {
    const shared = new AbortController();
    const joined = anyOf([shared.signal, AbortSignal.abort()]);
    joined.end();
    expect(getEventListeners(shared.signal, 'abort')).toEqual([]);
  });
});

describe('one at a time', () => {
  /** Work that ends when it is told to. */
  function work(name: string, told: string[]): { run: () => Promise<string>; end: () => void } {
    const { promise: ended, resolve: end } = withResolvers<void>();
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
});

describe('readAhead', () => {
  const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  it('keeps the order, whatever is done first, and the bound', async () => {
    let underWay = 0;
    let most = 0;
    const work = async (delay: number): Promise<number> => {
      most = Math.max(most, ++underWay);
      await later(delay);
      underWay--;
      return delay;
    };
    const results: number[] = [];
    for await (const result of readAhead([30, 1, 20, 2, 10, 3], 3, work)) results.push(result);
    expect(results).toEqual([30, 1, 20, 2, 10, 3]);
    expect(most).toBe(3);
  });

  it('throws what an item threw when its turn comes, and nothing of later ones', async () => {
    const results: number[] = [];
    const work = async (item: number): Promise<number> => {
      if (item > 1) throw new Error(`item ${item}`);
      return item;
    };
    const reading = (async () => {
      for await (const result of readAhead([0, 1, 2, 3], 4, work)) results.push(result);
    })();
    await expect(reading).rejects.toThrow('item 2');
    expect(results).toEqual([0, 1]);
  });

  it('tells each item its turn, and those that nobody wants any more that there is none', async () => {
    const begun: string[] = [];
    const work = async (item: string, turn: Promise<void>): Promise<string> => {
      await turn.then(
        () => begun.push(item),
        () => begun.push(`no ${item}`),
      );
      return item;
    };
    const results = readAhead(['a', 'b', 'c', 'd', 'e'], 3, work);
    expect(await results.next()).toMatchObject({ value: 'a' });
    expect(await results.next()).toMatchObject({ value: 'b' });
    await later(1);
    expect(begun).toEqual(['a', 'b']);
    await results.return(undefined);
    await later(1);
    expect(begun).toEqual(['a', 'b', 'no c', 'no d']);
  });
});
