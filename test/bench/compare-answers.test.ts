import { expect, test } from 'vitest';
import { sameQuestions } from '../../bench/compare-answers.js';

const answer = (total: number, ...ids: string[]): { total: number; ids: string[] } => ({ total, ids });

test('answers by date are the same where skills, their order and the total are', () => {
  const ours = [answer(2, 'a', 'b'), answer(2, 'a', 'b'), answer(2, 'a', 'b'), answer(0)];
  const theirs = [answer(2, 'a', 'b'), answer(2, 'b', 'a'), answer(3, 'a', 'b'), answer(0)];
  expect(sameQuestions(ours, theirs, 'recent')).toEqual([0, 3]);
});

test('answers by relevance are the same in any order, but not with other skills or another total', () => {
  const ours = [answer(2, 'a', 'b'), answer(2, 'a', 'b'), answer(2, 'a', 'b')];
  const theirs = [answer(2, 'b', 'a'), answer(2, 'b', 'c'), answer(3, 'b', 'a')];
  expect(sameQuestions(ours, theirs, 'relevance')).toEqual([0]);
});

test('a peer that did not get to all questions is compared in those that it answered', () => {
  expect(sameQuestions([answer(1, 'a'), answer(1, 'b')], [answer(1, 'a')], 'recent')).toEqual([0]);
});
