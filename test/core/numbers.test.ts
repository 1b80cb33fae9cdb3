import { expectTypeOf, test } from 'vitest';
import type { DocumentNumber, SkillNumber, TermNumber, VectorNumber, VectorPlace } from '../../src/core/index.js';

test('a number of one kind cannot stand for one of another kind', () => {
  expectTypeOf<DocumentNumber>().not.toExtend<TermNumber>();
  expectTypeOf<DocumentNumber>().not.toExtend<SkillNumber>();
  expectTypeOf<SkillNumber>().not.toExtend<DocumentNumber>();
  expectTypeOf<VectorPlace>().not.toExtend<DocumentNumber>();
  expectTypeOf<VectorNumber>().not.toExtend<VectorPlace>();
});

test('a plain number can stand for any of them, and each of them for a plain number', () => {
  expectTypeOf<number>().toExtend<DocumentNumber>();
  expectTypeOf<number>().toExtend<VectorPlace>();
  expectTypeOf<TermNumber>().toExtend<number>();
});
