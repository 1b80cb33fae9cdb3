import { describe, expect, test } from 'vitest';
import { randomNumbers } from '../../src/evaluation/random-numbers.js';
import { drawNegatives, drawSome } from '../../src/tuning/hard-negatives.js';
import { StandInEmbedder } from '../semantic/stand-in-embedder.js';
import { catalogueOf, linesFile, mineAll, skillRow } from './catalogue.js';

const random = randomNumbers(1);

/** Other skills with these cosines; each is its own group. */
function others(...cosines: number[]) {
  return cosines.map((cosine, group) => ({ group, cosine }));
}

describe('drawNegatives', () => {
  test('skips the two nearest', () => {
    expect(drawNegatives({ right: 1, others: others(0.9, 0.8, 0.7, 0.6) }, 5, new Set(), random)).toEqual([2, 3]);
  });

  test('takes no skill with more than 95 % of the cosine of the right one', () => {
    const neighbours = { right: 0.8, others: others(0.9, 0.85, 0.8, 0.77, 0.75, 0.5) };
    expect(drawNegatives(neighbours, 5, new Set(), random)).toEqual([4, 5]);
  });

  test('takes no skill that has the same phrase', () => {
    expect(drawNegatives({ right: 1, others: others(0.9, 0.8, 0.7, 0.6) }, 5, new Set([2]), random)).toEqual([3]);
  });
});

test('drawSome draws each item as often as any other', () => {
  const counts = [0, 0, 0, 0, 0];
  for (let i = 0; i < 5000; i++) for (const item of drawSome([0, 1, 2, 3, 4], 2, random)) counts[item]! += 1;
  for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(200);
});

describe('negatives of a catalogue', () => {
  const rows = Array.from({ length: 40 }, (_, i) => skillRow(`orchard-${i}`, `prune tree number ${i}`));
  const copy = { ...skillRow('orchard-0', 'prune tree number 0'), id: 'copy-of-0' };

  test.each(['skill', 'text'] as const)(
    'nearest to the %s are others than the skill and its copies',
    async (nearestTo) => {
      const database = await catalogueOf([...rows, copy]);
      const without = linesFile(['orchard-5']);
      const { pairs, report } = await mineAll({
        database,
        without,
        kinds: ['quote'],
        negatives: 4,
        nearestTo,
        embedder: new StandInEmbedder(),
      });
      expect(pairs).toHaveLength(39);
      const all = pairs.flatMap(({ negatives = [] }) => negatives);
      expect(all.length).toBeGreaterThan(39);
      expect(all).not.toContain('orchard-5');
      const ofCopies = pairs.find(({ text }) => text === 'prune tree number 0')!;
      expect(ofCopies.negatives).not.toContain('orchard-0');
      expect(ofCopies.negatives).not.toContain('copy-of-0');
      for (const { skill, negatives = [] } of pairs) {
        expect(negatives).not.toContain(skill);
        expect(new Set(negatives).size).toBe(negatives.length);
        expect(negatives.length).toBeLessThanOrEqual(4);
      }
      expect(report.withNegatives).toBe(pairs.filter(({ negatives }) => negatives!.length > 0).length);
    },
  );

  test('need vectors', async () => {
    const database = await catalogueOf(rows, false);
    const mining = mineAll({ database, negatives: 1, embedder: new StandInEmbedder() });
    await expect(mining).rejects.toMatchObject({ code: 'NO_VECTORS' });
    expect((await mineAll({ database })).pairs.length).toBeGreaterThan(40);
  });

  test('need the model that made the vectors', async () => {
    const mining = mineAll({ database: await catalogueOf(rows), negatives: 1, embedder: new StandInEmbedder('other') });
    await expect(mining).rejects.toMatchObject({ code: 'MODEL_MISMATCH' });
  });
});
