import { describe, expect, test } from 'vitest';
import { addBlockGrades, type BlockKey, blockText, type ShownSkill } from '../../../bench/judging/blocks.js';
import { type Grades, writtenGrades } from '../../../bench/judging/grades.js';

const shown = (name: string, description: string, text = ''): ShownSkill => ({
  skill: { name, author: 'ada', description },
  text,
});

describe('the text of a block', () => {
  const request = { _id: 'de-004', text: 'Brot\nbacken', language: 'de', style: 'terse', english: 'bake bread' };

  test('has the request in both languages, and one numbered line a skill, whatever its text', () => {
    const text = blockText('0007', request, [
      shown('bread', 'Bakes\n2. bread.', '---\nname: bread\n---\n# Bread'),
      shown('a\r\nb', 'Sorts.'),
    ]);
    expect(text.split('\n')).toEqual([
      '=== block 0007',
      'Request (de): Brot backen',
      'In English: bake bread',
      '1. bread [by ada]: Bakes 2. bread. [text: --- name: bread --- # Bread]',
      '2. a b [by ada]: Sorts.',
    ]);
  });

  test('tells neither the id of the request nor its style', () => {
    const text = blockText('0007', { ...request, style: 'symptom' }, [shown('bread', 'Bakes.')]);
    expect(text).not.toContain('de-004');
    expect(text).not.toContain('symptom');
  });

  test('cuts descriptions and file texts between two characters, and files the more the longer a description is', () => {
    const lineOf = (description: string, file: string): string =>
      blockText('1', request, [shown('s', description, file)])
        .split('\n')
        .at(-1) as string;
    expect(lineOf('𝒶'.repeat(401), 'text')).toBe(`1. s [by ada]: ${'𝒶'.repeat(400)}…`);
    expect(lineOf('d'.repeat(200), 'f'.repeat(201))).toBe(
      `1. s [by ada]: ${'d'.repeat(200)} [text: ${'f'.repeat(200)}…]`,
    );
    expect(lineOf('d'.repeat(281), 'text')).toBe(`1. s [by ada]: ${'d'.repeat(281)}`);
  });
});

describe('the grades of a block', () => {
  const key: BlockKey = { block: '0007', request: 'de-004', skills: ['x', 'y', 'z'] };

  test('become grades of its skills, in whatever order and with what white space they come', () => {
    const grades: Grades = new Map([['de-004', new Map([['y', 0]])]]);
    addBlockGrades(grades, key, ' 3:0, 1:3\n2:1 ');
    expect(writtenGrades(grades)).toBe('query-id\tcorpus-id\tscore\nde-004\tx\t3\nde-004\ty\t1\nde-004\tz\t0\n');
  });

  test.each([
    ['1:3 2:0', 'block 0007 has 3 skills, got grades of 2'],
    ['', 'block 0007 has 3 skills, got grades of 0'],
    ['1:3 2:0 3:1 2:0', 'block 0007: skill 2 has a second grade'],
    ['1:3 2:0 4:1', 'block 0007: there is no skill 4'],
    ['0:3 1:0 2:1', 'block 0007: there is no skill 0'],
    ['1:3 2:0 3:4', 'block 0007: expected a number and a grade from 0 to 3, got 3:4'],
    ['1:3 2:0 3:', 'block 0007: expected a number and a grade from 0 to 3, got 3:'],
    ['1:3 2:0 useful', 'block 0007: expected a number and a grade from 0 to 3, got useful'],
  ])('%j is refused whole: %s', (answer, message) => {
    const grades: Grades = new Map();
    expect(() => addBlockGrades(grades, key, answer)).toThrow(message);
    expect(grades.size).toBe(0);
  });
});
