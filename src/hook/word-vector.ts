/** Places that words are spread over: some share one. */
const PLACES = 1024;

/** Words, numbers, and signs by themselves. */
const PARTS = /\p{L}[\p{L}\p{N}_']*|\p{N}+|[^\p{L}\p{N}\s]/gu;

/** What a text is made of, as a vector: which words and signs it has, and about how many. At most of unit length. */
export function wordVector(text: string): Float32Array {
  const parts = text.toLowerCase().match(PARTS) ?? [];
  const kinds = new Set(parts.map((part) => (/\p{N}/u.test(part[0]!) ? '0' : part)));
  kinds.add(`length ${Math.min(6, Math.floor(Math.log2(parts.length + 1)))}`);
  const places = new Set([...kinds].map((kind) => hash(kind) % PLACES));
  const vector = new Float32Array(PLACES);
  for (const place of places) vector[place] = 1 / Math.sqrt(places.size);
  return vector;
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
