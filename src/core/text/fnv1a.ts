/** Start value and factor of the 32-bit hash FNV-1a (G. Fowler, L. C. Noll and K.-P. Vo). */
export const FNV_BASIS = 0x811c9dc5;
export const FNV_PRIME = 0x01000193;

/**
 * FNV-1a over the UTF-16 units of a text.
 *
 * @returns 32 bits, unsigned
 */
export function fnv1a(text: string, basis: number = FNV_BASIS): number {
  let hash = basis;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash >>> 0;
}
