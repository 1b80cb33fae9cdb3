import { SCORED_FIELDS } from '../../../result.js';
import type { NameTable } from '../name-table.js';
import type { PackedKeywords } from '../packed-keywords.js';
import { mergeNameTables } from './build-name-table.js';
import { DROPPED } from './dropped.js';
import { mergeDictionaries } from './merge-dictionaries.js';
import { mergePostings } from './merge-postings.js';
import { mergeNames, packTerms } from './pack-completions.js';
import { packLengths } from './pack-lengths.js';

/** Documents that go into another index. */
export interface KeywordPart {
  readonly keywords: PackedKeywords;
  /** New number of each document: ascending, {@link DROPPED} for one that is left out. */
  readonly documentOf: Uint32Array;
}

/**
 * Merges indexes: those of several parts of a catalogue, or a former index and one of what has changed. The result
 * equals that of collecting all documents at once, but nothing is tokenised, sorted or stemmed again.
 *
 * @param size number of documents; each comes from one part
 */
export function mergeKeywords(size: number, parts: readonly KeywordPart[]): PackedKeywords {
  const kept = parts.map(keptTerms);
  const { dictionary, termsOf } = mergeDictionaries(
    parts.map(({ keywords }) => keywords.dictionary),
    kept,
  );
  const postings = mergePostings(
    parts.map(({ keywords, documentOf }, i) => ({ postings: keywords.postings, documentOf, termOf: termsOf[i]! })),
    dictionary.forms.starts.length - 1,
  );
  const merged = (table: 'names' | 'beginnings'): NameTable =>
    mergeNameTables(
      size,
      parts.map(({ keywords, documentOf }) => ({ table: keywords[table], documentOf })),
    );
  return {
    size,
    dictionary,
    postings,
    ...packLengths(mergeLengths(size, parts)),
    names: merged('names'),
    beginnings: merged('beginnings'),
    completions: {
      ...packTerms(dictionary, postings),
      ...mergeNames(
        size,
        parts.map(({ keywords: { completions }, documentOf }) => ({ completions, documentOf })),
      ),
    },
    contentHashes: new Uint32Array(),
  };
}

function mergeLengths(size: number, parts: readonly KeywordPart[]): Uint32Array {
  const lengths = new Uint32Array(size * SCORED_FIELDS.length);
  for (const { keywords, documentOf } of parts) {
    for (let field = 0; field < SCORED_FIELDS.length; field++) {
      const [from, to] = [field * keywords.size, field * size];
      for (let former = 0; former < documentOf.length; former++) {
        const document = documentOf[former]!;
        if (document !== DROPPED) lengths[to + document] = keywords.lengths[from + former]!;
      }
    }
  }
  return lengths;
}

/** One byte a term: 0 if all documents that have it are left out. Undefined if no document is left out. */
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
