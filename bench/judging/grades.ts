import { readFileSync } from 'node:fs';

/** How useful a skill is for a request; see bench/requests/grading.md. */
export type Grade = 0 | 1 | 2 | 3;

/** Grades by request and skill. */
export type Grades = Map<string, Map<string, Grade>>;

const HEADER = 'query-id\tcorpus-id\tscore';

/**
 * Reads a `qrels.tsv` with grades.
 *
 * @throws {Error} naming file and line, if it is no such file
 */
export function readGrades(path: string, into: Grades = new Map()): Grades {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  for (const [i, line] of lines.entries()) {
    try {
      if (i > 0) addLine(into, line);
      else if (line.trimEnd() !== HEADER) throw new Error(`expected the header ${JSON.stringify(HEADER)}`);
    } catch (error) {
      throw new Error(`${path}:${i + 1}: ${(error as Error).message}`);
    }
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
export function gradeOf(text: string): Grade {
  if (!/^[0-3]$/.test(text)) throw new Error(`expected a grade from 0 to 3, got ${JSON.stringify(text)}`);
  return Number(text) as Grade;
}

function addLine(into: Grades, line: string): void {
  const [request, skill, grade, ...more] = line.trimEnd().split('\t');
  if (request === undefined || skill === undefined || grade === undefined || more.length > 0) {
    throw new Error(`expected request, skill and grade with tabs between them, got ${JSON.stringify(line)}`);
  }
  setGrade(into, request, skill, gradeOf(grade));
}
