import { expect, test } from 'vitest';
import { type Engine, measureClass } from '../../bench/engine.js';

interface Opened {
  readonly asked: string[];
  readonly explained: string[];
}

/** Engines that note what they are asked. */
function engines(able: (q: string) => boolean = () => true): { opened: Opened[]; open: () => Engine } {
  const opened: Opened[] = [];
  const open = (): Engine => {
    const notes: Opened = { asked: [], explained: [] };
    opened.push(notes);
    return {
      ask(q, sortBy) {
        notes.asked.push(`${q} ${sortBy}`);
        return able(q) ? { ids: [q], total: 1 } : undefined;
      },
      explain: (q) => void notes.explained.push(q),
    };
  };
  return { opened, open };
}

const request = {
  questionClass: { name: 'class', questions: ['a', 'b'] },
  orders: ['recent', 'stars'] as const,
  others: ['x', 'y'],
  secondsOfOthers: 60,
  secondsAClass: 60,
};

test('each order is asked of an engine that has answered nothing but other questions', async () => {
  const { opened, open } = engines();
  const rows = await measureClass(open, request);
  const asked = (sortBy: string): string[] => ['x', 'y', 'a', 'b', 'a', 'b'].map((q) => `${q} ${sortBy}`);
  expect(opened.map((one) => one.asked)).toEqual([asked('recent'), asked('stars')]);
  expect(opened[0]?.explained).toEqual(['a', 'b']);
  expect(rows.map(({ first, again, answers }) => [first.length, again.length, answers.length])).toEqual([
    [2, 2, 2],
    [2, 2, 2],
  ]);
});

test('a class that an engine cannot be asked has no times', async () => {
  const { open } = engines((q) => q !== 'a');
  const [row] = await measureClass(open, request);
  expect(row).toMatchObject({ first: [], again: [], explained: [], answers: [] });
});

test('where the time is over, ten questions are asked, and the same ones again', async () => {
  const { opened, open } = engines();
  const questions = Array.from({ length: 30 }, (_, i) => `q${i}`);
  const [row] = await measureClass(open, {
    ...request,
    questionClass: { name: 'class', questions },
    others: [],
    orders: ['recent'],
    secondsAClass: -1,
  });
  expect(row?.first).toHaveLength(10);
  expect(row?.again).toHaveLength(10);
  expect(opened[0]?.asked).toHaveLength(20);
});
