/** 32-bit hash of a key: FNV-1a of its UTF-16 units (G. Fowler, L. C. Noll, K.-P. Vo). */
export function hashOfKey(key: string): number {
  return fnv1a(key, 0x811c9dc5);
}

/** A second 32-bit hash of a key: another initial value, and the characters from the last to the first. */
export function checkOfKey(key: string): number {
  return fnv1a([...key].reverse().join(''), 0x5bd1e995);
}

function fnv1a(text: string, initial: number): number {
  let hash = initial;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
