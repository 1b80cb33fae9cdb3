import { isObject } from '../core/index.js';

/** Texts that requests need. Where they are missing the SDK answers that it failed itself. */
const NEEDED: Readonly<Record<string, string>> = { 'resources/read': 'uri', 'tools/call': 'name' };

/** What is wrong with the parameters of a request; undefined if nothing, or nothing that is known here. */
export function faultOfParams({
  method,
  params,
}: {
  readonly method?: unknown;
  readonly params?: unknown;
}): string | undefined {
  if (typeof method !== 'string' || !Object.hasOwn(NEEDED, method)) return undefined;
  const needed = NEEDED[method]!;
  const { [needed]: value, arguments: given = {} } = (params ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof value !== 'string') return `${method} needs params.${needed}, a text`;
  return isObject(given) ? undefined : `params.arguments of ${method} must be an object`;
}
