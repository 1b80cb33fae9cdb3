const SPECIAL = /[&<>"']/;

/** A text as the content of an HTML element or attribute. */
export function escapeHtml(text: string): string {
  if (!SPECIAL.test(text)) return text;
  // A loop, because a page may be made of nothing but special characters: `replace` would call a function for each.
  let escaped = '';
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const entity = entityOf(text.charCodeAt(i));
    if (entity === undefined) continue;
    if (from < i) escaped += text.slice(from, i);
    escaped += entity;
    from = i + 1;
  }
  return escaped + text.slice(from);
}

function entityOf(unit: number): string | undefined {
  switch (unit) {
    case 0x26:
      return '&amp;';
    case 0x3c:
      return '&lt;';
    case 0x3e:
      return '&gt;';
    case 0x22:
      return '&quot;';
    case 0x27:
      return '&#39;';
    default:
      return undefined;
  }
}
