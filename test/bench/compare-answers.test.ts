import { expect, test } from 'vitest';
import { differenceOf, sameQuestions } from '../../bench/compare-answers.js';

const answer = (total: number, ...ids: string[]): { total: number; ids: string[] } => ({ total, ids });

test('answers are the same where skills, their order and the total are', () => {
  const ours = [answer(2, 'a', 'b'), answer(2, 'a', 'b'), answer(2, 'a', 'b'), answer(0)];
  const theirs = [answer(2, 'a', 'b'), answer(2, 'b', 'a'), answer(3, 'a', 'b'), answer(0)];
  expect(sameQuestions(ours, theirs)).toEqual([0, 3]);
  expect(differenceOf(ours, theirs)).toBe('2 of 4 the same, 3 of the same total');
});

test('a difference in order alone is told from one of sets', () => {
  expect(differenceOf([answer(2, 'a', 'b')], [answer(2, 'b', 'a')])).toBe('0 of 1 in the same order');
  expect(differenceOf([answer(1, 'a')], [answer(1, 'a')])).toBe('');
  expect(differenceOf([answer(1, 'a')], [])).toBe('cannot be asked');
});

test('a peer that did not get to all questions is compared in those that it answered', () => {
  expect(sameQuestions([answer(1, 'a'), answer(1, 'b')], [answer(1, 'a')])).toEqual([0]);
});
