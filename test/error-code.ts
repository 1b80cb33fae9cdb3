import { expect } from 'vitest';
import { SkillSearchError } from '../src/core/index.js';

/** The code of the SkillSearchError that a call throws or rejects with; what else it throws goes on. */
export async function codeOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    if (error instanceof SkillSearchError) return error.code;
    throw error;
  }
  return 'no error';
}

/** An error of this code whose message fits. */
export function errorLike(code: string | number, message: RegExp): unknown {
  return expect.objectContaining({ code, message: expect.stringMatching(message) });
}
