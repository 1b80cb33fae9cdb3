import { describe, expect, it } from 'vitest';

import { readAhead } from '../../../src/core/index.js';

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('readAhead', () => {
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
