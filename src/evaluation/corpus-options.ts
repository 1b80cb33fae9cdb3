import { type Names, namesOf } from '../core/index.js';
import type { LoadProgress, ModelOptions, OpenOptions, SharedOptions } from '../index.js';

/** Which documents to search: exactly one of `documents`, `catalogue` and `database`, and changes to them. */
export interface CorpusOptions extends ModelOptions, SharedOptions {
  /** Path of a corpus in the BEIR layout: JSON Lines of `_id`, `title` and `text`, plain or gzip. */
  readonly documents?: string | undefined;
  /** Path of a source that a catalogue can be loaded from: JSON Lines, or a folder with `SKILL.md` files. */
  readonly catalogue?: string | undefined;
  /**
   * Path of a catalogue, or the address of a database of PostgreSQL, whose local copy is brought up to date once. It is
   * never changed: changes are made to a temporary copy.
   */
  readonly database?: string | undefined;
  /** Path of more documents, in the form of `documents`. @default none */
  readonly extra?: string | undefined;
  /** Path of file texts of the documents: JSON Lines of `_id` and `text`. @default none */
  readonly extraFiles?: string | undefined;
  /** Path of a list of ids, one a line: these documents are left out. @default none */
  readonly without?: string | undefined;
  /** Whether the text of files is searched. @default true */
  readonly files?: boolean | undefined;
  /**
   * Folder that keeps the catalogue made of `documents` or `catalogue`: the next run embeds only what has changed. It
   * is created if it does not exist.
   *
   * @default a temporary folder, which is removed at the end
   */
  readonly keep?: string | undefined;
  /** Like `stopWords` of `openSkillSearch`. @default the usual words of the language */
  readonly stopWords?: OpenOptions['stopWords'];
  /** Whether the documents need vectors: the modes `vector` and `hybrid` do. @default true */
  readonly semantic?: boolean | undefined;
  /** Called while documents are loaded and embedded. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Stops the work when aborted. */
  readonly signal?: AbortSignal | undefined;
}

export const CORPUS_OPTIONS: Names = namesOf<CorpusOptions>({
  documents: true,
  catalogue: true,
  database: true,
  cache: true,
  passwordFile: true,
  extra: true,
  extraFiles: true,
  without: true,
  files: true,
  keep: true,
  model: true,
  embedder: true,
  stopWords: true,
  semantic: true,
  onProgress: true,
  signal: true,
});
