import type { Skill } from '../../src/index.js';
import { type Grade, type Grades, gradeOf, setGrade } from './grades.js';
import type { PooledRequest } from './pool.js';
import type { Request } from './requests.js';

/** What stands in a block, which a reader does not see: the request, and the ids of its skills in their order. */
export interface BlockKey extends PooledRequest {
  readonly block: string;
}

/** A reader's answer: `1:3 2:0 …`, the number of a skill and its grade. */
export interface BlockGrades {
  readonly block: string;
  readonly grades: string;
}

/** So much of a description is shown, in characters, and so much of the file text, the less the more it describes. */
const DESCRIPTION = 400;
const BOTH = 400;
const LEAST_FILE_TEXT = 120;

/** What a reader sees of a skill. */
export interface ShownSkill {
  readonly skill: Pick<Skill, 'name' | 'author' | 'description'>;
  /** Of its SKILL.md, or of its first file. */
  readonly text: string;
}

/** A request and its skills as a reader sees them: numbered, without ids, scores or anything of a ranking. */
export function blockText(block: string, { text, language, english }: Request, skills: readonly ShownSkill[]): string {
  const asked = [`=== block ${block}`, `Request (${language}): ${oneLine(text)}`];
  if (english !== undefined) asked.push(`In English: ${oneLine(english)}`);
  const shown = skills.map(({ skill: { name, author, description }, text: file }, i) => {
    const described = cut(oneLine(description), DESCRIPTION);
    const left = BOTH - described.length;
    const body = left < LEAST_FILE_TEXT ? '' : cut(oneLine(file), left);
    return `${i + 1}. ${oneLine(name)} [by ${oneLine(author)}]: ${described}${body === '' ? '' : ` [text: ${body}]`}`;
  });
  return [...asked, ...shown].join('\n');
}

/**
 * Grades of a block as grades of its pairs.
 *
 * @throws {Error} unless each skill of the block has exactly one grade; then no grade is added
 */
export function addBlockGrades(into: Grades, { block, request, skills }: BlockKey, answer: string): void {
  const grades = new Map<string, Grade>();
  for (const pair of answer.split(/[\s,]+/).filter((one) => one !== '')) {
    const [, number, grade] = /^(\d+):([0-3])$/.exec(pair) ?? [];
    if (grade === undefined) throw new Error(`block ${block}: expected a number and a grade from 0 to 3, got ${pair}`);
    const skill = skills[Number(number) - 1];
    if (skill === undefined) throw new Error(`block ${block}: there is no skill ${number}`);
    if (grades.has(skill)) throw new Error(`block ${block}: skill ${number} has a second grade`);
    grades.set(skill, gradeOf(grade));
  }
  if (grades.size !== skills.length) {
    throw new Error(`block ${block} has ${skills.length} skills, got grades of ${grades.size}`);
  }
  for (const [skill, grade] of grades) setGrade(into, request, skill, grade);
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

function cut(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most).join('')}…`;
}
