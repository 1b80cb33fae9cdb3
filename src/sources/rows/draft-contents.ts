import { Buffer, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';

/** A file of a skill as it is, before it is stored. */
export interface DraftContentFile {
  /** Path inside the skill's folder, with `/`. */
  readonly path: string;
  readonly size: number;
  /** Of these bytes: 64 hexadecimal digits. */
  readonly sha256: string;
  readonly executable: boolean;
  /** False if the bytes are an excerpt, or are not kept. */
  readonly complete: boolean;
  readonly isText: boolean;
  /** `text`: those of the skill's searched file of the same name; undefined: they are not kept. */
  readonly bytes: Uint8Array | 'text' | undefined;
}

/** What a skill is made of, before it is stored. */
export interface DraftContents {
  /** Whether every file is complete and nothing was left out. */
  readonly complete: boolean;
  readonly files: readonly DraftContentFile[];
}

/** SHA-256 of bytes, or of a text in UTF-8: 64 hexadecimal digits. */
export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Whether bytes are text: UTF-8 without NUL. */
export function isTextual(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

/** Leaves out the bytes that a searched file of the same name has anyway. */
export function withoutSharedBytes(
  contents: DraftContents,
  files: readonly { readonly filename: string; readonly text: string }[],
): DraftContents {
  const texts = new Map(files.map(({ filename, text }) => [filename, text]));
  return {
    ...contents,
    files: contents.files.map((file) => {
      const text = texts.get(file.path);
      const isShared = text !== undefined && file.bytes instanceof Uint8Array && isTextOf(text, file.bytes);
      return isShared ? { ...file, bytes: 'text' as const } : file;
    }),
  };
}

function isTextOf(text: string, bytes: Uint8Array): boolean {
  return Buffer.byteLength(text) === bytes.length && Buffer.from(text).equals(bytes);
}
