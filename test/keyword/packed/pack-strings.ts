import type { PackedStrings } from '../../../src/keyword/packed-keywords.js';

/** Strings as `PackedStrings`, in their order. */
export function packStrings(strings: readonly string[]): PackedStrings {
  const parts = strings.map((text) => Buffer.from(text));
  const starts = new Uint32Array(strings.length + 1);
  for (const [i, part] of parts.entries()) starts[i + 1] = (starts[i] as number) + part.length;
  return { bytes: new Uint8Array(Buffer.concat(parts)), starts };
}
