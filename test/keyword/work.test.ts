import { describe, expect, test } from 'vitest';
import { QUESTION_WORK, QUESTION_WORK_PER_SKILL, Work } from '../../src/keyword/work.js';

describe('the work of a question', () => {
  test('is spent up to its limit, and one unit more is refused and told', () => {
    const work = new Work(10);
    expect([work.affords(10), work.spent, work.left, work.truncated]).toEqual([true, 10, 0, false]);
    expect([work.affords(1), work.spent, work.truncated]).toEqual([false, 10, true]);
  });

  test('is not truncated where only a saving of work is refused', () => {
    const work = new Work(10);
    expect([work.saves(11), work.spent, work.truncated]).toEqual([false, 0, false]);
    expect([work.saves(4), work.spent, work.truncated]).toEqual([true, 4, false]);
  });

  test('can be kept for later', () => {
    const work = new Work(10);
    work.hold(0.2);
    expect([work.left, work.saves(9)]).toEqual([8, false]);
    work.hold(0);
    expect([work.left, work.saves(9)]).toEqual([10, true]);
  });

  test('has no limit unless one is given', () => {
    const work = new Work();
    work.hold(0.2);
    work.hold(0);
    expect([work.affords(1e15), work.truncated, work.left]).toEqual([true, false, Number.POSITIVE_INFINITY]);
  });

  test('has a limit that grows with the catalogue from 100,000 skills on', () => {
    expect([1, 100_000, 100_001].map((skills) => Work.forQuestion(skills).limit)).toEqual([
      QUESTION_WORK,
      QUESTION_WORK,
      QUESTION_WORK + QUESTION_WORK_PER_SKILL,
    ]);
  });
});
