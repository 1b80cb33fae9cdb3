import type { SkillSearch } from '../../index.js';

/** One file of a skill as it is, beside what is searched. */
export interface ContentFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly mediaType: string;
  readonly executable: boolean;
  readonly complete: boolean;
}

export interface SkillContents {
  readonly complete: boolean;
  readonly files: readonly ContentFile[];
}

/** A search that hands out whole skills. */
export interface WholeSkillSearch extends SkillSearch {
  contents(id: string): SkillContents | undefined;
  read(id: string, path: string): Uint8Array | undefined;
  completeIds(range: { after?: string | undefined; limit: number }): readonly string[];
}

// Until the library has them.
export function withContents(search: SkillSearch): WholeSkillSearch {
  if (!('contents' in search)) {
    Object.assign(search, { contents: () => undefined, read: () => undefined, completeIds: () => [] });
  }
  return search as WholeSkillSearch;
}
