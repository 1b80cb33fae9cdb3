import { createHash } from 'node:crypto';
import { invalidArgument, parameterOf } from '../../core/index.js';

/** A name of a tool that both model APIs take, and that no other id is hashed to. */
const TOOL_NAME = /^(?!.*-[0-9a-f]{12}$)[a-zA-Z0-9_-]{1,64}$/;

/**
 * The name of the tool that stands for a skill in a model API: the skill's id where that can be a tool's name (letters,
 * digits, `_` and `-`, at most 64), else its beginning and twelve digits of its hash (SHA-256). The same for the same
 * id, always.
 *
 * @throws {SkillSearchError} `INVALID_PARAMETER` unless the skill has an id that is a string
 * @example
 * toolNameOf({ id: 'acme-tools-pdf.forms' }); // 'acme-tools-pdf_forms-' and twelve digits
 */
export function toolNameOf(skill: { readonly id: string }): string {
  const id: unknown = (skill as { readonly id: string } | null | undefined)?.id;
  if (typeof id !== 'string') throw invalidArgument(parameterOf('id'), 'a string', id);
  if (TOOL_NAME.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 12);
  return `${id.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 51)}-${hash}`;
}
