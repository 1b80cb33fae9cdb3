import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Grade, type Grades, readGrades, writtenGrades } from '../../../bench/judging/grades.js';
import { scratchFile } from '../../scratch-folder.js';

const id = fc.string({ minLength: 1, unit: fc.constantFrom(...'aZ09-_.é中𝒶') });
const grade = fc.constantFrom<Grade>(0, 1, 2, 3);
const pairs = fc.array(fc.tuple(id, id, grade), { maxLength: 30 });

function gradesOf(all: readonly (readonly [string, string, Grade])[]): Grades {
  const grades: Grades = new Map();
  for (const [request, skill, one] of all) {
    grades.set(request, (grades.get(request) ?? new Map<string, Grade>()).set(skill, one));
  }
  return grades;
}

test('grades that are written and read are the same, and written the same again', () => {
  const path = scratchFile('qrels.tsv');
  fc.assert(
    fc.property(pairs, (all) => {
      const text = writtenGrades(gradesOf(all));
      writeFileSync(path, text);
      const read = readGrades(path);
      expect(read).toEqual(gradesOf(all));
      expect(writtenGrades(read)).toBe(text);
      expect(
        writtenGrades(
          gradesOf([...gradesOf(all)].reverse().flatMap(([r, of]) => [...of].map(([s, g]) => [r, s, g] as const))),
        ),
      ).toBe(text);
    }),
  );
});

test('grades are added to those of another file', () => {
  const [first, second] = [scratchFile('first.tsv'), scratchFile('second.tsv')];
  writeFileSync(first, 'query-id\tcorpus-id\tscore\na\tx\t1\n');
  writeFileSync(second, 'query-id\tcorpus-id\tscore\r\na\ty\t3\r\n');
  const grades = readGrades(second, readGrades(first));
  expect([...(grades.get('a') ?? [])]).toEqual([
    ['x', 1],
    ['y', 3],
  ]);
});

test.each([
  ['a\tx\t1\n', ':1: expected the header "query-id\\tcorpus-id\\tscore"'],
  ['query-id\tcorpus-id\tscore\na\tx\t1\na\ty\t4\n', ':3: expected a grade from 0 to 3, got "4"'],
  ['query-id\tcorpus-id\tscore\na\tx\t1.0\n', ':2: expected a grade from 0 to 3, got "1.0"'],
  ['query-id\tcorpus-id\tscore\na\tx\n', ':2: expected request, skill and grade with tabs between them, got "a\\tx"'],
])('%j is refused with its line', (text, message) => {
  const path = scratchFile('qrels.tsv');
  writeFileSync(path, text);
  expect(() => readGrades(path)).toThrow(`${path}${message}`);
});

test('a file that does not exist is no file without grades', () => {
  expect(() => readGrades(scratchFile('nowhere.tsv'))).toThrow('nowhere.tsv');
});
