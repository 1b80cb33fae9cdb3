import { existsSync, readFileSync } from 'node:fs';

/** How useful a skill is for a request; see bench/requests/grading.md. */
export type Grade = 0 | 1 | 2 | 3;

/** Grades by request and skill. */
export type Grades = Map<string, Map<string, Grade>>;

const HEADER = 'query-id\tcorpus-id\tscore';

/** Reads a `qrels.tsv` with grades; a file that does not exist has none. */
export function readGrades(path: string, into: Grades = new Map()): Grades {
  if (!existsSync(path)) return into;
  for (const line of readFileSync(path, 'utf8').trimEnd().split('\n').slice(1)) {
    const [request, skill, grade] = line.split('\t');
    if (request === undefined || skill === undefined) throw new Error(`${path}: expected three fields, got ${line}`);
    setGrade(into, request, skill, gradeOf(grade));
  }
  return into;
}

/** The text of a `qrels.tsv`: sorted, so that a change of a grade is a change of one line. */
export function writtenGrades(grades: Grades): string {
  const lines = [...grades].flatMap(([request, of]) =>
    [...of].map(([skill, grade]) => [request, skill, grade].join('\t')),
  );
  return `${[HEADER, ...lines.sort()].join('\n')}\n`;
}

export function setGrade(grades: Grades, request: string, skill: string, grade: Grade): void {
  const of = grades.get(request) ?? new Map<string, Grade>();
  grades.set(request, of.set(skill, grade));
}

/** @throws {Error} unless the text is 0, 1, 2 or 3 */
export function gradeOf(text: string | undefined): Grade {
  const grade = Number(text);
  if (text?.trim() === '' || (grade !== 0 && grade !== 1 && grade !== 2 && grade !== 3)) {
    throw new Error(`expected a grade from 0 to 3, got ${text}`);
  }
  return grade;
}
