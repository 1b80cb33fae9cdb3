import { expect, test } from 'vitest';
import { askInTurns } from '../../bench/asked-in-turns.js';

const QUESTIONS = ['one', 'two', 'three'];

/** Keeps the processor busy. */
function work(milliseconds: number): void {
  for (const began = performance.now(); performance.now() - began < milliseconds; );
}

test('asks each question of all before the next one, and each of them is first in turn', async () => {
  const asked: string[] = [];
  const ask = (name: string) => async (question: string) => asked.push(`${name} ${question}`);
  await askInTurns({ a: ask('a'), b: ask('b') }, QUESTIONS, 1);
  expect(asked).toEqual([
    ...['a one', 'b one', 'b two', 'a two', 'a three', 'b three'],
    ...['b one', 'a one', 'a two', 'b two', 'b three', 'a three'],
  ]);
});

test('tells the times of the first pass and of those after it apart', async () => {
  const known = new Set<string>();
  const learning = async (question: string): Promise<void> => {
    if (!known.has(question)) work(40);
    known.add(question);
  };
  const { learner } = await askInTurns({ quick: async () => {}, learner: learning }, QUESTIONS, 2);
  expect(learner.first.p50).toBeGreaterThan(2 * learner.again.p50);
  expect(learner.first.timesFirst).toBeGreaterThan(1);
});

test('names the question that blocked the event loop longest', async () => {
  const ask = async (question: string): Promise<void> => work(question === 'two' ? 300 : 0);
  const { only } = await askInTurns({ only: ask }, QUESTIONS, 0);
  expect(only.first.blockedBy).toBe('two');
});
