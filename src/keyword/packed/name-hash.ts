/** 32 bits of the key of a name: FNV-1a of its UTF-16 units (G. Fowler, L. C. Noll, K.-P. Vo). */
export function hashOfName(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
