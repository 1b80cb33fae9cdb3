import { SkillSearchError } from '../core/index.js';

/** The key of a header `Authorization`; undefined if it is no `Bearer` with one word behind it. */
export function sentKey(authorization: string): string | undefined {
  return /^bearer +([^\s]+)$/i.exec(authorization.trim())?.[1];
}

/** The error for every key that is not accepted. It does not repeat the key. */
export function keyNotAccepted(): SkillSearchError {
  return new SkillSearchError('INVALID_API_KEY', 'the API key is not accepted: expected `Authorization: Bearer <key>`');
}
