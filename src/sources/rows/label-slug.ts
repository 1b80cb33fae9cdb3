/** The slug of a category or occupation, `[a-z0-9-]`; empty where the label has neither Latin letter nor digit. */
export function labelSlug(label: string): string {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(label)) return label;
  const plain = label
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}
