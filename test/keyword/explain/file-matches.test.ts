import { describe, expect, test } from 'vitest';
import { askedWords, type FileMatches, matchFiles } from '../../../src/keyword/explain.js';
import { readQuestion } from '../../../src/keyword/question.js';

describe('the file that matches best', () => {
  test('is the one with most of the words, and of these the one that has them most often', () => {
    expect(match('birds islands', { 'SKILL.md': 'birds birds birds', 'a.md': 'birds and islands' }).filename).toBe(
      'a.md',
    );
    expect(match('birds', { 'SKILL.md': 'birds', 'a.md': 'birds birds' }).filename).toBe('a.md');
  });

  test('is SKILL.md where others have no more', () => {
    expect(match('birds', { 'a.md': 'birds', 'SKILL.md': 'birds', 'b.md': 'birds' }).filename).toBe('SKILL.md');
    expect(match('tables', { 'a.md': 'birds', 'SKILL.md': 'birds' }).filename).toBe('SKILL.md');
    expect(match('tables', { 'a.md': 'birds', 'b.md': 'birds' }).filename).toBe('a.md');
  });

  test('has the words as they stand or by their stem, and single characters of texts without spaces', () => {
    expect(match('test', { 'a.md': 'nothing', 'b.md': 'Testing, tested' })).toEqual({
      filename: 'b.md',
      terms: ['testing', 'tested'],
    });
    expect(match('会', { 'a.md': 'nothing', 'b.md': '会议录音' }).filename).toBe('b.md');
  });

  test('is looked for in the beginning of very much text only', () => {
    const long = 'filler '.repeat(60_000);
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`${i}.md`, `birds ${long}`]));
    const { filename, terms } = match('birds', { ...files, 'last.md': 'birds birds birds' });
    expect([filename, terms]).toEqual(['0.md', ['birds']]);
  });
});

function match(question: string, files: Readonly<Record<string, string>>): FileMatches {
  const list = Object.entries(files).map(([filename, text]) => ({ filename, text }));
  return matchFiles(list, askedWords(readQuestion(question)));
}
