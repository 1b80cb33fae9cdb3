import { expect, test } from 'vitest';
import { generatedRows } from '../../bench/generated-catalogue.js';
import { otherQuestions } from '../../bench/other-questions.js';

const DESCRIPTIONS = [...generatedRows(300, 5)].map(({ description }) => description);

test('other questions share no word with those that are asked after them', () => {
  const asked = DESCRIPTIONS.slice(0, 20).flatMap((text) => text.match(/[a-z]{4,}/g) ?? []);
  const others = otherQuestions(DESCRIPTIONS, asked, 500);
  expect(others).toHaveLength(500);
  expect(new Set(others).size).toBe(500);
  const words = new Set(others.flatMap((q) => q.split(' ')));
  for (const word of asked) expect(words).not.toContain(word);
});

test('another form of a word that is asked counts as that word', () => {
  expect(otherQuestions(['Testing react tests', 'Deploy tested'], ['test'], 10)).toEqual(['react', 'Deploy']);
});

test('descriptions that have no more give fewer', () => {
  expect(otherQuestions(['only these'], ['only these'], 10)).toEqual([]);
  expect(otherQuestions([], [], 10)).toEqual([]);
});
