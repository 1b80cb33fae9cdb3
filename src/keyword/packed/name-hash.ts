/** 32 bits of the key of a name: FNV-1a of its UTF-16 units (G. Fowler, L. C. Noll, K.-P. Vo). */
export function hashOfName(key: string): number {
  return fnv(key, 0x811c9dc5);
}

/** 32 bits more, from another beginning, over the units from the last to the first. */
export function checkOfName(key: string): number {
  return fnv([...key].reverse().join(''), 0x5bd1e995);
}

function fnv(text: string, start: number): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
