import type { Pager } from '../../core/index.js';
import type { PackedKeywords } from './packed-keywords.js';

/** In place of the number of a document in the whole: it is gone. */
export const GONE = 0xffffffff;

/** Some of the documents of a catalogue, packed by themselves: the large part, or what came to it later. */
export interface KeywordSegment {
  readonly keywords: PackedKeywords;
  /** Reads the parts of {@link keywords} that are needed. */
  readonly pager: Pager;
  /** For each document of the segment its number in the whole: ascending, {@link GONE} for one that is gone. */
  readonly numbers: Uint32Array;
}
