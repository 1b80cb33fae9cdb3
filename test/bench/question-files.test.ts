import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { asKeywordQuestions, readQuestionFiles } from '../../bench/question-files.js';
import { scratchFolder } from '../scratch-folder.js';

test('questions are spread over files of both kinds, a small one giving all it has', () => {
  const folder = scratchFolder();
  const lines = (name: string, count: number): string =>
    Array.from({ length: count }, (_, i) => `${JSON.stringify({ _id: `${i}`, text: `${name} ${i}` })}\n`).join('');
  const [large, small] = [join(folder, 'large.jsonl'), join(folder, 'small.jsonl.gz')];
  writeFileSync(large, lines('large', 100));
  writeFileSync(small, gzipSync(lines('small', 5)));
  const questions = readQuestionFiles([large, small], 25);
  expect(questions).toHaveLength(25);
  expect(questions.filter((q) => q.startsWith('small'))).toHaveLength(5);
  expect(questions).toContain('large 95');
  expect(new Set(questions).size).toBe(25);
  expect(readQuestionFiles([], 25)).toEqual([]);
});

test('a keyword question is cut to what is read, and one without a word is left out', () => {
  expect(asKeywordQuestions([` ${'𝒶'.repeat(300)} `, '???', 'react'])).toEqual(['𝒶'.repeat(200), 'react']);
});
