/** The slug of a category or occupation, `[a-z0-9-]`. Empty if the label has neither a Latin letter nor a digit. */
export function labelSlug(label: string): string {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(label)) return label;
  const plain = label
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}
