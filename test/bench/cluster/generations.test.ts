import { expect, test } from 'vitest';
import {
  baseRows,
  clusterQuestions,
  ExpectedAnswer,
  firstGenerationIn,
  generationRows,
  generationsIn,
  lastingPart,
  MARKED,
} from '../../../bench/cluster/generations.js';

test('a generation marks its skills with its number, and brings one skill that the next one has not', () => {
  const base = baseRows(50);
  const [one, two] = [generationRows(1, base), generationRows(2, base)];
  expect(one).toHaveLength(MARKED + 1);
  for (const row of one) expect(generationsIn(JSON.stringify(row))).toEqual([1]);
  const ids = new Set(one.map(({ id }) => id));
  expect(two.filter(({ id }) => !ids.has(id)).map(({ id }) => id)).toEqual(['newcomer-load000002']);
  expect(base.flatMap((row) => generationsIn(JSON.stringify(row)))).toEqual([]);
  const dates = [...base, ...one].map(({ updatedAt }) => updatedAt);
  expect(new Set(dates).size).toBe(dates.length);
});

test('questions are asked by words in both orders, and by meaning where that is wanted', () => {
  const questions = clusterQuestions(baseRows(200), 30, 4);
  expect(questions.filter(({ kind }) => kind === 'meaning')).toHaveLength(4);
  expect(questions.filter(({ path }) => path.includes('sortBy=stars'))).toHaveLength(15);
  expect(questions.filter(({ path }) => path.includes('qzmarked')).length).toBeGreaterThan(3);
});

test('an expected answer is that of any generation, and no other text', () => {
  const expected = new ExpectedAnswer('{"a":"load000000","b":"load000000"}');
  expect(expected.isMarked).toBe(true);
  expect(expected.of(12)).toBe('{"a":"load000012","b":"load000012"}');
  expect(expected.of(13)).toBe('{"a":"load000013","b":"load000013"}');
  expect(new ExpectedAnswer('{}').isMarked).toBe(false);
});

test('an answer of two states shows two numbers', () => {
  const torn = '{"a":"load000012","b":"load000011"}';
  expect(generationsIn(torn)).toEqual([11, 12]);
  expect(firstGenerationIn(torn)).toBe(12);
  expect(firstGenerationIn('{}')).toBeUndefined();
});

test('the time of an answer is no part of what is compared', () => {
  expect(lastingPart('{"data":{},"meta":{"ms":3}}')).toBe('{"data":{}');
  expect(lastingPart('{"data":{}}')).toBe('{"data":{}}');
});
