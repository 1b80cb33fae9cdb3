import { expect, test } from 'vitest';
import { growthPicture } from '../../bench/growth-picture.js';

/** Names of the elements that are open at the end; throws where one is closed that is not open. */
function openElements(svg: string): string[] {
  const open: string[] = [];
  for (const [, close, name = '', alone] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (close === '/') expect(open.pop()).toBe(name);
    else if (alone !== '/') open.push(name);
  }
  return open;
}

const points = [
  [1000, 0.02],
  [10_000, 0.3],
  [1_000_000, 40],
] as const;

test('the picture is a whole document that has a point for each figure', () => {
  const svg = growthPicture([
    { title: 'p50 < p99 & more', lines: [{ name: 'p50', points }] },
    {
      title: 'two',
      lines: [
        { name: 'a', points },
        { name: 'b', points: points.slice(1) },
      ],
    },
  ]);
  expect(openElements(svg)).toEqual([]);
  expect(svg).toContain('p50 &lt; p99 &amp; more');
  expect(svg.match(/<polyline /g)).toHaveLength(3);
  expect(svg.match(/ r="3"/g)).toHaveLength(8);
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
});

test('equal ratios are equal distances', () => {
  const svg = growthPicture([
    {
      title: 'one',
      lines: [
        {
          name: 'a',
          points: [
            [10, 1],
            [100, 10],
            [1000, 100],
          ],
        },
      ],
    },
  ]);
  const [[x0, y0], [x1, y1], [x2, y2]] = [...svg.matchAll(/cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => {
    return [Number(x), Number(y)];
  }) as [[number, number], [number, number], [number, number]];
  expect(x1 - x0).toBeCloseTo(x2 - x1, 0);
  expect(y0 - y1).toBeCloseTo(y1 - y2, 0);
  expect(y1).toBeLessThan(y0);
});

test('a single size can be drawn', () => {
  expect(growthPicture([{ title: 'one', lines: [{ name: 'a', points: [[1000, 5]] }] }])).not.toMatch(/NaN|Infinity/);
});
