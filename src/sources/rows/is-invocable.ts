/**
 * Whether a model may call the skill of a row. Its front matter says no with `disable-model-invocation: true`, or with
 * `internal: true` in its `metadata`.
 *
 * @param row with the fields `frontMatter` and `metadata`, if it has them
 */
export function isInvocable(row: Readonly<Record<string, unknown>>): boolean {
  const frontMatter = row['frontMatter'];
  const internal = [row['metadata'], fieldOf(frontMatter, 'metadata')].map((metadata) => fieldOf(metadata, 'internal'));
  return ![fieldOf(frontMatter, 'disable-model-invocation'), ...internal].some(isTrue);
}

function fieldOf(object: unknown, key: string): unknown {
  const isObject = typeof object === 'object' && object !== null && Object.hasOwn(object, key);
  return isObject ? (object as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** Front matter is kept as it was written: `true` is a text there. */
function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^\s{0,9}true\s{0,9}$/i.test(value));
}
