/**
 * Whether a model may call a skill, by its properties.
 *
 * @param properties JSON of a skill's properties, as `toColumns` writes it
 */
export function storedInvocable(properties: string): boolean {
  if (!properties.includes('"invocable":false')) return true;
  // Its metadata may say the same, which means nothing.
  return (JSON.parse(properties) as { readonly invocable?: unknown }).invocable !== false;
}
