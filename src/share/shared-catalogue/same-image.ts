import { isDeepStrictEqual } from 'node:util';
import type { SkillImage } from '../../store/index.js';

/** Whether two catalogues store the same of a skill. What is absent and what is undefined are one. */
export function isSameImage(one: SkillImage, other: SkillImage): boolean {
  return isDeepStrictEqual(complete(one), complete(other));
}

function complete({ columns, files, contents, derivedCategories, hasVector, claims }: SkillImage): object {
  return {
    columns: { ...columns },
    files: files.map(({ filename, text }) => ({ filename, text })),
    contents: contents && { complete: contents.complete, files: contents.files.map((file) => ({ ...file })) },
    derivedCategories,
    hasVector,
    claims: claims.map(({ source, row }) => ({ source, row })),
  };
}
