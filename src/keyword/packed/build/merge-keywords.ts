import { SCORED_FIELDS } from '../../../result.js';
import type { NameTable } from '../name-table.js';
import type { PackedKeywords } from '../packed-keywords.js';
import { mergeNameTables } from './build-name-table.js';
import { DROPPED } from './dropped.js';
import { mergeDictionaries } from './merge-dictionaries.js';
import { mergePostings } from './merge-postings.js';
import { packLengths } from './pack-lengths.js';

/** Documents that go into another index. */
export interface KeywordPart {
  readonly keywords: PackedKeywords;
  /** The number that each document gets: ascending, {@link DROPPED} for one that is left out. */
  readonly documentOf: Uint32Array;
}

/**
 * One index of several: those of parts of a catalogue, or a former one and one of what has changed. What comes out is what
 * collecting all documents in one go gives; nothing is tokenised, sorted or stemmed for it.
 *
 * @param size how many documents there are; each comes from one part
 */
export function mergeKeywords(size: number, parts: readonly KeywordPart[]): PackedKeywords {
  const kept = parts.map(keptTerms);
  const { dictionary, numbersOf } = mergeDictionaries(
    parts.map(({ keywords }) => keywords.dictionary),
    kept,
  );
  const postings = mergePostings(
    parts.map(({ keywords, documentOf }, i) => ({
      postings: keywords.postings,
      documentOf,
      numberOf: numbersOf[i]!,
    })),
    dictionary.forms.starts.length - 1,
  );
  const lengths = new Uint32Array(size * SCORED_FIELDS.length);
  for (const { keywords, documentOf } of parts) {
    for (let field = 0; field < SCORED_FIELDS.length; field++) {
      documentOf.forEach((number, document) => {
        if (number !== DROPPED) lengths[field * size + number] = keywords.lengths[field * keywords.size + document]!;
      });
    }
  }
  const merged = (table: 'names' | 'beginnings'): NameTable =>
    mergeNameTables(
      size,
      parts.map(({ keywords, documentOf }) => ({ table: keywords[table], documentOf })),
    );
  return {
    size,
    dictionary,
    postings,
    ...packLengths(lengths),
    names: merged('names'),
    beginnings: merged('beginnings'),
    contentHashes: new Uint32Array(),
  };
}

/** One byte a term, 0 where no document is left that has it; undefined where all documents are. */
function keptTerms({ keywords, documentOf }: KeywordPart): Uint8Array | undefined {
  if (!documentOf.includes(DROPPED)) return undefined;
  const { listStarts, entryStarts, documents } = keywords.postings;
  const kept = new Uint8Array(listStarts.length - 1);
  for (let term = 0; term < kept.length; term++) {
    const end = entryStarts[listStarts[term + 1]!]!;
    for (let entry = entryStarts[listStarts[term]!]!; entry < end; entry++) {
      if (documentOf[documents[entry]!] === DROPPED) continue;
      kept[term] = 1;
      break;
    }
  }
  return kept;
}
