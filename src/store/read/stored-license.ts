/** How the properties of a skill with a licence begin. */
const BEFORE = '{"license":"';

/**
 * The licence in the properties of a skill, read without the rest of them: front matter may have many kilobytes.
 *
 * @param properties JSON of a skill's properties, as `toColumns` writes it
 * @returns undefined if there is none
 */
export function storedLicense(properties: string): string | undefined {
  if (!properties.includes('"license":')) return undefined;
  const end = properties.startsWith(BEFORE) ? properties.indexOf('"', BEFORE.length) : -1;
  const license = properties.slice(BEFORE.length, end);
  if (end >= 0 && !license.includes('\\')) return license;
  const { license: value } = JSON.parse(properties) as { readonly license?: unknown };
  return typeof value === 'string' ? value : undefined;
}
