import { isUtf8 } from 'node:buffer';
import { MAX_FILE_BYTES } from '../../../core/index.js';
import type { ContentFile, SkillSearch } from '../../../index.js';

/** A file of a skill as pages show it. */
export interface SkillFileView {
  readonly facts: ContentFile;
  /** Undefined if they are not kept. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** Whether the bytes are a text in UTF-8. */
  readonly isText: boolean;
}

/**
 * A file of a skill: its bytes where they are kept, else what is searched of it.
 *
 * @throws {SkillSearchError} `DATABASE_DAMAGED`
 */
export function readSkillFile(search: SkillSearch, id: string, path: string): SkillFileView | undefined {
  const facts = search.contents(id)?.files.find((file) => file.path === path);
  if (facts === undefined) return undefined;
  const bytes = ownBytes(search.read(id, path)) ?? searchedBytes(search, id, path);
  return { facts, bytes, isText: bytes !== undefined && isUtf8(bytes) && !bytes.includes(0) };
}

/** As much of a text as pages show, in parts: as much as is searched of a file. */
export function shownTextOf(bytes: Uint8Array): { readonly text: string; readonly isCut: boolean } {
  const isCut = bytes.length > MAX_FILE_BYTES;
  const text = new TextDecoder().decode(isCut ? bytes.subarray(0, MAX_FILE_BYTES) : bytes);
  // A character that the cut goes through.
  return { text: isCut ? text.replace(/\ufffd$/, '') : text, isCut };
}

function searchedBytes(search: SkillSearch, id: string, path: string): Uint8Array<ArrayBuffer> | undefined {
  const text = search.filenames(id).includes(path) ? search.file(id, path)?.text : undefined;
  return text === undefined ? undefined : new TextEncoder().encode(text);
}

function ownBytes(bytes: Uint8Array | undefined): Uint8Array<ArrayBuffer> | undefined {
  return bytes as Uint8Array<ArrayBuffer> | undefined;
}
