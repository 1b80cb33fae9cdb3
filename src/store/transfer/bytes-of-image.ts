import type { SkillImage } from './skill-image.js';

/** How many bytes belong to an image, about: those of its texts, and of its files that are kept as blobs. */
export function bytesOfImage({ files, contents }: Pick<SkillImage, 'files' | 'contents'>): number {
  let bytes = 0;
  for (const { text } of files) bytes += text.length;
  for (const { size, kept } of contents?.files ?? []) if (kept === 'blob') bytes += size;
  return bytes;
}
